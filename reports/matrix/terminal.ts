/** Several targets side by side for a terminal: what each came to, then the clauses in which they differ. */

import pc from "picocolors";
import type { ConformanceMatrix, MatrixRow } from "../../formats/conformance-matrix.ts";
import { plainLine, shorten } from "../../lib/text.ts";
import { TONES } from "../conformance/clause-groups.ts";
import { plural } from "../numbers.ts";
import { type Colours, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { blockageWords, groupRows, numbersOf, reasonsOf, verdictCounts } from "./row-groups.ts";
import { targetTone } from "./target-tones.ts";

/** Most rows of a group that are shown. */
const MOST_ROWS = 40;
const LONGEST_REASON = 160;
/** What stands in place of a verdict where a result has no such clause. */
const NONE = "–";

/** A matrix as lines of text, ending with a line end. */
export function matrixTerminal(matrix: ConformanceMatrix, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { different, blockages, shared, partly, same } = groupRows(matrix);
  return joinSections([
    [paint(conclusionTone(matrix), c)(c.bold(plainLine(matrix.conclusion)))],
    targetLines(matrix, c),
    matrix.notes.map((note) => c.yellow(plainLine(note))),
    tableLines("Different verdicts", different, matrix, c),
    blockages.map((blockage) => plainLine(blockageWords(blockage, matrix))),
    tableLines("No target passes", shared, matrix, c),
    [
      ...(partly.length === 0 ? [] : [c.dim(`${plural(partly.length, "clause")} not checked on every target`)]),
      ...(same.length === 0 ? [] : [c.dim(`Same verdict on every target: ${verdictCounts(same)}`)]),
    ],
  ]);
}

const conclusionTone = ({ exitCode }: ConformanceMatrix) => targetTone({ exitCode });

/** Each target with its number, verdict and headline. */
const targetLines = ({ targets }: ConformanceMatrix, c: Colours): string[] =>
  targets.flatMap(({ name, verdict, headline, problems, exitCode }, index) => [
    `${number(index)}  ${c.bold(plainLine(name))}  ${paint(targetTone({ exitCode }), c)(plainLine(verdict))}`,
    `   ${c.dim(plainLine(headline))}`,
    ...problems.map((problem) => `   ${c.yellow(plainLine(problem))}`),
  ]);

const number = (index: number): string => String(index + 1);

function tableLines(title: string, rows: readonly MatrixRow[], { targets }: ConformanceMatrix, c: Colours): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_ROWS);
  const widths = targets.map((_, target) =>
    Math.max(number(target).length, ...shown.map(({ cells }) => cellText(cells[target]).length)),
  );
  const width = Math.max(title.length, ...shown.map(({ id }) => plainLine(id).length));
  const head = targets.map((_, target) => number(target).padEnd(widths[target] ?? 0)).join("  ");
  const more = rows.length - shown.length;
  return [
    `${c.bold(title)}${" ".repeat(width - title.length)}  ${head.trimEnd()}`,
    ...shown.flatMap((row) => [rowLine(row, width, widths, c), ...reasonLines(row, c)]),
    ...(more > 0 ? [c.dim(`and ${more} more, in the report`)] : []),
  ];
}

const cellText = (cell: MatrixRow["cells"][number] | undefined): string => cell?.verdict ?? NONE;

function rowLine({ id, cells }: MatrixRow, width: number, widths: readonly number[], c: Colours): string {
  const name = plainLine(id);
  const written = cells.map((cell, target) => {
    const isLast = target === cells.length - 1;
    const padding = isLast ? "" : " ".repeat((widths[target] ?? 0) - cellText(cell).length);
    return `${cell === null ? NONE : paint(TONES[cell.verdict], c)(cell.verdict)}${padding}`;
  });
  return `${name}${" ".repeat(width - name.length)}  ${written.join("  ")}`;
}

const reasonLines = (row: MatrixRow, c: Colours): string[] =>
  reasonsOf(row).map(({ targets, reason }) =>
    c.dim(`  ${numbersOf(targets, row)}: ${shorten(plainLine(reason), LONGEST_REASON)}`),
  );
