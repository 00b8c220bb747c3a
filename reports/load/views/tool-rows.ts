/** What other tools would have printed, as rows of text: each figure beside Assay's, and why it differs. */

import type { RunResult } from "../../../formats/run.ts";
import type { ToolFigure, ToolResult } from "../../../formats/run-tools.ts";
import { METRIC_NAMES, metric } from "../../../load/objectives/metrics.ts";
import { formatFigure, formatNumber, formatValue, plural } from "../../numbers.ts";
import { ourFigures } from "../metrics/request-metrics.ts";
import type { Table } from "./breakdown-tables.ts";
import { figureOf, NOT_MEASURED } from "./table-rows.ts";

export const TOOLS_TITLE = "As other tools print it";
export const TOOLS_BASIS =
  "What each tool would have printed for the same streamed chats, by the definitions in the version that is named.";

const COLUMNS = ["mean", "p50", "p95", "p99"] as const;

/** A row per figure, those of one metric together, Assay's first; undefined of a report without `--as`. */
export function toolTable(run: RunResult): Table | undefined {
  const { tools } = run;
  if (tools === undefined) return undefined;
  const ours = ourFigures(run);
  const rows = METRIC_NAMES.flatMap((name) => {
    const theirs = tools.flatMap((tool) =>
      tool.figures.filter((figure) => figure.metric === name).map((figure) => [label(tool, figure), ...cells(figure)]),
    );
    const { title } = metric(name);
    const own = ours[name];
    const row = own?.value === undefined ? COLUMNS.map((figure) => ownCell(own, figure)) : single(own.value, own.unit);
    return theirs.length === 0 ? [] : [[`Assay: ${title}`, ...row], ...theirs];
  });
  return { head: ["figure", ...COLUMNS.map((name) => (name === "p99" ? "p99 (ms)" : name))], rows };
}

const ownCell = (result: RunResult["metrics"][string] | undefined, figure: (typeof COLUMNS)[number]): string =>
  result === undefined ? NOT_MEASURED : figureOf(result, figure);

const label = ({ tool, version }: ToolResult, { name }: ToolFigure): string => `${tool} ${version}: ${name}`;

function cells({ unknown, value, unit, ...figures }: ToolFigure): string[] {
  if (unknown !== undefined) return ["unknown", "", "", ""];
  if (value !== undefined) return single(value, unit);
  return COLUMNS.map((name) => (figures[name] === undefined ? "" : formatFigure(figures[name])));
}

const single = (value: number, unit: string): string[] => [formatValue(value, unit), "", "", ""];

/** Why figures differ, a sentence for each figure, and what they assume; empty of a report without `--as`. */
export const toolReasons = ({ tools = [] }: RunResult): readonly string[] =>
  tools.flatMap((tool) => [
    `${tool.tool} ${tool.version}: counts ${plural(tool.successful, "request")} as successful and ${formatNumber(tool.failed)} as failed. ${tool.notes.join(" ")}`,
    ...tool.figures.map((figure) => `${label(tool, figure)}: ${reasonOf(figure)}.`),
  ]);

function reasonOf({ unknown, causes, unit }: ToolFigure): string {
  if (unknown !== undefined) return `not known, because ${unknown}`;
  if (causes.length === 0) return "by the same definition";
  return causes
    .map(({ text, statistic, change }) =>
      statistic === undefined || change === undefined
        ? text
        : `${text} (${statistic === "value" ? "" : `${statistic} `}${signed(change, unit)})`,
    )
    .join("; ");
}

const signed = (change: number, unit: string): string =>
  `${change < 0 ? "−" : "+"}${formatValue(Math.abs(change), unit)}`;
