/** What the target told of itself, as rows and sentences. */

import type { RunResult, TargetSeries } from "../../../formats/run.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";
import { ROLES } from "../metrics/known-series.ts";
import type { Table } from "./breakdown-tables.ts";

/** What the figures are of. */
export const TARGET_BASIS = "Reported by the target, sampled while the load ran, with warm-up and drain.";

/** A row per series; undefined when nothing was read. */
export function targetTable({ targetMetrics }: RunResult): Table | undefined {
  if (targetMetrics === undefined) return undefined;
  const rows = targetMetrics.flatMap(({ source, series }) =>
    series.map((each) => [
      titleOf(each),
      source,
      formatNumber(each.count),
      figureOf(each, each.mean),
      figureOf(each, each.max),
      `${each.maxAtS.toFixed(0)} s`,
    ]),
  );
  return rows.length === 0 ? undefined : { head: ["target metric", "source", "n", "mean", "max", "at"], rows };
}

/** A line per source with its maxima, such as `target h:8000: waiting requests max 12 at 18 s, cache usage max 93%`. */
export const targetLines = ({ targetMetrics = [] }: RunResult): string[] =>
  targetMetrics.flatMap(({ source, series }) => {
    const maxima = series
      .filter(({ role }) => role !== undefined)
      .map(
        (each) =>
          `${titleOf(each)} max ${figureOf(each, each.max)}${each.max > 0 ? ` at ${each.maxAtS.toFixed(0)} s` : ""}`,
      );
    return maxima.length === 0 ? [] : [`target ${source}: ${maxima.join(", ")}`];
  });

/** What could not be read. */
export const targetRemarks = ({ targetMetrics = [] }: RunResult): string[] =>
  targetMetrics.flatMap(({ source, readings, failures, reason, dropped, series }) => [
    ...(failures > 0
      ? [
          `target ${source}: ${formatNumber(failures)} of ${plural(readings, "reading")} of its metrics failed: ${reason ?? "no reason"}`,
        ]
      : []),
    ...(failures < readings && series.length === 0
      ? [`target ${source}: none of its metrics is known; name them with --set scrape-series`]
      : []),
    ...(dropped === undefined ? [] : [`target ${source}: ${formatNumber(dropped)} series beyond those that are kept`]),
  ]);

const titleOf = ({ role, name }: TargetSeries): string => (role === undefined ? name : ROLES[role].title);

const figureOf = ({ role }: TargetSeries, value: number): string =>
  role !== undefined && ROLES[role].unit === "share" ? formatShare(value) : formatNumber(round(value));

/** To four digits. */
const round = (value: number): number => Number(value.toPrecision(4));
