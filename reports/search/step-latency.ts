/** The latency that represents a run of a search, and the statistic of it that is drawn and listed. Pure. */

import type { RunResult } from "../../formats/run.ts";
import type { SearchResult, SearchStep } from "../../formats/search.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { QUANTILES } from "../../load/objectives/metrics.ts";
import { parseSlo, type Slo, type Statistic } from "../../load/objectives/slo.ts";
import { headlineOf } from "../load/views/table-rows.ts";

type Latency = NonNullable<SearchStep["latency"]>;

/** Statistics of each run, whatever the objectives name. */
const ALWAYS = ["p50", "p95", "p99"] as const;

/** As reports print them: `p99.9`. */
const labelOf = (statistic: Statistic): string => QUANTILES.find(({ name }) => name === statistic)?.label ?? statistic;

/** The latency of the first objective on a statistic of one of the whole load, or else the one that represents any run. */
export function stepLatency({ slos, metrics }: Pick<RunResult, "slos" | "metrics">): Latency | undefined {
  const named = slos.map(({ expr }) => parseSlo(expr)).find((slo) => isOfLatency(slo) && metrics[slo.metric]);
  const shown = named === undefined ? headlineOf(metrics) : { name: named.metric, result: metrics[named.metric] };
  if (shown?.result === undefined) return undefined;
  const { name, result } = shown;
  const statistic = named?.statistic;
  const figures = Object.fromEntries(
    [...ALWAYS, ...(statistic ? [statistic] : [])].map((each) => [each, result[each]]),
  );
  return omitUndefined<Latency>({ name, statistic, ...figures });
}

const isOfLatency = ({ unit, statistic, part }: Slo): boolean =>
  unit === "ms" && statistic !== undefined && part === undefined;

/** The latency that a search draws and lists. */
export interface ShownLatency {
  readonly name: string;
  readonly statistic: Statistic;
  /** As reports print it: `p90`. */
  readonly label: string;
}

/** By the last run, since one user alone has no latency from a scheduled start; undefined when no run has any. */
export function shownLatency({ steps }: Pick<SearchResult, "steps">): ShownLatency | undefined {
  const { name, statistic = "p95" } = steps.findLast(({ latency }) => latency !== undefined)?.latency ?? {};
  return name === undefined ? undefined : { name, statistic, label: labelOf(statistic) };
}

/** The figure of one run: of the statistic that is shown, or of its median where it has too few samples for that. */
export function shownFigure(
  { latency }: Pick<SearchStep, "latency">,
  statistic: Statistic,
): { readonly ms: number; readonly label: string } | undefined {
  for (const each of [statistic, "p50"] as const) {
    const ms = latency?.[each];
    if (ms !== undefined) return { ms, label: labelOf(each) };
  }
  return undefined;
}

/** The statistics that tables list, with the one that is shown among them. */
export function listedStatistics(
  search: Pick<SearchResult, "steps">,
): readonly { statistic: Statistic; label: string }[] {
  const shown = shownLatency(search)?.statistic ?? "p95";
  const all: readonly Statistic[] = ALWAYS.some((each) => each === shown) ? ALWAYS : [...ALWAYS, shown];
  const order: readonly Statistic[] = ["min", "mean", ...QUANTILES.map(({ name }) => name), "max"];
  return order.filter((each) => all.includes(each)).map((statistic) => ({ statistic, label: labelOf(statistic) }));
}
