/** The definitions in docs/metrics.md, made from `load/objectives/metrics.ts`; the rest of each row is written by hand. Pure. */

import { METRIC_NAMES, type Metric, metric } from "../../load/objectives/metrics.ts";

/** How the tables begin whose second column holds definitions. */
const HEAD = "| metric | definition |";
const ROW = /^(\| `(\w+)` \|)[^|]*\|/;

/**
 * The page with its definitions made anew.
 * @throws Error when a metric has no row, or more than one
 */
export function withDefinitions(page: string): string {
  const seen: string[] = [];
  let inTable = false;
  const lines = page.split("\n").map((line) => {
    inTable = line.startsWith(HEAD) || (inTable && line.startsWith("|"));
    const [, begin, name] = (inTable && ROW.exec(line)) || [];
    const known = METRIC_NAMES.find((candidate) => candidate === name);
    if (known === undefined) return line;
    seen.push(known);
    return line.replace(ROW, `${begin} ${inWords(metric(known))} |`);
  });
  const wrong = METRIC_NAMES.filter((name) => seen.filter((other) => other === name).length !== 1);
  if (wrong.length > 0) {
    throw new Error(
      `docs/metrics.md needs one row for each metric, with its formula and its figure in the example; check ${wrong.join(", ")}`,
    );
  }
  return lines.join("\n");
}

const inWords = ({ title, unit, definition }: Metric): string => `${title} (${unit}): ${definition}`;
