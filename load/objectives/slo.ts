/** Service level objectives, as they are written. */

import { TASK_ENDS, type TaskEnd } from "../../formats/outcomes.ts";
import { modelOfPart } from "../../settings/load/models.ts";
import { didYouMean, nearest } from "../../settings/nearest.ts";
import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type Comparison, readBound } from "./bound.ts";
import { METRIC_NAMES, METRICS, type MetricName, metric, QUANTILES, type QuantileName, type Unit } from "./metrics.ts";

export type Statistic = "mean" | "min" | "max" | QuantileName;

/** Statistics as objectives are written with them: as reports print them. */
const STATISTICS: Readonly<Record<string, Statistic>> = {
  ...{ mean: "mean", min: "min", max: "max" },
  ...Object.fromEntries(QUANTILES.map(({ name, label }) => [label, name])),
};
/** The same, and as `run.json` spells them. */
const SPELLINGS: Readonly<Record<string, Statistic>> = {
  ...STATISTICS,
  ...Object.fromEntries(QUANTILES.map(({ name }) => [name, name])),
};

/** What an objective bounds: one value of a metric. */
interface Subject {
  readonly metric: MetricName;
  /** Of a distribution. */
  readonly statistic?: Statistic;
  /** The value of every request, and not a statistic of them. */
  readonly each?: true;
  /** Of the outcomes of video tasks: those that ended so. */
  readonly end?: TaskEnd;
  /** In which the bound is given. */
  readonly unit: Unit;
}

export interface Slo extends Subject {
  /** As the user wrote it. */
  readonly expr: string;
  /** The workload that it is for, or the model after `model:`; absent: the whole load. */
  readonly part?: string;
  readonly comparison: Comparison;
  /** In its unit. */
  readonly bound: number;
  /** It is to hold in windows of the measured time; absent: in all of it together. */
  readonly within?: SloWindows;
}

/** Windows in which an objective is to hold. */
export interface SloWindows {
  /** How long each is. */
  readonly windowMs: number;
  /** Share of them in which it must hold; 1: in every one. */
  readonly share: number;
}

/** Units in which a metric may be bounded, by their factor; percent divides, so that 95% is exactly 0.95. */
const SCALES: Readonly<Record<Unit, Readonly<Record<string, number>>>> = {
  ms: { ms: 1, s: 1_000, m: 60_000 },
  "1/s": { "": 1, "/s": 1 },
  share: { "": 1, "%": 100 },
  count: { "": 1 },
  items: { "": 1 },
  tokens: { "": 1 },
  cost: { "": 1 },
  bytes: { "": 1 },
};
const EXAMPLE: Readonly<Record<Unit, string>> = {
  ms: "800ms",
  "1/s": "10/s",
  share: "1%",
  count: "10",
  items: "8",
  tokens: "100",
  cost: "100",
  bytes: "1000000",
};
const USAGE = "write one such as ttft_p95<800ms, error_rate<1% or goodput>=95%";

/**
 * Reads an SLO such as `ttft_p95<800ms`, `error_rate<1%`, `icl_p99<=50ms` or `requests_per_s>10`; without a statistic,
 * `ttft<800ms` is a bound for each request. `goodput` with a share or a percentage means the share, with `/s` the rate;
 * `video_outcome_failed<5%` bounds the share of tasks that ended so, `video_outcome_failed<=2` their number. Of several
 * workloads, `chat.error_rate<1%` is for the one of that name; `model:lora-a.ok>=1` is for the arrivals of a model. After any but
 * a bound for each request, `in every 1m` or `in 95% of 10s` says in how many windows of that length it must hold.
 * @throws UsageError
 */
export function parseSlo(text: string): Slo {
  const expr = text.trim().replace(/\s+/g, " ");
  const [, condition = expr, share, time] = /^(\S.*?) in (every|\d+(?:\.\d+)?% of) (\S+)$/i.exec(expr) ?? [];
  const slo = parseCondition(condition);
  if (share === undefined || time === undefined) return slo;
  return { ...slo, expr, within: windowsOf(slo, share, time) };
}

/** Shorter windows hold too few requests. */
const SHORTEST_WINDOW_MS = 1_000;

/** @throws UsageError for windows in which the objective is not measured */
function windowsOf({ expr, each, metric: name, statistic }: Slo, words: string, time: string): SloWindows {
  const share = words.toLowerCase() === "every" ? 1 : Number.parseFloat(words) / 100;
  const refused = (reason: string): UsageError =>
    new UsageError(`"${expr} in ${words} ${time}" ${reason}; write one such as ttft_p95<800ms in every 1m`);
  if (each) throw refused("bounds each request; name a statistic");
  if (!(statistic === undefined ? IN_WINDOWS.has(name) : metric(name).ofRequest === true)) {
    throw refused(`bounds ${name}, which is measured of the whole run only`);
  }
  const windowMs = parseDuration(time);
  if (windowMs < SHORTEST_WINDOW_MS) throw refused("has windows shorter than 1s");
  if (!(share > 0 && share <= 1)) throw refused("asks for a share of windows that is not from 0% to 100%");
  return { windowMs, share };
}

/** Values of units by when these were due; rates are by when they ended. */
const IN_WINDOWS: ReadonlySet<MetricName> = new Set(["error_rate", "ok", "goodput_share"]);

/** @throws UsageError */
function parseCondition(expr: string): Slo {
  const parts = readBound(expr);
  if (parts === undefined) throw new UsageError(`"${expr}" is not an SLO; ${USAGE}`);
  const { name, comparison, amount, unit } = parts;
  const subject = subjectOf(name, unit);
  const scale = SCALES[subject.unit][unit];
  if (scale === undefined) {
    const example = `${name}${comparison}${EXAMPLE[subject.unit]}`;
    throw new UsageError(`"${expr}" bounds ${name} by "${amount}${unit}", which is not in its unit; write ${example}`);
  }
  const bound = unit === "%" ? Number(amount) / scale : Number(amount) * scale;
  if (subject.unit === "share" && bound > 1) {
    throw new UsageError(
      `"${expr}" bounds ${name} by ${bound * 100}%, and a share is at most 100%; write one such as ${name}${comparison}5%`,
    );
  }
  const { part } = parts;
  if (subject.metric === "recovery" && !comparison.startsWith("<")) {
    throw new UsageError(`"${expr}" asks for a slow recovery; write one such as recovery<30s`);
  }
  if (subject.each && part !== undefined && modelOfPart(part) !== undefined) {
    throw new UsageError(`"${expr}" bounds each request of a model; name a statistic, such as ${part}.${name}_p95`);
  }
  return { expr, ...(part && { part }), ...subject, comparison, bound };
}

/**
 * Checks that objectives can be decided: there is one, there are the workloads that they name, and goodput is defined.
 * @param workloads those of the load; undefined where it has one, without a name
 * @throws UsageError
 */
export function checkObjectives(slos: readonly Slo[], workloads: readonly Named[] | undefined): void {
  if (slos.length === 0) {
    throw new UsageError(
      "Cannot load without an objective: --set no-default-slos leaves none. Add one with --slo, such as ttft_p95<800ms.",
    );
  }
  requireWorkloads(slos, workloads);
  for (const slo of slos) {
    const { requires } = metric(slo.metric);
    const defines = (other: Slo) => other.each && (!slo.part || !other.part || other.part === slo.part);
    if (requires === undefined || slos.some(defines)) continue;
    throw new UsageError(`"${slo.expr}" is an objective on goodput, which needs ${requires}; add one`);
  }
}

interface Named {
  readonly name: string;
}

/** Checks that there are the workloads that objectives name. @throws UsageError */
export function requireWorkloads(slos: readonly Slo[], workloads: readonly Named[] | undefined): void {
  const names = workloads?.map(({ name }) => name);
  for (const slo of slos) requireWorkload(slo, names);
}

function requireWorkload({ expr, part }: Slo, names: readonly string[] | undefined): void {
  if (part === undefined || modelOfPart(part) !== undefined || names?.includes(part)) return;
  const reason =
    names === undefined
      ? `the load has one workload; write ${expr.slice(part.length + 1)}`
      : `there is no workload of that name. ${didYouMean(part, names, "Workloads")}`;
  throw new UsageError(`"${expr}" is an objective for the workload ${part}, and ${reason}`);
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);

/** The metric before the last `_`, and what follows: `ttft_p95` is the statistic p95 of ttft. */
function lastWord<T extends string>(name: string, words: readonly T[]): [MetricName, T] | undefined {
  const word = words.find((candidate) => name.endsWith(`_${candidate}`));
  const base = word === undefined ? name : name.slice(0, -word.length - 1);
  return word !== undefined && isMetric(base) ? [base, word] : undefined;
}

/**
 * What a name such as `ttft_p95` means.
 * @param unit of the bound: without `/s`, goodput is the share
 * @throws UsageError for a name that is none
 */
export function subjectOf(name: string, unit: string): Subject {
  if (name === "goodput" && unit !== "/s") return { metric: "goodput_share", unit: "share" };
  if (isMetric(name)) {
    const { kind, unit: own } = metric(name);
    if (kind === "scalar") return { metric: name, unit: own };
    if (isOfRequests(name)) return { metric: name, each: true, unit: own };
  }
  const [base, spelling = ""] = lastWord(name, Object.keys(SPELLINGS)) ?? [];
  const statistic = SPELLINGS[spelling];
  if (base !== undefined && statistic !== undefined && metric(base).kind === "distribution") {
    return { metric: base, statistic, unit: metric(base).unit };
  }
  const [outcomes, end] = lastWord(name, TASK_ENDS) ?? [];
  if (outcomes === "video_outcome" && end !== undefined) {
    return { metric: outcomes, end, unit: unit === "%" ? "share" : "count" };
  }
  throw new UsageError(unknownName(name));
}

/** Whether single requests or tasks have it, and it says something of the target. */
function isOfRequests(name: MetricName): boolean {
  const { kind, over } = metric(name);
  return kind === "distribution" && over !== "all";
}

function unknownName(name: string): string {
  const known = [...METRIC_NAMES, "recovery" as const].flatMap((metricName) => {
    const { kind } = metric(metricName);
    if (kind === "scalar") return [metricName];
    return (kind === "parts" ? TASK_ENDS : Object.keys(STATISTICS)).map((word) => `${metricName}_${word}`);
  });
  const near = nearest(name, known);
  return `There is no metric ${name} to bound${near === undefined ? "" : `; did you mean ${near}?`} (${USAGE})`;
}

/** Whether a value is within the bound. */
export const holds = (observed: number, { comparison, bound }: Pick<Slo, "comparison" | "bound">): boolean => {
  if (comparison === "<") return observed < bound;
  if (comparison === "<=") return observed <= bound;
  return comparison === ">" ? observed > bound : observed >= bound;
};

/** Whether an objective bounds its value from above. */
export const isUpper = ({ comparison }: Pick<Slo, "comparison">): boolean => comparison === "<" || comparison === "<=";

/**
 * Of an objective on a percentile, the share of the samples that may be beyond its bound: 5% of them above that of `p95<800ms`, 95%
 * of them below that of `p95>=800ms`; undefined for any other objective.
 */
export function shareBeyond(slo: Pick<Slo, "comparison" | "statistic">): number | undefined {
  const { perMille } = QUANTILES.find(({ name }) => name === slo.statistic) ?? {};
  return perMille === undefined ? undefined : (isUpper(slo) ? 1_000 - perMille : perMille) / 1_000;
}
