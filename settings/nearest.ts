/** "Did you mean" for names that are not known, in one wording. */

import { distance } from "fastest-levenshtein";

/** The candidate that a mistyped name most likely meant; undefined when none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(name.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= limit ? best.candidate : undefined;
}

/** `Did you mean "rate"?`; where no candidate is close, all of them, after `label` such as `Known settings`. */
export function didYouMean(name: string, candidates: readonly string[], label: string): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? `${label}: ${candidates.join(", ")}` : `Did you mean "${meant}"?`;
}
