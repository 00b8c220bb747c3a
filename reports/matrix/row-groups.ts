/** The rows of a matrix as every view shows them. Pure. */

import type { ConformanceMatrix, MatrixCell, MatrixRow } from "../../formats/conformance-matrix.ts";
import { VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { plural } from "../numbers.ts";
import { agreementOf, isShared } from "./build-matrix.ts";

/** Clauses that could not be checked on one target because of one cause. */
export interface Blockage {
  /** Index of the target. */
  readonly target: number;
  /** The clause that must pass first. */
  readonly cause: string;
  readonly count: number;
}

export interface RowGroups {
  /** Rows in which targets came to different verdicts, those that differ in BLOCKED alone left out. */
  readonly different: readonly MatrixRow[];
  /** The rows that differ in BLOCKED alone. */
  readonly blocked: readonly MatrixRow[];
  /** The same rows, by target and cause. */
  readonly blockages: readonly Blockage[];
  /** Rows that no target passes: all that checked them came to one verdict that somebody should read about. */
  readonly shared: readonly MatrixRow[];
  /** Other rows that some targets did not check. */
  readonly partly: readonly MatrixRow[];
  /** Other rows in which all targets agree. */
  readonly same: readonly MatrixRow[];
}

const isBlocked = (cell: MatrixCell | null): boolean => cell?.verdict === "BLOCKED";

/** Whether the targets on which a clause was not blocked agree in it. */
const differsInBlockedOnly = ({ cells }: MatrixRow): boolean =>
  cells.some(isBlocked) && agreementOf(cells.filter((cell) => !isBlocked(cell))) !== "differs";

/** The rows in groups, each in the order of the matrix. */
export function groupRows({ clauses }: Pick<ConformanceMatrix, "clauses">): RowGroups {
  const differing = clauses.filter(({ agreement }) => agreement === "differs");
  const blocked = differing.filter(differsInBlockedOnly);
  const others = clauses.filter(({ agreement }) => agreement !== "differs");
  const rest = others.filter((row) => !isShared(row));
  return {
    different: differing.filter((row) => !differsInBlockedOnly(row)),
    blocked,
    blockages: blockagesOf(blocked),
    shared: others.filter(isShared),
    partly: rest.filter(({ agreement }) => agreement === "partly"),
    same: rest.filter(({ agreement }) => agreement === "same"),
  };
}

function blockagesOf(rows: readonly MatrixRow[]): Blockage[] {
  const found = new Map<string, Blockage>();
  for (const { cells } of rows) {
    for (const [target, cell] of cells.entries()) {
      if (cell?.verdict !== "BLOCKED") continue;
      const cause = cell.blockedBy ?? "another clause";
      const key = `${target} ${cause}`;
      found.set(key, { target, cause, count: (found.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...found.values()].toSorted((a, b) => a.target - b.target || b.count - a.count);
}

/** `150 PASS, 20 OBSERVED`: the verdicts of rows in which all targets agree. */
export const verdictCounts = (rows: readonly MatrixRow[]): string =>
  VERDICTS.toReversed()
    .map((verdict): [Verdict, number] => [
      verdict,
      rows.filter(({ cells: [cell] }) => cell?.verdict === verdict).length,
    ])
    .flatMap(([verdict, count]) => (count > 0 ? [`${count} ${verdict}`] : []))
    .join(", ");

/** `58 clauses could not be checked on b, because auth.key.chat did not pass`. */
export const blockageWords = ({ target, cause, count }: Blockage, { targets }: ConformanceMatrix): string =>
  `${plural(count, "clause")} could not be checked on ${targets[target]?.name}, because ${cause} did not pass`;

/** The reasons of a row that say more than its verdicts: one per target that did not pass, equal ones together. */
export function reasonsOf({ cells }: MatrixRow): { readonly targets: readonly number[]; readonly reason: string }[] {
  const told = cells.flatMap((cell, target) =>
    cell === null || QUIET.includes(cell.verdict) ? [] : [{ target, reason: cell.reason }],
  );
  return [...groupedBy(told, ({ reason }) => reason)].map(([reason, of]) => ({
    targets: of.map(({ target }) => target),
    reason,
  }));
}

/** The numbers of targets: `1, 3`, or `all`. */
export const numbersOf = (targets: readonly number[], { cells }: MatrixRow): string =>
  targets.length === cells.length ? "all" : targets.map((target) => target + 1).join(", ");

/** Verdicts whose reason the terminal and Markdown leave out. */
const QUIET: readonly Verdict[] = ["PASS", "OBSERVED", "NOT-RUN", "NOT-APPLICABLE", "BLOCKED"];
