/** A comparison for a terminal: the verdict first, then the metrics, then what to know. */

import pc from "picocolors";
import type { CompareResult } from "../../../formats/compare.ts";
import { plainLine } from "../../../lib/text.ts";
import { type Colours, columns, joinSections, paint, type TerminalOptions } from "../../terminal-text.ts";
import {
  COMPARISON_COLUMNS,
  comparisonFacts,
  comparisonRow,
  comparisonVerdict,
  INTERVALS,
  runRows,
} from "./comparison-rows.ts";

/** A comparison as lines of text, ending with a line end. */
export function compareTerminal(result: CompareResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = comparisonVerdict(result);
  return joinSections([
    [`${paint(tone, c)(c.bold(word))}  ${plainLine(result.conclusion)}`],
    columns(comparisonFacts(result).map(([name, text]) => [`  ${name}`, plainLine(text)])).map((line) => c.dim(line)),
    metricLines(result, c),
    runLines(result, c),
    result.notes.map((note) => c.dim(`  note: ${plainLine(note)}`)),
  ]);
}

function metricLines({ metrics }: CompareResult, c: Colours): string[] {
  if (metrics.length === 0) return [];
  const rows = metrics.map(comparisonRow);
  const right = new Set([1, 2, 3, 4, 5, 6]);
  const [head = "", ...lines] = columns(
    [["  ", ...COMPARISON_COLUMNS], ...rows.map(({ name, cells }) => [`  ${name}`, ...cells])],
    right,
  );
  const painted = lines.map((line, index) => {
    const { verdict, tone } = rows[index] ?? { verdict: "", tone: "none" as const };
    return `${line.slice(0, line.length - verdict.length)}${paint(tone, c)(verdict)}`;
  });
  const notes = rows.flatMap(({ name, note }) => (note === undefined ? [] : [c.dim(`  ${name}: ${note}`)]));
  return [c.dim(head), ...painted, ...notes, c.dim(`  ${INTERVALS}`)];
}

function runLines(result: CompareResult, c: Colours): string[] {
  const rows = runRows(result);
  if (rows.length === 0) return [];
  const [head = "", ...lines] = columns([
    ["  ", "base, each run", "new, each run"],
    ...rows.map(([name, base, next]) => [`  ${name}`, base, next]),
  ]);
  return [c.dim(head), ...lines];
}
