/** A conformance run that is under way, as lines that fit a terminal: how much of each area is checked. Pure. */

import pc from "picocolors";
import type { Verdict } from "../../formats/verdicts.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { cutTo } from "../../lib/printable.mjs";
import { type FrameSize, columns as inColumns, lyingBar } from "../terminal-text.ts";

/** A clause that is to be checked, and its verdict as far as it is known. */
export interface PlannedClause {
  readonly area: string;
  readonly verdict: Verdict | undefined;
}

const LONGEST_BAR = 40;
const SHORTEST_BAR = 8;
/** Verdicts that are counted while a run is under way, the worst first. */
const COUNTED = ["FAIL", "WARN"] as const;

/** @param summary the last lines, such as what is waited for */
export function areaFrame(
  clauses: readonly PlannedClause[],
  summary: readonly string[],
  { columns, rows, colour }: FrameSize,
): readonly string[] {
  const c = pc.createColors(colour);
  const areas = [...groupedBy(clauses, ({ area }) => area)].map(([area, members]) => {
    const count = (verdict: Verdict): number => members.filter((each) => each.verdict === verdict).length;
    const done = members.filter(({ verdict }) => verdict !== undefined).length;
    const counts = COUNTED.map((verdict) => ({ verdict, n: count(verdict) }));
    return { area, share: done / members.length, told: `${done} of ${members.length}`, counts };
  });
  const names = inColumns(
    areas.map(({ area, told }) => [area, told]),
    new Set([1]),
  );
  const ends = inColumns(
    areas.map(({ counts }) => counts.map(({ verdict, n }) => (n === 0 ? "" : `${n} ${verdict}`))),
    new Set([0, 1]),
  );
  const longest = (lines: readonly string[]): number => Math.max(0, ...lines.map(({ length }) => length));
  const room = columns - longest(names) - Math.max(longest(ends), "99 FAIL  99 WARN".length) - 4;
  const lines = areas.map(({ share, counts: [fail, warn] }, index) => {
    const bar =
      room < SHORTEST_BAR
        ? ""
        : `${lyingBar(share, Math.min(LONGEST_BAR, room)).padEnd(Math.min(LONGEST_BAR, room), "·")}  `;
    const line = cutTo(`${(names[index] ?? "").padEnd(longest(names))}  ${bar}${ends[index] ?? ""}`.trimEnd(), columns);
    return fail?.n ? c.red(line) : warn?.n ? c.yellow(line) : line;
  });
  const last = summary.filter((line) => line !== "").map((line) => cutTo(line, columns));
  return [...lines.slice(0, Math.max(0, rows - last.length)), ...last].slice(0, rows);
}
