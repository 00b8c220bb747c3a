/** Whether a run measured the target or itself: the verdict on a run, by the thresholds in `limits.ts`. */

import type { ClientLine } from "../../../formats/client.ts";
import type { Lateness, RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";
import { type FaultCounts, faultSentences } from "../metrics/client-faults.ts";
import { droppedMemoryLimit, measuredLines, openLines, wakesOf } from "../metrics/client-health.ts";
import { clockErrorOf, LATENESS_FACTOR } from "../read/clock-error.ts";
import { interruptionsOf } from "../read/interruptions.ts";
import type { Responses } from "../read/measured-requests.ts";
import { Counted } from "../stats/counted.ts";
import { quantile } from "../stats/quantiles.ts";
import { comparisonInWords, isLate, isLateMostly, latenessInWords, latenessOf, worstOf } from "./client-lateness.ts";
import type { Herd } from "./herd.ts";
import { LIMITS } from "./limits.ts";
import { saturationInWords } from "./saturation.ts";

type Validity = RunResult["validity"];

/** What is known about a run that can make it invalid. */
export interface Evidence {
  /** Sentences about damage of the files. */
  readonly damage: readonly string[];
  /** Records of any phase. */
  readonly responses: Responses;
  /** Measured arrivals and the seconds in which they were due. */
  readonly offered: number;
  readonly notStarted: number;
  readonly seconds: number;
  /** Of the measured phase; empty in a closed loop. */
  readonly lagMs: Counted;
  readonly slotWaitMs: Counted;
  /** How the target's queue grew; absent: it did not, or nobody can say. */
  readonly saturation?: RunResult["saturation"];
  /** What is known about each load generator. */
  readonly shards: readonly ShardEvidence[];
  /** Arrivals whose scenario threw, and what it threw first; absent: none did. */
  readonly threw?: { readonly count: number; readonly reason: string } | undefined;
  /** Reported whatever the verdict. */
  readonly notes: readonly string[];
}

/** What is known about one load generator of a run. */
export interface ShardEvidence {
  /** Of a run that several load generators share. */
  readonly name?: string;
  readonly responses: Responses;
  /** Requests that failed on its machine, after the warm-up. */
  readonly clientFaults: FaultCounts;
  readonly lagMs: Counted;
  readonly client: readonly ClientLine[];
  /** Requests that began together when it was late. */
  readonly herd?: Herd | undefined;
}

/** The validity of a run, with reasons that say what to change and the figures that they are based on. */
export function validityOf(evidence: Evidence): Validity {
  const lateness = [
    worstOf(evidence.shards.map((shard) => scheduleLag(shard, evidence))),
    worstOf(evidence.shards.map(wakeLatency)),
  ].filter((known) => known !== undefined);
  return { ...verdictOn(evidence), lateness };
}

function verdictOn(evidence: Evidence): Pick<Validity, "verdict" | "reasons"> {
  const damage = evidence.damage.map((problem) => `the record is damaged: ${problem}`);
  const unansweredRun = unanswered(evidence);
  const invalid = [...damage, ...(unansweredRun.length > 0 ? unansweredRun : evidence.shards.flatMap(unansweredShard))];
  const { notes } = evidence;
  if (invalid.length > 0) return { verdict: "INVALID", reasons: [...invalid, ...notes] };
  const limited = evidence.shards.flatMap((shard) => limits(shard, evidence));
  const interrupted = evidence.shards.flatMap(interruptions);
  if (limited.length > 0) {
    const certain = surelySaturated(evidence);
    return { verdict: "CLIENT-LIMITED", reasons: [...limited, ...interrupted, ...certain, ...notes] };
  }
  const remarks = [
    ...saturated(evidence),
    ...inFlightLimit(evidence),
    ...lateStarts(evidence),
    ...interrupted,
    ...lateWakeups(evidence),
  ];
  return { verdict: "VALID", reasons: [...remarks, ...evidence.notes] };
}

/** The validity of one shard of a run. */
export function shardValidity(shard: ShardEvidence, evidence: Evidence): Validity["verdict"] {
  if (unansweredShard(shard).length > 0) return "INVALID";
  return limits(shard, evidence).length > 0 ? "CLIENT-LIMITED" : "VALID";
}

/** One load generator that reached nothing, where others did, measured nothing. */
const unansweredShard = ({
  name,
  responses: { requests, reached, answered, clientErrors },
}: ShardEvidence): string[] =>
  requests === clientErrors || answered + reached > 0
    ? []
    : [`${of(name)}no response to any of ${requests} requests; check that the target can be reached from there`];

/** What limited one load generator. The limit of the schedule lag is that of the whole run. */
function limits(shard: ShardEvidence, evidence: Evidence): string[] {
  const { name, client, clientFaults, responses } = shard;
  const faults = faultSentences(clientFaults, responses.requests);
  const late = startedLate(scheduleLag(shard, evidence));
  const woke = wokeLate(shard);
  return [
    ...faults,
    ...late,
    ...busy(client),
    ...woke,
    ...memoryLimitReached(client),
    ...garbageCollection(client),
  ].map((reason) => of(name) + reason);
}

const of = (name: string | undefined): string => (name === undefined ? "" : `segment ${name}: `);

/** Requests that failed on the load generator's machine say nothing about the target: it may not have been asked at all. */
function unanswered({ responses: { requests, reached, answered, clientErrors }, threw }: Evidence): string[] {
  if (requests === 0 && threw !== undefined) {
    return [`no request was recorded: the scenario threw in ${plural(threw.count, "arrival")}: ${threw.reason}`];
  }
  if (requests === 0) return ["nothing was recorded: no request ended; see the k6 log of the run"];
  if (answered + reached > 0 || requests === clientErrors) return [];
  return [
    `no response to any of ${requests} requests; check the address of the target and that it can be reached from here`,
  ];
}

/** Of a target that was reached and never responded, which is no fault of the address or of the load generator. */
export const neverRespondedInWords = ({ responses: { reached, answered } }: Evidence): string | undefined =>
  reached === 0 || answered > 0
    ? undefined
    : `the target accepted connections and responded to none of ${plural(reached, "request")}`;

const scheduleLag = ({ lagMs, client }: ShardEvidence, evidence: Evidence): Lateness | undefined =>
  latenessOf({
    name: "schedule lag",
    sample: lagMs,
    limitMs: lagLimit(evidence),
    perMille: LIMITS.lagPerMille,
    bySecondMs: measuredLines(client).flatMap(({ lag_p99_ms }) => lag_p99_ms ?? []),
  });

function startedLate(lag: Lateness | undefined): string[] {
  if (lag === undefined || !(isLate(lag) || isLateMostly(lag))) return [];
  const late = latenessInWords(lag, "schedule_lag");
  return [`the load generator was late: ${late}; lower the rate, or split the load over more machines`];
}

/** Late arrivals that are too few to limit the run are reported. */
function lateStarts(evidence: Evidence): string[] {
  const limit = lagLimit(evidence);
  const { lagMs } = evidence;
  const late = lagMs.over(limit);
  if (late === 0) return [];
  const max = lagMs.max.toFixed(1);
  const decided = deciding(worstOf(evidence.shards.map((shard) => scheduleLag(shard, evidence))));
  return [`${late} of ${lagMs.count} arrivals started more than ${limit.toFixed(1)} ms late (max ${max} ms${decided})`];
}

function lagLimit({ offered, seconds }: Evidence): number {
  const interArrivalMs = offered > 0 ? (seconds * 1_000) / offered : 0;
  return Math.max(LIMITS.lagMs, LIMITS.lagShareOfInterArrival * interArrivalMs);
}

function busy(all: readonly ClientLine[]): string[] {
  const shares = measuredLines(all).flatMap(({ cpu, cpus }) =>
    cpu === undefined || cpus === undefined || cpus === 0 ? [] : [cpu / cpus],
  );
  const seconds = shares.filter((share) => share > LIMITS.cpuShare).length;
  if (seconds === 0 || seconds <= shares.length * LIMITS.busySecondsShare) return [];
  return [
    `the CPUs of the load generator were full: above ${LIMITS.cpuShare * 100}% in ${seconds} of ${shares.length} measured seconds; lower the rate, or give it more CPUs`,
  ];
}

/** The seconds in which the CPUs of a load generator were full. Instants count from `startedAt`. */
export const fullSeconds = (lines: readonly ClientLine[], startedAt: number): { from: number; to: number }[] =>
  lines.flatMap(({ t, cpu = 0, cpus = 0 }, index) =>
    cpus > 0 && cpu / cpus > LIMITS.cpuShare
      ? [{ from: startedAt + (lines[index - 1]?.t ?? 0) * 1_000, to: startedAt + t * 1_000 }]
      : [],
  );

/** The share of the wake-ups of a load generator that were late: of the time for which it was. */
export function lateShareOf(client: readonly ClientLine[]): number {
  const all = wakesOf(client);
  return all.length === 0 ? 0 : all.filter((us) => us > LIMITS.wakeMs * 1_000).length / all.length;
}

const wakeLatency = ({ client }: ShardEvidence): Lateness | undefined =>
  latenessOf({
    name: "wake-up latency",
    sample: Counted.of(wakesOf(client).map((us) => us / 1_000)),
    limitMs: LIMITS.wakeMs,
    perMille: LIMITS.wakePerMille,
    bySecondMs: openLines(client).flatMap(({ wakes_us = [] }) =>
      wakes_us.length === 0 ? [] : [quantile(wakes_us, LIMITS.wakePerMille) / 1_000],
    ),
  });

/** The process did not run for a while: it was stopped, or got no CPU. */
function interruptions(shard: ShardEvidence): string[] {
  const { name, client } = shard;
  const lines = openLines(client);
  const all = interruptionsOf(lines, 0).toSorted((a, b) => b.ms - a.ms);
  const [most] = all;
  if (most === undefined) return [];
  const [ms, from, to] = [most.ms, Math.max(0, most.from), most.to].map((each) => (each / 1_000).toFixed(1));
  const longest = `${ms} s (between ${from} and ${to} s)`;
  const times = all.length === 1 ? `for ${longest}` : `${all.length} times, for up to ${longest}`;
  return [
    `${of(name)}the load generator did not run ${times}: its process was stopped, or got no CPU; ${remedy(shard)}`,
  ];
}

function wokeLate(shard: ShardEvidence): string[] {
  const wake = wakeLatency(shard);
  if (wake === undefined) return [];
  if (!isLate(wake) && !isLateMostly(wake)) return [];
  return [`the load generator did not get enough CPU time: ${latenessInWords(wake, wake.name)}; ${remedy(shard)}`];
}

/** What kept the load generator from waking in time, as far as the system shows it, and what to change. */
function remedy({ client, herd, lagMs }: ShardEvidence): string {
  const late = lateLines(client);
  const throttled = late.reduce((sum, line) => sum + (line.throttled ?? 0), 0);
  if (throttled > 0) return `a CPU limit throttled it ${throttled} times: raise the limit of its container`;
  if (late.filter(collecting).length * 2 > late.length) return "garbage was being collected: give it more memory";
  if (herd !== undefined) {
    // Arrivals have a schedule, and with it a lag; users of a closed loop have none.
    const apart = lagMs.count > 0 ? "" : "start users over a longer time (--set ramp-up=30s), or ";
    return `${herdInWords(herd)}: ${apart}use more machines`;
  }
  const waits = late.flatMap(({ run_delay_ms }) => run_delay_ms ?? []);
  const perSecond = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const seen = waits.length === 0 ? "" : ` (its threads waited for a CPU for ${perSecond.toFixed(0)} ms per second)`;
  return `stop other processes on this machine, give the load generator dedicated CPUs${seen}, or lower the rate`;
}

/** `800 requests began within 100 ms, 4.1 s into the run`. */
const herdInWords = ({ requests, atS }: Herd): string =>
  `${formatNumber(requests)} requests began within ${LIMITS.herd.withinMs} ms, ${atS.toFixed(1)} s into the run`;

const lateLines = (all: readonly ClientLine[]): ClientLine[] =>
  openLines(all).filter(({ wake_p99_ms = 0 }) => wake_p99_ms > LIMITS.wakeMs);

/** Late wake-ups that are too few to limit the run are an error of its times. */
function lateWakeups({ shards }: Evidence): string[] {
  const lateUs = shards.flatMap(({ client }) => [...wakesOf(client)]);
  const late = lateUs.filter((us) => us > LIMITS.wakeMs * 1_000);
  if (late.length === 0) return [];
  const worst = late.reduce((a, b) => Math.max(a, b)) / 1_000;
  const herds = shards.flatMap(({ herd }) => (herd === undefined ? [] : `; ${herdInWords(herd)}`));
  return [
    `timer wake-ups of the load generator were late (${late.length} of ${lateUs.length} more than ${LIMITS.wakeMs} ms, max ${worst.toFixed(1)} ms): times measured then may be up to ${(2 * LATENESS_FACTOR * worst).toFixed(1)} ms too long; an objective that this could change is undecided${herds[0] ?? ""}`,
  ];
}

/** The percentile that decided that late ones are too few. */
const deciding = (lateness: Lateness | undefined): string =>
  lateness === undefined ? "" : `; the verdict uses the ${comparisonInWords(lateness)}`;

/** A load generator that needed more memory than its limit. */
function memoryLimitReached(client: readonly ClientLine[]): string[] {
  const limitMb = droppedMemoryLimit(client);
  if (limitMb === undefined) return [];
  return [
    `the load generator reached its memory limit of ${formatNumber(Math.round(limitMb))} MB: from then on garbage was collected at any time; raise --set memory-limit, lower --max-in-flight, or split the load over more machines`,
  ];
}

function garbageCollection(all: readonly ClientLine[]): string[] {
  const lines = measuredLines(all);
  const pauses = lines.flatMap(({ gc_pause_ms }) => gc_pause_ms ?? []);
  const perSecond = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
  const seconds = lines.filter(collecting).length;
  const seen = [
    ...(perSecond > LIMITS.gcPauseMsPerS
      ? [`paused for ${perSecond.toFixed(1)} ms per second, limit ${LIMITS.gcPauseMsPerS} ms`]
      : []),
    ...(seconds > lines.length * LIMITS.collectingSecondsShare
      ? [`on more than ${LIMITS.gcCpuShare * 100}% of its CPUs in ${seconds} of ${lines.length} measured seconds`]
      : []),
  ];
  if (seen.length === 0) return [];
  return [`the load generator was collecting garbage: ${seen.join("; ")}; give it more memory, or lower the rate`];
}

const collecting = ({ gc_cpu_ms, cpus }: ClientLine): boolean =>
  gc_cpu_ms !== undefined && cpus !== undefined && gc_cpu_ms / 1_000 > cpus * LIMITS.gcCpuShare;

function inFlightLimit({ slotWaitMs, notStarted, offered }: Evidence): string[] {
  const waited = slotWaitMs.over(LIMITS.slotWaitMs);
  if (waited === 0 && notStarted === 0) return [];
  const some =
    waited === 0
      ? `${notStarted} of ${offered} arrivals found no free slot until the end`
      : `${waited} of ${offered} arrivals waited for a free slot (max ${slotWaitMs.max.toFixed(0)} ms) and ${notStarted} never started`;
  return [`in-flight limit reached: ${some}; the target is slower than the load, or --max-in-flight is too low`];
}

/**
 * A load generator that was late itself says nothing about the queue of the target, unless that grew by more than it was late in
 * all. One that is short of CPU may have been the queue.
 */
function surelySaturated(evidence: Evidence): string[] {
  const { saturation, seconds, lagMs, shards } = evidence;
  if (saturation === undefined || shards.some(({ client }) => busy(client).length > 0)) return [];
  const lag = lagMs.count === 0 ? 0 : lagMs.max;
  const ownMs = shards.reduce((sum, { client }) => {
    const { largest, interruptedMs } = clockErrorOf(client, 0);
    return sum + 2 * largest + interruptedMs;
  }, lag);
  return saturation.growthMsPerS * seconds > ownMs ? saturated(evidence) : [];
}

const saturated = ({ saturation, offered, seconds }: Evidence): string[] =>
  saturation === undefined ? [] : [saturationInWords(saturation, offered / seconds)];
