/** What the user sees while a load runs: the newest line of `client.jsonl`, one per second, as a sentence. */

import { loadProgress } from "../../reports/load/views/progress-line.ts";
import { type Followed, followLines } from "./follow-lines.ts";

/** Follows `client.jsonl` and shows its newest line each time that there is one. */
export function followProgress(
  file: string,
  plan: { readonly warmup: number; readonly duration: number },
  show: (line: string) => void,
): Followed {
  return followLines([file], ([lines = []]) => {
    const newest = lines.at(-1);
    if (newest !== undefined && newest !== "") show(loadProgress(newest, (plan.warmup + plan.duration) / 1_000));
  });
}
