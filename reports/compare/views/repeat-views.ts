/** The spread between the runs of a repeated load, for a terminal and for its page. */

import pc from "picocolors";
import type { RepeatResult } from "../../../formats/repeat.ts";
import { plainLine } from "../../../lib/text.ts";
import { formatValue } from "../../numbers.ts";
import { type Html, html, htmlTable } from "../../page/html-template.ts";
import { columns, joinSections, paint, type TerminalOptions } from "../../terminal-text.ts";
import { runVerdict } from "../../verdict-words.ts";
import { formatChange } from "../change-text.ts";

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function spreadTable({ metrics, runs }: RepeatResult): Table {
  return {
    head: ["", "median", "min", "max", "range", ...runs.map(({ dir }) => dir)],
    rows: metrics.map(({ name, unit, values, median, min, max }) => {
      const text = (value: number | null) => (value === null ? "-" : formatValue(value, unit));
      const range =
        min === null || max === null || !median
          ? "-"
          : formatChange(
              unit === "share" ? max - min : (max - min) / median,
              unit === "share" ? "points" : "relative",
              false,
            );
      return [name, text(median), text(min), text(max), range, ...values.map(text)];
    }),
  };
}

const RANGE = "range: from min to max, in percent of the median; only runs that are VALID and whole count";

/** A repetition as lines of text, ending with a line end. */
export function repeatTerminal(result: RepeatResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(result);
  const { head, rows } = spreadTable(result);
  const right = new Set(head.map((_, index) => index).slice(1));
  const [first = "", ...lines] = columns(
    [head, ...rows].map(([name = "", ...cells]) => [`  ${name}`, ...cells]),
    right,
  );
  const seeds = result.runs.map(({ dir, seed }) => `${dir} seed ${seed ?? "unknown"}`).join(", ");
  return joinSections([
    [`${paint(tone, c)(c.bold(word))}  ${plainLine(result.conclusion)}`],
    [c.dim(first), ...lines, c.dim(`  ${RANGE}`), c.dim(`  ${seeds}`)],
  ]);
}

/** The same as a part of a page. */
export function repeatSection(result: RepeatResult): Html {
  const { head, rows } = spreadTable(result);
  return html`<h2>Spread between the runs</h2>
<section class="card">${htmlTable(head, rows, "numbers")}<p class="dim">${RANGE}</p></section>`;
}
