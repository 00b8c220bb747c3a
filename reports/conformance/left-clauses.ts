/** What a run that ended early left unchecked, and the `--only` that checks it. Pure. */

import type { ClauseResult } from "../../formats/conformance.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { plural } from "../numbers.ts";

/** Most globs that are written; beyond them, whole areas are named, of which some clauses are then checked again. */
const MOST_GLOBS = 8;

const UNDECIDED: readonly Verdict[] = ["NOT-RUN", "INCONCLUSIVE", "BLOCKED"];
const isLeft = ({ selected, verdict }: ClauseResult): boolean => selected && UNDECIDED.includes(verdict);

/** Globs for `--only` that name every selected clause that was not decided, and no other if there are few; none where all were. */
export function leftGlobs(clauses: readonly ClauseResult[]): readonly string[] {
  const selected = clauses.filter((clause) => clause.selected);
  const left = selected.filter(isLeft);
  const globs = globsUnder("", selected);
  return globs.length <= MOST_GLOBS ? globs : [...new Set(left.map(({ area }) => area))];
}

/** The shortest globs over the clauses whose ids begin with a prefix: one where all of them are left. */
function globsUnder(prefix: string, clauses: readonly ClauseResult[]): readonly string[] {
  const left = clauses.filter(isLeft);
  if (left.length === 0) return [];
  if (left.length === clauses.length && prefix !== "" && left.length > 1) return [`${prefix}*`];
  const segments = new Set(clauses.map(({ id }) => nextSegment(id, prefix)));
  return [...segments].flatMap((segment) => {
    const longer = `${prefix}${segment}`;
    if (!segment.endsWith(".")) return left.some(({ id }) => id === longer) ? [longer] : [];
    return globsUnder(
      longer,
      clauses.filter(({ id }) => id.startsWith(longer)),
    );
  });
}

/** The segment of an id after a prefix, with the dot that follows it, if one does. */
const nextSegment = (id: string, prefix: string): string => /^[^.]*\.?/.exec(id.slice(prefix.length))?.[0] ?? "";

/** How far a run came that ended early, and how to check the rest. @param ended why it ended */
export function leftWords(clauses: readonly ClauseResult[], ended: string): string {
  const selected = clauses.filter((clause) => clause.selected);
  const checked = selected.filter((clause) => !isLeft(clause)).length;
  const globs = leftGlobs(clauses);
  const rest = globs.length === 0 ? "" : `; --only ${globs.join(",")} checks the others`;
  return `${ended}: ${checked} of ${plural(selected.length, "clause")} decided${rest}`;
}
