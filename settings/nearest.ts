/** "Did you mean" for names that are not known, in one wording. */

import { distance } from "fastest-levenshtein";

/** A name of fewer letters is a part of too many others. */
const SHORTEST_PART = 4;

/** Longest list that is printed; of more names nobody finds one. */
const MOST_LISTED = 12;

/** The candidate that a mistyped or shortened name most likely meant; undefined when none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(name.length / 3));
  return candidates
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ candidate, edits }) => edits <= limit || isPart(name, candidate) || isPart(candidate, name))
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

const isPart = (short: string, long: string): boolean => short.length >= SHORTEST_PART && long.includes(short);

/**
 * `Did you mean "rate"?`; where no candidate is close, all of them, after `label` such as `Known settings`.
 * @param instead a sentence in place of a list that would be long
 */
export function didYouMean(name: string, candidates: readonly string[], label: string, instead?: string): string {
  const meant = nearest(name, candidates);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  if (instead !== undefined && candidates.length > MOST_LISTED) return instead;
  return `${label}: ${candidates.join(", ")}.`;
}

/** ` Did you mean "rate"?`, to follow a sentence; empty where no candidate is close. */
export function meantHint(name: string, candidates: readonly string[]): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** Why a text is not one of a few words: a reason for `endSentence`, with the word that was meant. */
export function notOneOf(given: string, choices: readonly string[]): string {
  const hint = meantHint(given, choices);
  return `"${given}" is not one of ${choices.join(", ")}${hint === "" ? "" : `.${hint}`}`;
}
