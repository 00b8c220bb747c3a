/** The catalogue of the mock as a page of Markdown: every timing, freedom and fault. */

import { TIMINGS } from "./timing/timings.ts";
import type { Fault, Variant } from "./variants/variant.ts";

const CONDITIONS = [
  ["`NAME`", "every request of its routes"],
  ["`NAME@first:3`", "the first three"],
  ["`NAME@every:5`", "every fifth"],
  ["`NAME@after:5s`", "those that come 5 s or more after it was turned on"],
  ["`NAME@before:9s`", "those that come earlier than that"],
  ["`NAME@header:x-broken=1`", "those with that header"],
] as const;

/** The page; names are sorted as they are given. */
export function cataloguePage(behaviours: readonly Variant[], faults: readonly Fault[]): string {
  const timings = Object.entries(TIMINGS).map(([name, { about }]) => [code(name), about]);
  return `${[
    "# What the mock can do",
    "Made by `npm run --silent catalogue:mock > docs/mock-catalogue.md`; a test keeps it up to date.",
    `## Timings: ${timings.length}`,
    "Chosen by `--timing NAME`.",
    table(["timing", "means"], timings),
    `## Freedoms: ${behaviours.length}`,
    "Choices that the document leaves open, by `--behaviour NAME`. No clause of the conformance suite fails on one.",
    table(
      ["behaviour", "routes", "means"],
      behaviours.map(({ name, route, about }) => [code(name), routesOf(route), about]),
    ),
    `## Faults: ${faults.length}`,
    "Broken on purpose, by `--fault NAME`, again and again, or by `POST /_mock/faults` while the mock runs. The clauses " +
      "named do not pass on it; a fault without one is for load clients to stand. A condition says which requests it " +
      "hits; several must all hold, so `NAME@after:5s@before:9s` is a window in time.",
    table(["condition", "hits"], CONDITIONS),
    table(
      ["fault", "routes", "means", "clauses"],
      faults.map(({ name, route, about, breaks }) => [code(name), routesOf(route), about, breaks.map(code).join(" ")]),
    ),
  ].join("\n\n")}\n`;
}

const code = (text: string): string => `\`${text}\``;
const routesOf = (route: Variant["route"]): string => (route === undefined ? "all" : [route].flat().join(", "));

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
