/** Whether both sides were equally warm: a target answers from a cache what was sent before, and the change is then that of the cache. */

import { MOST_DIFFERENT } from "../../formats/run-inputs.ts";
import { formatShare } from "../numbers.ts";
import type { Sides } from "./gate-data.ts";
import type { Side } from "./side-samples.ts";

/** What is known of the warmth of both sides, in sentences without their end. */
export interface Warmth {
  /** Why nothing that depends on timing can be compared. */
  readonly differs: readonly string[];
  readonly notes: readonly string[];
  /** That a target may have kept what the new runs sent: where they are faster, that may be why. Absent: it has not. */
  readonly again?: string | undefined;
}

export function warmthOf(sides: Sides): Warmth {
  const { base, new: next } = sides;
  const [before, after] = [meanOf(base, repeatedOf), meanOf(next, repeatedOf)];
  const repeats =
    before !== undefined && after !== undefined && Math.abs(after - before) > MOST_DIFFERENT
      ? [
          `${formatShare(before)} of the requests of the base and ${formatShare(after)} of the new ones sent an input that was sent before in their run`,
        ]
      : [];
  const cached = cachedInWords(sides);
  const again = againInWords(sides);
  const shows =
    cached !== undefined ||
    [...base.runs, ...next.runs].some(({ run: { inputs } }) => inputs?.times?.sooner || inputs?.earlier?.times?.sooner);
  return again !== undefined && shows
    ? { differs: [...repeats, `${again}, and the target shows a cache`], notes: cached === undefined ? [] : [cached] }
    : { differs: repeats, notes: [again, cached].filter((note) => note !== undefined), again };
}

/** That the shares of tokens differ that a cache had; undefined where they do not, or nobody knows. */
function cachedInWords({ base, new: next }: Sides): string | undefined {
  const [before, after] = [meanOf(base, cachedOf), meanOf(next, cachedOf)];
  if (before === undefined || after === undefined || Math.abs(after - before) <= MOST_DIFFERENT) return undefined;
  return `a cache of the target had ${formatShare(before)} of the input tokens in the base and ${formatShare(after)} in the new runs, by its usage`;
}

/** That the new runs sent what the base had sent to the same target; undefined where they hardly did. */
function againInWords({ base, new: next }: Sides): string | undefined {
  const targets = new Set(base.runs.map(({ run }) => run.target));
  const share = Math.max(
    0,
    ...next.runs.flatMap(({ run: { target, inputs } }) =>
      inputs?.earlier && targets.has(target) ? [inputs.earlier.repeated / inputs.requests] : [],
    ),
  );
  if (share <= MOST_DIFFERENT) return undefined;
  return `${formatShare(share)} of the requests of a new run sent an input that the base had sent to the same target, which may have cached it (--set unique-prompts=true without --seed sends others)`;
}

const repeatedOf = ({ run: { inputs } }: Side["runs"][number]): number | undefined =>
  inputs && inputs.repeated / inputs.requests;

const cachedOf = ({ run: { inputs } }: Side["runs"][number]): number | undefined => inputs?.cached?.share;

/** The mean over the runs; undefined where one does not say. */
function meanOf({ runs }: Side, of: (run: Side["runs"][number]) => number | undefined): number | undefined {
  const values = runs.flatMap((run) => of(run) ?? []);
  return values.length === 0 || values.length < runs.length
    ? undefined
    : values.reduce((sum, value) => sum + value, 0) / values.length;
}
