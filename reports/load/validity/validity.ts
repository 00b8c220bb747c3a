/** A run judges itself before it judges the target: the thresholds, and what they make of a run. */

import type { ClientLine } from "../../../formats/client.ts";
import type { RunResult } from "../../../formats/run.ts";
import { dropped, measuredLines, wakesOf } from "../metrics/client-health.ts";
import { QUANTILES, quantile } from "../stats/quantiles.ts";

/** Every threshold of validity. Milliseconds, shares. */
const LIMITS = {
  /**
   * The p99 of schedule_lag may not pass the larger of these two. Fewer arrivals than carry a p99 are judged by the
   * highest percentile that they do carry: one hiccup among eighty is no p99.
   */
  lagMs: 10,
  lagShareOfInterArrival: 0.05,
  /** A second in which the client used more of its CPUs than `cpuShare` is a busy one… */
  cpuShare: 0.85,
  /** …and more busy seconds than this share of the measured ones limit the run. */
  busySecondsShare: 0.2,
  /** Time in which the collector stopped the client, a measured second. */
  gcPauseMsPerS: 10,
  /** A second in which the collector took more of the client's CPUs than this is one of collecting… */
  gcCpuShare: 0.2,
  /** …and more of them than this share of the measured ones limit the run. */
  collectingSecondsShare: 0.2,
  /** The p99 of how late the client woke, judged like the lag: so late are the stamps of chunks… */
  wakeMs: 10,
  /** …and so many seconds with a late p99 of their own: one hiccup delays many wake-ups, and is one. */
  lateSeconds: 2,
  /** From here on a wait for a slot is worth a word. */
  slotWaitMs: 1,
} as const;

type Validity = RunResult["validity"];

/** What is known about a run that can speak against it. */
export interface Evidence {
  /** Sentences about damage of the files. */
  readonly damage: readonly string[];
  /** Records of any phase, and how many of them had an answer. */
  readonly requests: number;
  readonly answered: number;
  /** Measured arrivals and the seconds in which they were due. */
  readonly offered: number;
  readonly notStarted: number;
  readonly seconds: number;
  /** Ascending, of the measured phase; empty in a closed loop. */
  readonly lagMs: Float64Array;
  readonly slotWaitMs: Float64Array;
  /** What each client says for itself. */
  readonly shards: readonly ShardEvidence[];
  /** Measured by a k6 without the extension: `lagMs` and `slotWaitMs` are empty because they are not known. */
  readonly stock: boolean;
  /** Things to be said of a run whatever its verdict. */
  readonly notes: readonly string[];
}

/** What is known about one of the clients of a run. */
export interface ShardEvidence {
  /** Of a run that is shared; absent: there is one client. */
  readonly name?: string;
  readonly requests: number;
  readonly answered: number;
  readonly lagMs: Float64Array;
  readonly client: readonly ClientLine[];
}

/** What a k6 without the extension hides. */
export const STOCK_LIMITS =
  "k6 ran without Assay's extension and saw each answer only when it was whole: first tokens, gaps between chunks, stalls and the client's own lateness were not measured, and ttfb ends with the first byte";

/** What is left to vouch for a run whose client may have been late. */
function restsOn({ shards }: Evidence): string {
  const seen = shards.every(({ client }) => client.some(({ cpu }) => cpu !== undefined));
  return `VALID rests on ${seen ? "the record and the client's CPU" : "the record alone, for the client's CPU was not measured either"}; whether the client was late could not be judged`;
}

/** The verdict of a run on itself, with reasons that say what to change. */
export function judgeValidity(evidence: Evidence): Validity {
  const damage = evidence.damage.map((problem) => `the record is damaged: ${problem}`);
  const silent = unanswered(evidence);
  const invalid = [...damage, ...(silent.length > 0 ? silent : evidence.shards.flatMap(silence))];
  const notes = [...(evidence.stock ? [STOCK_LIMITS] : []), ...evidence.notes];
  if (invalid.length > 0) return { verdict: "INVALID", reasons: [...invalid, ...notes] };
  const limited = evidence.shards.flatMap((shard) => limits(shard, evidence));
  if (limited.length > 0) return { verdict: "CLIENT-LIMITED", reasons: [...limited, ...notes] };
  const doubts = evidence.stock ? [STOCK_LIMITS, restsOn(evidence)] : [];
  const excused = [...ceiling(evidence), ...hiccups(evidence), ...naps(evidence), ...gaveUp(evidence)];
  return { verdict: "VALID", reasons: [...doubts, ...excused, ...evidence.notes] };
}

/** The verdict on one of the clients of a shared run. */
export function judgeShard(shard: ShardEvidence, evidence: Evidence): Validity["verdict"] {
  if (silence(shard).length > 0) return "INVALID";
  return limits(shard, evidence).length > 0 ? "CLIENT-LIMITED" : "VALID";
}

/** One client whose requests were never answered, where those of others were, measured nothing. */
const silence = ({ name, requests, answered }: ShardEvidence): string[] =>
  requests === 0 || answered > 0
    ? []
    : [`${of(name)}no request was ever answered (${requests} sent); check that the target can be reached from there`];

/** What limited one client. The bound of lateness is that of the whole run. */
function limits({ name, lagMs, client }: ShardEvidence, evidence: Evidence): string[] {
  const late = lateness(lagMs, lagLimit(evidence));
  return [...late, ...busy(client), ...wakes(client), ...collector(client)].map((reason) => of(name) + reason);
}

const of = (name: string | undefined): string => (name === undefined ? "" : `segment ${name}: `);

function unanswered({ requests, answered }: Evidence): string[] {
  if (requests === 0) return ["nothing was recorded: no request ended; look at the k6 log of the run"];
  if (answered > 0) return [];
  return [
    `no request was ever answered (${requests} sent); check the address of the target and that it can be reached from here`,
  ];
}

function lateness(lagMs: Float64Array, limit: number): string[] {
  const { name, perMille } = carriedQuantile(lagMs.length);
  const lag = quantile(lagMs, perMille);
  if (!(lag > limit)) return [];
  return [
    `the client was late: schedule_lag ${name} ${lag.toFixed(1)} ms, limit ${limit.toFixed(1)} ms; lower the rate, or split the load over more machines`,
  ];
}

/** Late arrivals that are too few to limit the run are still said. */
function hiccups(evidence: Evidence): string[] {
  const limit = lagLimit(evidence);
  const late = evidence.lagMs.filter((lag) => lag > limit);
  if (late.length === 0) return [];
  return [
    `${late.length} of ${evidence.lagMs.length} arrivals started more than ${limit.toFixed(1)} ms late, the worst ${(late.at(-1) ?? 0).toFixed(1)} ms`,
  ];
}

function lagLimit({ offered, seconds }: Evidence): number {
  const interArrivalMs = offered > 0 ? (seconds * 1_000) / offered : 0;
  return Math.max(LIMITS.lagMs, LIMITS.lagShareOfInterArrival * interArrivalMs);
}

/** The p99, or the highest percentile below it that so many samples carry; the median of very few. */
function carriedQuantile(count: number): (typeof QUANTILES)[number] {
  const judging = QUANTILES.filter(({ perMille }) => perMille <= 990);
  return judging.findLast(({ minSamples }) => count >= minSamples) ?? QUANTILES[0];
}

function busy(all: readonly ClientLine[]): string[] {
  const shares = measuredLines(all).flatMap(({ cpu, cpus }) =>
    cpu === undefined || cpus === undefined || cpus === 0 ? [] : [cpu / cpus],
  );
  const seconds = shares.filter((share) => share > LIMITS.cpuShare).length;
  if (seconds === 0 || seconds <= shares.length * LIMITS.busySecondsShare) return [];
  return [
    `the client's CPUs were full: above ${LIMITS.cpuShare * 100} % in ${seconds} of ${shares.length} measured seconds; lower the rate, or give the client more CPUs`,
  ];
}

function wakes(all: readonly ClientLine[]): string[] {
  const lateUs = wakesOf(all);
  const { name, perMille } = carriedQuantile(lateUs.length);
  const late = quantile(lateUs, perMille) / 1_000;
  const seconds = measuredLines(all).filter(wokeLate);
  if (!(late > LIMITS.wakeMs) || seconds.length < LIMITS.lateSeconds) return [];
  return [
    `the client woke late: wake-ups ${name} ${late.toFixed(1)} ms late, limit ${LIMITS.wakeMs} ms, and so late are its times; ${remedy(seconds)}`,
  ];
}

const wokeLate = ({ wake_p99_ms = 0 }: ClientLine): boolean => wake_p99_ms > LIMITS.wakeMs;

/** What kept a client from waking in time, as far as the system tells, and what to change. */
function remedy(late: readonly ClientLine[]): string {
  const throttled = late.reduce((sum, line) => sum + (line.throttled ?? 0), 0);
  if (throttled > 0) return `a CPU limit held it back ${throttled} times: raise the limit of its container`;
  if (late.filter(collecting).length * 2 > late.length) return "its memory was being collected: give it more";
  const waits = late.flatMap(({ run_delay_ms }) => run_delay_ms ?? []);
  const perSecond = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const seen = waits.length === 0 ? "" : ` (its threads waited ${perSecond.toFixed(0)} ms a second for a CPU)`;
  return `stop what else runs on this machine, give the client CPUs of its own${seen}, or lower the rate`;
}

/** Late wake-ups that are too few to limit the run are still said. */
function naps({ shards }: Evidence): string[] {
  const lateUs = shards.flatMap(({ client }) => [...wakesOf(client)]);
  const late = lateUs.filter((us) => us > LIMITS.wakeMs * 1_000);
  if (late.length === 0) return [];
  const worst = late.reduce((a, b) => Math.max(a, b)) / 1_000;
  return [
    `${late.length} of ${lateUs.length} wake-ups of the client were more than ${LIMITS.wakeMs} ms late, the worst ${worst.toFixed(1)} ms`,
  ];
}

/** A memory limit that could not be kept. */
const gaveUp = ({ shards }: Evidence): string[] =>
  shards.some(({ client }) => dropped(client))
    ? ["the client's memory limit was too small for it and was dropped: its collector ran freely; raise --memory-limit"]
    : [];

function collector(all: readonly ClientLine[]): string[] {
  const lines = measuredLines(all);
  const pauses = lines.flatMap(({ gc_pause_ms }) => gc_pause_ms ?? []);
  const perSecond = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
  const seconds = lines.filter(collecting).length;
  const seen = [
    ...(perSecond > LIMITS.gcPauseMsPerS
      ? [`paused for ${perSecond.toFixed(1)} ms a second, limit ${LIMITS.gcPauseMsPerS} ms`]
      : []),
    ...(seconds > lines.length * LIMITS.collectingSecondsShare
      ? [`on more than ${LIMITS.gcCpuShare * 100} % of its CPUs in ${seconds} of ${lines.length} measured seconds`]
      : []),
  ];
  if (seen.length === 0) return [];
  return [
    `the client's memory was being collected: ${seen.join("; ")}; give the client more memory, or lower the rate`,
  ];
}

const collecting = ({ gc_cpu_ms, cpus }: ClientLine): boolean =>
  gc_cpu_ms !== undefined && cpus !== undefined && gc_cpu_ms / 1_000 > cpus * LIMITS.gcCpuShare;

function ceiling({ slotWaitMs, notStarted, offered, stock }: Evidence): string[] {
  if (stock) return notStarted === 0 ? [] : [unstarted(notStarted, offered)];
  const waited = slotWaitMs.filter((wait) => wait > LIMITS.slotWaitMs).length;
  if (waited === 0 && notStarted === 0) return [];
  const longest = (slotWaitMs.at(-1) ?? 0).toFixed(0);
  return [
    `in-flight ceiling reached: ${waited} of ${offered} arrivals waited for a slot (longest ${longest} ms) and ${notStarted} never started; the target is slower than the load, or --max-in-flight is too low for it`,
  ];
}

/** A stock k6 has no queue: an arrival that finds no free user is dropped. */
const unstarted = (notStarted: number, offered: number): string =>
  `${notStarted} of ${offered} arrivals found no free user and never started; the target is slower than the load, --max-in-flight is too low for it, or the client was too slow, which could not be told`;
