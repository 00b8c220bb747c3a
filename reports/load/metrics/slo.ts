/** Service level objectives: how they are written, and whether a run meets them. */

import type { RequestRecord } from "../../../formats/records.ts";
import type { MetricResult, SloResult } from "../../../formats/run.ts";
import { contentUs, METRIC_NAMES, METRICS, type MetricName, metric, type Unit } from "../../../scenarios/metrics.ts";
import { type Comparison, longestAllowedUs, readBound } from "../../../settings/bound.ts";
import { nearest } from "../../../settings/nearest.ts";
import { UsageError } from "../../../settings/usage-error.ts";
import { formatError } from "../../numbers.ts";
import { nearestRank, QUANTILES, type QuantileName } from "../stats/quantiles.ts";

type Statistic = "mean" | "min" | "max" | QuantileName;

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

export interface Slo {
  /** As the user wrote it. */
  readonly expr: string;
  readonly metric: MetricName;
  /** Absent for a metric with one value. */
  readonly statistic?: Statistic;
  readonly comparison: Comparison;
  /** In the metric's unit. */
  readonly bound: number;
}

/** Units in which a metric may be bounded, by their factor; percent divides, so that 95% is exactly 0.95. */
const SCALES: Readonly<Record<Unit, Readonly<Record<string, number>>>> = {
  ms: { ms: 1, s: 1_000, m: 60_000 },
  "1/s": { "": 1, "/s": 1 },
  share: { "": 1, "%": 100 },
  count: { "": 1 },
  items: { "": 1 },
  tokens: { "": 1 },
};
const EXAMPLE: Readonly<Record<Unit, string>> = {
  ms: "800ms",
  "1/s": "10/s",
  share: "1%",
  count: "10",
  items: "8",
  tokens: "100",
};
const USAGE = "write one such as ttft_p95<800ms, error_rate<1% or goodput>=0.95";

/**
 * Reads an SLO such as `ttft_p95<800ms`, `error_rate<1%`, `goodput>=0.95`, `icl_p99<=50ms` or `requests_per_s>10`.
 * `goodput` with a share or a percentage means the share, with `/s` the rate.
 * @throws UsageError
 */
export function parseSlo(text: string): Slo {
  const expr = text.trim();
  const parts = readBound(expr);
  if (parts === undefined) throw new UsageError(`"${expr}" is not an SLO; ${USAGE}`);
  const { name, comparison, amount, unit } = parts;
  const subject = subjectOf(name, unit);
  const scale = SCALES[metric(subject.metric).unit][unit];
  if (scale === undefined) {
    const example = `${name}${comparison}${EXAMPLE[metric(subject.metric).unit]}`;
    throw new UsageError(`"${expr}" bounds ${name} by "${amount}${unit}", which is not in its unit; write ${example}`);
  }
  const bound = unit === "%" ? Number(amount) / scale : Number(amount) * scale;
  if (metric(subject.metric).unit === "share" && bound > 1) {
    throw new UsageError(
      `"${expr}" bounds ${name} by ${bound * 100}%, and a share is at most 100%; write one such as ${name}${comparison}5%`,
    );
  }
  return { expr, ...subject, comparison, bound };
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);

function subjectOf(name: string, unit: string): Pick<Slo, "metric" | "statistic"> {
  if (name === "goodput" && unit !== "/s") return { metric: "goodput_share" };
  if (isMetric(name)) {
    if (metric(name).kind === "scalar") return { metric: name };
    if (metric(name).kind === "distribution") {
      throw new UsageError(
        `${name} has many values; choose one, such as ${name}_p95 (${Object.keys(STATISTICS).join(", ")})`,
      );
    }
  }
  const spelling = Object.keys(SPELLINGS).find((candidate) => name.endsWith(`_${candidate}`)) ?? "";
  const statistic = SPELLINGS[spelling];
  const base = name.slice(0, -spelling.length - 1);
  if (statistic !== undefined && isMetric(base) && metric(base).kind === "distribution") {
    return { metric: base, statistic };
  }
  throw new UsageError(unknownName(name));
}

function unknownName(name: string): string {
  const known = METRIC_NAMES.flatMap((metricName) => {
    if (metric(metricName).kind === "scalar") return [metricName];
    if (metric(metricName).kind === "parts") return [];
    return Object.keys(STATISTICS).map((statistic) => `${metricName}_${statistic}`);
  });
  const near = nearest(name, known);
  return `There is no metric ${name} to bound${near === undefined ? "" : `; did you mean ${near}?`} (${USAGE})`;
}

const holds = (observed: number, { comparison, bound }: Slo): boolean => {
  if (comparison === "<") return observed < bound;
  if (comparison === "<=") return observed <= bound;
  return comparison === ">" ? observed > bound : observed >= bound;
};

/** Compares an SLO with the metrics of a run. */
export function evaluateSlo(slo: Slo, metrics: Readonly<Record<string, MetricResult>>): SloResult {
  const { expr } = slo;
  const result = metrics[slo.metric];
  if (result === undefined) return { expr, observed: null, ok: null, note: `${slo.metric} was not measured` };
  const observed = result[slo.statistic ?? "value"];
  if (observed === undefined) {
    const needed = QUANTILES.find(({ name }) => name === slo.statistic)?.minSamples;
    const { requests, count } = result;
    const note = requests === undefined ? `too few samples: ${count}` : `too few requests with gaps: ${requests}`;
    return { expr, observed: null, ok: null, note: `${note} of ${needed}` };
  }
  const ok = holds(observed, slo);
  if (result.error === undefined || isExact(slo.statistic)) return { expr, observed, ok };
  const either = [1 - result.error, 1 + result.error].some((factor) => holds(observed * factor, slo) !== ok);
  return { expr, observed, ok: either ? null : ok, note: `${formatError(result.error)}${either ? TOO_NEAR : ""}` };
}

/** The extremes of a histogram are kept as they were. */
const isExact = (statistic: Statistic | undefined): boolean => statistic === "min" || statistic === "max";
const TOO_NEAR = ", too close to the bound to decide; record all gaps with --records full";

/**
 * Says whether one ok request met the bounds of all upper latency SLOs, as goodput asks; undefined when its record does
 * not tell. The bound of a percentile applies to the request's own value; for `icl`, to the same percentile (or mean) of
 * the request's own gaps. A request without the metric meets the bound.
 */
export function meetsBounds(record: RequestRecord, slos: readonly Slo[]): boolean | undefined {
  let met: boolean | undefined = true;
  for (const slo of slos) {
    const { unit, over } = metric(slo.metric);
    if (unit !== "ms" || over === "all" || !isUpper(slo)) continue;
    const ok = slo.metric === "icl" ? gapsMeet(record, slo) : valueMeets(metric(slo.metric).of?.(record), slo);
    if (ok === false) return false;
    if (ok === undefined) met = undefined;
  }
  return met;
}

type UpperSlo = Slo & { readonly comparison: "<" | "<=" };
const isUpper = (slo: Slo): slo is UpperSlo => slo.comparison === "<" || slo.comparison === "<=";
const valueMeets = (value: number | undefined, slo: Slo): boolean => value === undefined || holds(value, slo);

function gapsMeet(record: RequestRecord, slo: UpperSlo): boolean | undefined {
  const { gaps_us, gaps_over_us, chunks = 0 } = record;
  const count = gaps_us?.length ?? chunks - 1;
  if (count < 1 || (gaps_us === undefined && gaps_over_us === undefined)) return true;
  if (slo.statistic === "mean") return valueMeets((contentUs(record) ?? Number.NaN) / count / 1_000, slo);
  const rank = ownRank(count, slo.statistic);
  if (gaps_us !== undefined) return valueMeets((Float64Array.from(gaps_us).sort()[rank - 1] ?? 0) / 1_000, slo);
  const longer = gaps_over_us?.[longestAllowedUs(slo.comparison, slo.bound)];
  return longer === undefined ? undefined : longer <= count - rank;
}

function ownRank(count: number, statistic: Statistic | undefined): number {
  if (statistic === "min") return 1;
  return nearestRank(count, QUANTILES.find(({ name }) => name === statistic)?.perMille ?? 1_000);
}
