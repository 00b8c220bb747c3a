/** From the change of a metric to its verdict, and to whether it is worse than allowed. */

import type { ChangeVerdict, ComparedMetric } from "../../formats/compare.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { type MetricName, metric } from "../../load/objectives/metrics.ts";
import { tQuantile } from "../load/stats/students-t.ts";
import { formatNumber, formatValue, plural } from "../numbers.ts";
import type { GateData, Sides } from "./gate-data.ts";
import { type Gate, isMoreBetter, scaleOf } from "./gates.ts";
import type { Lateness } from "./side-lateness.ts";
import { detectable } from "./stats/detectable.ts";
import type { TestedChange } from "./stats/holm.ts";

/** How a metric was tested. */
export interface MetricTest {
  readonly gate: Gate;
  readonly data: GateData;
  /** Undefined where nothing could be tested. */
  readonly tested: TestedChange | undefined;
  /** The error level of the first step of the correction, at which a single change must be shown. */
  readonly firstAlpha: number;
  readonly limit: number;
  /** The largest error of a time that the load generators of both sides measured, in milliseconds. */
  readonly timingErrorMs: number;
  /** What of the change the load generators can have caused. */
  readonly lateness: Lateness;
  /** Whether to state the values of single runs. */
  readonly several: boolean;
}

type Ends = readonly [number, number];

/** What the comparison says of a metric. */
export function comparedMetric(test: MetricTest): ComparedMetric {
  const { gate, data, tested, limit } = test;
  const common = {
    name: gate.name,
    unit: metric(gate.metric).unit,
    better: isMoreBetter(gate.metric) ? ("higher" as const) : ("lower" as const),
    ...data.values,
    ...(data.bounds && openBounds(data.values, data.bounds)),
    ...(test.several && { runs: both(data.perRun) }),
    scale: scaleOf(gate.metric),
    limit,
  };
  if (tested === undefined) {
    return {
      ...common,
      ...{ change: null, interval: null, confidence: null, detectable: null },
      ...{ verdict: "too-noisy", decision: "undecided" },
      note: typeof data.change === "string" ? data.change : "not tested",
    };
  }
  const scaled = (value: number): number => (common.scale === "points" ? value : Math.expm1(value));
  const interval: Ends = [scaled(tested.interval[0]), scaled(tested.interval[1])];
  const estimate = scaled(tested.change.estimate);
  return omitUndefined<ComparedMetric>({
    ...common,
    change: tested.change.exact ? known(estimate) : null,
    interval: [known(interval[0]), known(interval[1])],
    confidence: 1 - tested.alpha,
    detectable: known(worsening(scaled(detectableOf(test, tested)), common.better)) || null,
    ...conclusionOf(test, worseningOf(interval, common.better)),
  });
}

const both = ({ base, new: next }: Sides<readonly (number | null)[]>) => ({ base: [...base], new: [...next] });

/** The bounds of the values that are not measurable. */
function openBounds(
  values: GateData["values"],
  bounds: NonNullable<GateData["bounds"]>,
): Pick<ComparedMetric, "bounds"> {
  const ofSide = (side: keyof Sides) =>
    values[side] === null && Number.isFinite(bounds[side][0])
      ? ([bounds[side][0], Number.isFinite(bounds[side][1]) ? bounds[side][1] : null] satisfies [number, number | null])
      : undefined;
  const open = omitUndefined({ base: ofSide("base"), new: ofSide("new") });
  return Object.keys(open).length === 0 ? {} : { bounds: open };
}

/** Null: not bounded by the data; of a ratio, a share of -1 is the same. */
const known = (value: number): number | null => (Number.isFinite(value) && value > -1 ? value : null);

/** How much worse a change is: positive is worse. */
const worsening = (change: number, better: ComparedMetric["better"]): number => (better === "lower" ? change : -change);

const worseningOf = ([low, high]: Ends, better: ComparedMetric["better"]): Ends =>
  better === "lower" ? [low, high] : [-high, -low];

/** The smallest worsening that is shown, on the scale of the change. */
function detectableOf({ gate, firstAlpha }: MetricTest, { change }: TestedChange): number {
  const size = detectable(change, firstAlpha);
  return isMoreBetter(gate.metric) ? -size : size;
}

type Conclusion = Pick<ComparedMetric, "verdict" | "decision" | "note">;

function conclusionOf(test: MetricTest, [least, most]: Ends): Conclusion {
  const verdict = verdictOf([least, most], test.limit);
  const decision = decisionOf([least, most], test.limit);
  if ((verdict === "better" || verdict === "worse") && largestMs(test, [least, most]) < test.timingErrorMs) {
    return {
      verdict: "too-noisy",
      decision: decision === "allowed" ? "allowed" : "undecided",
      note: `the change is smaller than the wake-up latency of the load generator, ${formatValue(test.timingErrorMs, "ms")}`,
    };
  }
  const possible = withLateness(test, [least, most]);
  const surely = { verdict: verdictOf(possible, test.limit), decision: decisionOf(possible, test.limit) };
  if (surely.verdict !== verdict || surely.decision !== decision) return { ...surely, note: ofLateness(test) };
  const note = decision === "undecided" ? whatWouldTell(test, [least, most]) : undefined;
  return { verdict, decision, ...(note !== undefined && { note }) };
}

const decisionOf = ([least, most]: Ends, limit: number): ComparedMetric["decision"] =>
  least > limit ? "regression" : most <= limit ? "allowed" : "undecided";

/** How much worse the metric can truly be, if the load generators were as late as they can have been. */
function withLateness({ gate, data, lateness }: MetricTest, [least, most]: Ends): Ends {
  const scale = scaleOf(gate.metric) === "points" ? 1 : data.values.base || Number.POSITIVE_INFINITY;
  const { above, below } = lateness;
  const [tooBad, tooGood] = isMoreBetter(gate.metric) ? [below, above] : [above, below];
  return [least - tooBad / scale, most + tooGood / scale];
}

/** `the load generators can have caused up to 2.3 ms of the change: one of them was later than the other, or did not run`. */
function ofLateness({ gate, lateness: { above, below } }: MetricTest): string {
  const amount = formatValue(Math.max(above, below), metric(gate.metric).unit);
  return `the load generators can have caused up to ${amount} of the change: one of them was later than the other, or did not run`;
}

/** The largest change in milliseconds that the data allows, which takes the largest value that the base can have; infinite of what is no time. */
function largestMs({ gate, data }: MetricTest, [least, most]: Ends): number {
  if (metric(gate.metric).unit !== "ms") return Number.POSITIVE_INFINITY;
  const base = data.values.base ?? data.bounds?.base[1] ?? Number.POSITIVE_INFINITY;
  return Math.max(Math.abs(least), Math.abs(most)) * base;
}

/** Fewer independent values than this say little, however many samples there are. */
const FEW_INDEPENDENT = 8;

function drift({ tested, several }: MetricTest): string | undefined {
  const freedom = tested?.change.error.freedom ?? Number.POSITIVE_INFINITY;
  if (several || freedom >= FEW_INDEPENDENT) return undefined;
  return `latency drifts during the run, which leaves ${plural(Math.round(freedom) + 1, "independent value")}; make runs longer`;
}

/** What would decide a metric that is undecided, in a sentence without its end. */
const whatWouldTell = (test: MetricTest, worsening: Ends): string | undefined =>
  test.several ? moreRuns(test) : (drift(test) ?? moreData(worsening, test.limit));

/** Nobody is told to repeat a load more often than this. */
const MOST_RUNS = 50;

/** The spread between runs shrinks with the square root of their number, and its factor, Student's t, with their freedom. */
function moreRuns({ data, gate, limit, tested }: MetricTest): string | undefined {
  if (tested === undefined) return undefined;
  const { alpha, change, interval } = tested;
  const factor = (freedom: number) => tQuantile(1 - alpha / 2, Math.max(1, freedom));
  const [low, high] = interval;
  const allowed = scaleOf(gate.metric) === "points" ? limit : Math.log1p(limit);
  const variance = ({ base, new: next }: Sides<number>) => 1 / base + 1 / next;
  const now = variance({ base: data.perRun.base.length, new: data.perRun.new.length });
  const halfWith = (runs: number) =>
    ((high - low) / 2) *
    Math.sqrt(variance({ base: runs, new: runs }) / now) *
    (factor(2 * runs - 2) / factor(change.error.freedom));
  for (let runs = Math.max(data.perRun.base.length, data.perRun.new.length) + 1; runs <= MOST_RUNS; runs += 1) {
    if (halfWith(runs) <= allowed) return `about ${runs} runs on each side would tell, if they differ as these do`;
  }
  return `runs of a side differ so much that ${MOST_RUNS} would not tell; make them longer, or find out why they differ`;
}

/** Nobody measures for more times as long as this. */
const MOST_TIMES = 100;

/** The interval shrinks with the square root of the data. */
function moreData([least, most]: Ends, limit: number): string | undefined {
  const times = Math.ceil(((most - least) / 2 / limit) ** 2);
  if (!Number.isFinite(times) || times <= 1) return undefined;
  return times > MOST_TIMES
    ? "one run per side cannot tell: repeat both (--repeat 5), or make the target steadier"
    : `needs about ${formatNumber(times)} times more data`;
}

function verdictOf([least, most]: Ends, limit: number): ChangeVerdict {
  if (least > 0) return "worse";
  if (most < 0) return "better";
  return least >= -limit && most <= limit ? "same" : "too-noisy";
}

/** Whether a metric needs the timing of the load generator. */
export const dependsOnTiming = (name: MetricName): boolean => metric(name).independentOfTiming !== true;
