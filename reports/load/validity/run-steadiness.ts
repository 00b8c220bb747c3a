/** Whether the measured part of a run was steady: which latencies are looked at, and what is said of them. */

import { z } from "zod";
import type { PeriodicStalls, RunResult, RunSteadiness } from "../../../formats/run.ts";
import { formatInstant } from "../../../settings/instants.ts";
import { parseRates, steadyRate } from "../../../settings/load/rates.ts";
import { formatSeconds } from "../../numbers.ts";
import type { Database } from "../../tables/database.ts";
import type { Span } from "../metrics/span.ts";
import { allOf, MEASURED } from "../read/measured-requests.ts";
import { workloadsOf } from "../read/run-workloads.ts";
import type { Read } from "../read/shards.ts";
import { silentMoments } from "../read/silent-moments.ts";
import { classSql } from "../stats/log-histogram.ts";
import { LIMITS } from "./limits.ts";
import { periodicStallsOf } from "./periodic-stalls.ts";
import { type Steadiness, steadinessOf, type TimedLatency } from "./steadiness.ts";

/** The latencies that are looked at, in the order in which a change is named. */
const LOOKED_AT = ["ttft", "e2e"] as const;

interface Measured {
  readonly plan: RunResult["settings"];
  readonly span: Span;
  readonly interrupted: boolean;
}

/**
 * The steadiness of a run; empty where the load itself changed, the run was cut short, or its times cannot be relied on.
 * @param assessed what else is known of the run: a queue that grows is said as such
 */
export async function steadinessOfRun(
  { database, requests, shardGroups }: Pick<Read, "database" | "requests" | "shardGroups">,
  { plan, span, interrupted }: Measured,
  { validity, saturation }: Pick<RunResult, "validity" | "saturation">,
): Promise<Pick<RunResult, "steadiness" | "periodicStalls">> {
  if (interrupted || validity.verdict !== "VALID" || span.seconds < LIMITS.steadiness.seconds) return {};
  const silences = await silentMoments(database, requests, shardGroups);
  const stalls = periodicStallsOf(silences, span, requests.clocks.largest);
  const periodic = stalls && { periodicStalls: stalls };
  if (saturation !== undefined || !isConstant(plan)) return { ...periodic };
  const looked: ({ readonly metric: (typeof LOOKED_AT)[number] } & Steadiness)[] = [];
  for (const metric of LOOKED_AT) {
    const timed = await latencies(database, span, metric);
    const found = steadinessOf((take) => timed.forEach(take), span.seconds);
    if (found !== undefined) looked.push({ metric, ...found });
  }
  return looked.length === 0 ? { ...periodic } : { ...periodic, steadiness: joined(looked) };
}

/** The steady part of a run, and the change for which what came before is left out. */
export interface SteadyPart {
  readonly span: Span;
  readonly leftOut: NonNullable<RunResult["leftOut"]>;
}

/** Share of the measured time that may be left out. */
const MOST_LEFT_OUT = 0.5;

/** The part of a run since when it is steady; undefined of one that is steady, or where too little of it is. */
export function steadyPartOf({ steadiness }: Pick<RunResult, "steadiness">, span: Span): SteadyPart | undefined {
  if (steadiness === undefined || steadiness.steady) return undefined;
  const { sinceS = Number.POSITIVE_INFINITY } = steadiness;
  if (sinceS > span.seconds * MOST_LEFT_OUT) return undefined;
  const part = { ...span, from: span.from + sinceS * 1_000, seconds: span.seconds - sinceS };
  return { span: part, leftOut: { ...steadiness, until: formatInstant(part.from) } };
}

/** The first change that was found; the window is steady after the last. */
function joined(looked: readonly ({ readonly metric: "ttft" | "e2e" } & Steadiness)[]): RunSteadiness {
  const changes = looked.flatMap((each) => (each.isSteady ? [] : [each]));
  const [first] = changes;
  if (first === undefined) return { steady: true };
  const { isSteady: _, sinceS, ...rest } = first;
  const since = changes.map((change) => change.sinceS ?? Number.POSITIVE_INFINITY);
  const last = Math.max(...since);
  return { steady: false, ...rest, ...(Number.isFinite(last) && { sinceS: last }) };
}

/**
 * Latencies of about one size, one kind and one block of time as one, which are as many. Requests of one operation, workload, model
 * and turn are of a kind: those of further turns are longer.
 */
function latencies(
  database: Database,
  span: Span,
  metric: (typeof LOOKED_AT)[number],
): Promise<readonly TimedLatency[]> {
  const { blocks } = LIMITS.steadiness;
  const block = `least(greatest(floor((sent_us / 1000 - ${span.from}) / ${(span.seconds * 1_000) / blocks}), 0), ${blocks - 1})`;
  const n = z.number();
  return database.all(
    `SELECT (${block} + 0.5) * ${span.seconds / blocks} AS "atS", kind, avg(${metric}) AS ms, count(*) AS count
      FROM calls WHERE ${allOf(MEASURED, "outcome = 'ok'", `${metric} IS NOT NULL`)} GROUP BY ${block}, kind, ${classSql(`CAST(round(${metric} * 1000) AS BIGINT)`)} ORDER BY kind, 1, ms`,
    z.object({ atS: n, kind: n, ms: n, count: n }),
  );
}

/** Whether the load was the same over the measured window: neither a ramp nor steps nor a trace, in any workload. */
function isConstant(plan: RunResult["settings"]): boolean {
  const { rate, vus, arrival, rampUp = 0, warmup = 0 } = plan;
  if (arrival?.process === "trace" || rampUp > warmup) return false;
  if (vus === undefined && typeof rate !== "number") return false;
  return (workloadsOf(plan) ?? []).every(({ settings }) => {
    const own = settings?.["rate"];
    return (
      settings?.["arrival"]?.startsWith("trace") !== true &&
      settings?.["rampUp"] === undefined &&
      (own === undefined || steadyRate(parseRates(own)) !== undefined)
    );
  });
}

/** Three digits: `61.2 ms`, `4,830 ms`, `12.3 s`. */
const ms = (value: number): string =>
  value >= 10_000 ? formatSeconds(value / 1_000) : `${Number(value.toPrecision(3)).toLocaleString("en-US")} ms`;

/** `median ttft from 812 ms to 405 ms`. */
function changeInWords({ metric, form, ratio = 1, fromMs, toMs }: RunSteadiness): string {
  const change =
    fromMs !== undefined && toMs !== undefined
      ? `median ${metric} from ${ms(fromMs)} to ${ms(toMs)}`
      : `${metric} ${ratio >= 1 ? `${ratio.toFixed(2)} times as long before as afterwards` : `${(1 / ratio).toFixed(2)} times as long afterwards as before`}`;
  return form === "drift" ? `drift of ${change}` : change;
}

/**
 * `not steady: median ttft from 812 ms to 405 ms; steady since 20 s`, of the measured part; undefined of a steady run.
 * @param keptAll whether `steady-only` was to leave the rest out, and found nothing that it may
 */
export function unsteadyInWords(steadiness: RunSteadiness | undefined, keptAll = false): string | undefined {
  if (steadiness === undefined || steadiness.steady) return undefined;
  const { sinceS } = steadiness;
  const when = sinceS === undefined ? "never steady" : `steady since ${formatSeconds(sinceS)}`;
  const kept = keptAll ? "; nothing was left out: the target was not steady for the second half of the run" : "";
  return `not steady: ${changeInWords(steadiness)}; ${when}${kept}`;
}

/** What `steady-only` left out, or that it is not known what it may; `unsteadyInWords` says where the run is not steady. */
export function leftOutInWords({
  leftOut,
  steadiness,
  settings,
}: Pick<RunResult, "leftOut" | "steadiness"> & { readonly settings?: RunResult["settings"] }): string | undefined {
  if (!settings?.steadyOnly) return undefined;
  if (leftOut !== undefined) return `first ${formatSeconds(leftOut.sinceS ?? 0)} left out: ${changeInWords(leftOut)}`;
  return steadiness === undefined ? "nothing was left out: it is not known whether the run was steady" : undefined;
}

/** `streams stalled every 10 s for about 480 ms (6 times)`. */
export const periodicStallsInWords = ({ periodS, stallMs, count }: PeriodicStalls): string =>
  `streams stalled every ${formatSeconds(periodS)} for about ${ms(stallMs)} (${count} times), several at once: look for what the target does then, such as garbage collection or checkpoints`;
