/** Which clauses a run judges, and why the others are left out. */

import picomatch from "picomatch";
import { isVideoClause } from "../../formats/verdicts.ts";
import { nearest } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { Clause } from "../model/clause.ts";
import { isInvariant } from "./invariants.ts";

export interface Selection {
  readonly clause: Clause;
  readonly selected: boolean;
  /** Why it is not selected. */
  readonly reason?: string;
}

export interface SelectOptions {
  /** Globs over ids and areas, joined by commas; `*` is any text, `?` any character. */
  readonly only?: string;
  readonly video?: boolean;
  readonly profile?: "service" | "openai";
}

/**
 * Says of each clause whether it is judged; a clause of another profile is left out altogether.
 * @throws UsageError when `only` matches no clause at all.
 */
export function select(
  all: readonly Clause[],
  { only, video = false, profile = "service" }: SelectOptions,
): readonly Selection[] {
  const clauses = all.filter((clause) => clause.profile === undefined || clause.profile === profile);
  const globs = (only ?? "")
    .split(",")
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "");
  const patterns = globs.map(matcher);
  const idle = globs.filter((_, i) => !clauses.some((clause) => patterns[i]?.(clause)));
  if (idle.length > 0) {
    const areas = [...new Set(clauses.map(({ area }) => area))];
    const [first = ""] = idle;
    const meant = nearest(first.replace(/\.?\*$/, ""), [...areas, ...clauses.map(({ id }) => id)]);
    const glob = meant !== undefined && first.endsWith(".*") ? `${meant}.*` : meant;
    const hint = glob === undefined ? "" : ` Did you mean "${glob}"?`;
    throw new UsageError(
      `No clause matches --only ${idle.join(",")}. Write a glob over clause ids or one of the areas ${areas.join(", ")}.${hint}`,
    );
  }
  return clauses.map((clause) => {
    if (patterns.length > 0 && !patterns.some((matches) => matches(clause))) {
      return { clause, selected: false, reason: "not selected by --only" };
    }
    if (isVideoClause(clause.id) && !video)
      return { clause, selected: false, reason: "video is not allowed; add --video" };
    return { clause, selected: true };
  });
}

/** The same for the traffic of others: a clause that needs a probe of its own is left out. */
export const selectPassive = (all: readonly Clause[], options: SelectOptions): readonly Selection[] =>
  select(all, { ...options, video: true }).map((selection) =>
    !selection.selected || isInvariant(selection.clause)
      ? selection
      : { clause: selection.clause, selected: false, reason: "it takes a probe of its own; run assay conformance" },
  );

/** Globs over ids and areas: `*` is any text, `?` any character, all else literal. */
const matcher = (glob: string): ((clause: Clause) => boolean) => {
  const fits = picomatch(glob, { nobrace: true, nobracket: true, noextglob: true, nonegate: true, regex: false });
  return ({ id, area }) => fits(id) || fits(area);
};
