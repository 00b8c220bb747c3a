/** A history as lines of text: the last result of each series, and where metrics changed. */

import pc from "picocolors";
import { plainLine } from "../../lib/text.ts";
import { formatDay } from "../numbers.ts";
import { columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import type { History } from "./build-history.ts";
import { changeRow, historyTitle, toneOf } from "./history-rows.ts";

/** More changes are on the page. */
const MOST_CHANGES = 10;

/** A history for a terminal, ending with a line end. */
export function historyTerminal({ summary, series }: History, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const rows = series.flatMap(({ name, points }) => {
    const last = points.at(-1)?.line;
    if (last === undefined) return [];
    const cells = [`  ${name}`, `${points.length}`, formatDay(last.startedAt), last.verdict, last.conclusion];
    return [{ cells: cells.map(plainLine), tone: toneOf(last) }];
  });
  const [head = "", ...lines] = columns(
    [["  ", "results", "last", "verdict", ""], ...rows.map(({ cells }) => cells)],
    new Set([1]),
  );
  const changes = columns(
    summary.changes.slice(0, MOST_CHANGES).map((each) => changeRow(each).cells.map(plainLine)),
  ).map((line, index) => paint(summary.changes[index]?.verdict === "worse" ? "bad" : "good", c)(`  ${line}`));
  const more = summary.changes.length - changes.length;
  return joinSections([
    [c.bold(historyTitle(summary))],
    [c.dim(head), ...lines.map((line, index) => paint(rows[index]?.tone ?? "none", c)(line))],
    [
      ...(changes.length === 0 ? [c.dim("  no lasting change of a metric")] : changes),
      ...(more > 0 ? [c.dim(`  ${more} more on the page`)] : []),
    ],
    summary.unreadable.map((line) => `  ${plainLine(line)}`),
  ]);
}
