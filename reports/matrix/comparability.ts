/** What keeps results from being compared as they are: other profiles, other versions, other ways to come to a verdict. Pure. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { profileOf } from "../conformance/clause-groups.ts";
import { plural } from "../numbers.ts";
import { failOnOf } from "../verdict-words.ts";

/** A result under the name that it has in the matrix. */
export interface NamedResult {
  readonly name: string;
  readonly result: ConformanceResult;
}

/** A sentence for each thing; none when the results can be compared clause by clause. */
export function comparability(results: readonly NamedResult[]): string[] {
  return [
    ...varied(
      results,
      profileOf,
      (groups) => `The profiles differ: ${groups}. Compatible clauses are checked with the profile openai only.`,
    ),
    ...varied(
      results,
      ({ tool }) => tool,
      (groups) => `The results were made by different versions: ${groups}.`,
    ),
    ...otherStatements(results),
    ...otherClauses(results),
    ...varied(
      results,
      ({ traffic }) => (traffic === undefined ? "requests of Assay" : "recorded traffic"),
      (groups) => `The exchanges differ: ${groups}. Recorded traffic shows only what its clients do.`,
    ),
    ...varied(
      results,
      (result) => (failOnOf(result) === "warn" ? "failures" : "no failures"),
      (groups) => `Warnings count differently: ${groups}.`,
    ),
  ];
}

/** A sentence when results differ in a feature: `openai (a, b); service (c)`. */
function varied(
  results: readonly NamedResult[],
  feature: (result: ConformanceResult) => string,
  sentence: (groups: string) => string,
): string[] {
  const groups = groupedBy(results, ({ result }) => feature(result));
  if (groups.size <= 1) return [];
  const words = [...groups].map(([value, members]) => `${value} (${members.map(({ name }) => name).join(", ")})`);
  return [sentence(words.join("; "))];
}

/** Most clauses that a sentence names. */
const MOST_NAMED = 5;

const named = (ids: readonly string[]): string =>
  `${ids.slice(0, MOST_NAMED).join(", ")}${ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ""}`;

/** What a clause claims: a later version of the specification or of Assay may claim something else under the same id. */
const claimOf = ({ level, text, specification }: ConformanceResult["clauses"][number]): string =>
  JSON.stringify([level, text, specification.map(({ row, text }) => [row, text])]);

function otherStatements([first, ...others]: readonly NamedResult[]): string[] {
  if (first === undefined) return [];
  const claims = new Map(first.result.clauses.map((clause) => [clause.id, claimOf(clause)]));
  return others.flatMap(({ name, result }) => {
    const other = result.clauses.filter((clause) => claims.has(clause.id) && claims.get(clause.id) !== claimOf(clause));
    if (other.length === 0) return [];
    const ids = other.map(({ id }) => id);
    return [
      `${plural(ids.length, "clause")} of ${name} ${ids.length === 1 ? "states" : "state"} something else than for ${first.name}: ${named(ids)}.`,
    ];
  });
}

/** Clauses that a result lacks though others of its profile have them: another profile has more of itself. */
function otherClauses(results: readonly NamedResult[]): string[] {
  return results.flatMap(({ name, result }) => {
    const peers = results.filter((other) => profileOf(other.result) === profileOf(result));
    const all = new Set(peers.flatMap((peer) => peer.result.clauses.map(({ id }) => id)));
    const own = new Set(result.clauses.map(({ id }) => id));
    const missing = [...all].filter((id) => !own.has(id));
    return missing.length === 0
      ? []
      : [
          `The result of ${name} does not have ${plural(missing.length, "clause")} that others have: ${named(missing)}.`,
        ];
  });
}
