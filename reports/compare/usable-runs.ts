/** Whether runs can be compared at all: what is wrong with one of them is not the target's change. */

import { abortedInWords } from "../load/validity/conclude.ts";
import type { SideRun } from "./side-samples.ts";

/** Why not, a sentence per run; both empty when all can be compared. */
export interface Usability {
  /** Nothing of them can be compared. */
  readonly nothing: readonly string[];
  /** Nothing that depends on the timing of the load generator. */
  readonly timing: readonly string[];
}

export function usabilityOf(runs: readonly Pick<SideRun, "folder" | "run">[]): Usability {
  return {
    nothing: runs.flatMap(({ folder, run }) => {
      const { interrupted, aborted, validity, refused } = run;
      if (validity.verdict === "INVALID") return [`${folder} is INVALID: ${validity.reasons.join("; ")}`];
      if (aborted !== undefined) return [`${folder} is not a whole run: ${abortedInWords(aborted)}`];
      if (interrupted) return [`${folder} was interrupted, so it is not a whole run`];
      return refused === undefined ? [] : [`${folder}: ${refused}`];
    }),
    timing: runs.flatMap(({ folder, run: { validity } }) =>
      validity.verdict === "CLIENT-LIMITED" ? [`${folder} is CLIENT-LIMITED: ${validity.reasons.join("; ")}`] : [],
    ),
  };
}
