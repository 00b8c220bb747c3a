/** From a result to its line in a history. Pure: the same line for the same result. */

import { createHash } from "node:crypto";
import type { ConformanceResult } from "../../formats/conformance.ts";
import type { ConformanceLine, LoadLine, TrendValue } from "../../formats/history.ts";
import type { RunResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { metric, QUANTILES } from "../../load/objectives/metrics.ts";
import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { modelOfPart } from "../../settings/load/models.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type Gate, isMoreBetter, usualGates } from "../compare/gates.ts";
import { usabilityOf } from "../compare/usable-runs.ts";
import { conformanceVerdict, runVerdict } from "../verdict-words.ts";
import { intervalOf, type ValueOf } from "./value-interval.ts";

/** The same for the same run, however often its reports are regenerated. */
const idOf = (...parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);

/** The line of a load. */
export function lineOfLoad(run: RunResult): LoadLine {
  const { startedAt, target, scenario, tool, settings, exitCode, conclusion, client } = run;
  return {
    kind: "load",
    schema: "assay.history/1",
    id: idOf("load", startedAt, target, scenario, run.seed, run.counts.offered),
    ...{ startedAt, tool, target, title: scenario, about: run.shape },
    ...labelsOf(settings),
    ...{ exitCode, verdict: runVerdict(run).word, conclusion },
    settings,
    validity: run.validity.verdict,
    machine: omitUndefined({ k6: run.k6, cpus: client.cpus, errorMs: client.wakeP99Ms, generators: run.segments }),
    objectives: run.slos.filter(({ criterion }) => criterion !== true).map(({ expr, ok }) => ({ expr, ok })),
    values: valuesOf(run),
  };
}

/** The line of a conformance run, or of traffic that was checked. */
export function lineOfConformance(result: ConformanceResult): ConformanceLine {
  const { startedAt, target, tool, settings, exitCode, conclusion, headline, clauses, traffic, summary } = result;
  const title = traffic === undefined ? "conformance" : "traffic";
  const withVerdict = (verdict: string) => clauses.filter((clause) => clause.verdict === verdict).map(({ id }) => id);
  return {
    kind: "conformance",
    schema: "assay.history/1",
    id: idOf(title, startedAt, target, clauses.filter(({ selected }) => selected).length),
    ...{ startedAt, tool, target, title, about: headline },
    ...labelsOf(settings),
    ...{ exitCode, verdict: conformanceVerdict(result).word, conclusion, settings },
    failed: withVerdict("FAIL"),
    warned: withVerdict("WARN"),
    verified: summary.required.verified,
    required: summary.required.total,
  };
}

const labelsOf = ({ name, tag }: { readonly name?: string | undefined; readonly tag?: LoadLine["tags"] }) =>
  omitUndefined({ name, tags: tag });

/** The values of the objectives first, then those that a comparison would look at, each once, and the cost. */
function valuesOf(run: RunResult): TrendValue[] {
  const usable = usabilityOf([{ folder: "", run }]);
  const isUsable = ({ metric: name }: ValueOf): boolean =>
    usable.nothing.length === 0 && (usable.timing.length === 0 || metric(name).independentOfTiming === true);
  const gates = usualGates((name) => run.metrics[name] !== undefined).flatMap((gate) => ofGate(run, gate));
  const all = [...run.slos.flatMap((slo) => ofObjective(run, slo)), ...gates];
  const values = [...new Map(all.map((each) => [each.name, each])).values()].map(
    ({ name, better, value, of, isWhole }): TrendValue => {
      const interval = isWhole ? intervalOf(run, value, of) : undefined;
      return {
        ...{ name, unit: of.unit, better, value },
        ...(interval && { interval: [...interval] }),
        ...(!isUsable(of) && { unusable: true as const }),
      };
    },
  );
  return [...values, ...costOf(run)];
}

const costOf = ({ cost }: RunResult): TrendValue[] =>
  cost?.perOk === undefined
    ? []
    : [{ name: "cost_per_ok", unit: cost.currency ?? "cost", better: "lower", value: cost.perOk }];

interface Found extends Pick<TrendValue, "name" | "better" | "value"> {
  readonly of: ValueOf;
  /** Of the whole load, and not of a workload or a model. */
  readonly isWhole: boolean;
}

/** What an objective observed; nothing where it is undecided, bounds each request or holds in windows. */
function ofObjective(run: RunResult, { expr, observed, criterion }: RunResult["slos"][number]): Found[] {
  const slo = objectiveOf(expr);
  if (slo === undefined || slo.each || slo.within || observed === null || criterion === true) return [];
  const { metric: name, unit, statistic, part, comparison } = slo;
  const quantile = QUANTILES.find((each) => each.name === statistic);
  return [
    {
      name: subjectIn(expr),
      better: comparison.startsWith("<") ? "lower" : "higher",
      value: observed,
      of: { metric: name, unit, statistic, quantile },
      isWhole: part === undefined || (modelOfPart(part) === undefined && run.parts === undefined),
    },
  ];
}

/** The name of what an objective bounds, with its workload. */
export const subjectIn = (expr: string): string => expr.replace(/\s*[<>]=?[^<>]*$/, "").trim();

/** An objective of a result, which another version may have written; undefined for one that is not known here. */
export function objectiveOf(expr: string): Slo | undefined {
  try {
    return parseSlo(expr);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function ofGate(run: RunResult, { name, metric: of, quantile }: Gate): Found[] {
  const value = exactValue(run.metrics[of], quantile?.name);
  if (value === undefined) return [];
  const better = isMoreBetter(of) ? "higher" : "lower";
  return [
    {
      name,
      better,
      value,
      of: { metric: of, unit: metric(of).unit, statistic: quantile?.name, quantile },
      isWhole: true,
    },
  ];
}

/** A value that is known exactly. */
function exactValue(
  result: MetricResult | undefined,
  statistic: keyof NonNullable<MetricResult["atLeast"]> | undefined,
) {
  if (statistic === undefined) return result?.value;
  return result?.atLeast?.[statistic] === undefined ? result?.[statistic] : undefined;
}
