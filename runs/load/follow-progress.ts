/** Shows what goes on while a load runs, from the files that k6 appends to. */

import { join } from "node:path";
import { colouredProgress, type Progress } from "../../cli/console.mjs";
import { FILES } from "../../formats/file-names.ts";
import { liveFrame } from "../../reports/load/live/live-frame.ts";
import { LiveLoad } from "../../reports/load/live/live-lines.ts";
import { type Followed, followLines } from "./follow-lines.ts";

/**
 * Follows the files of a load in a folder and shows their state each time that k6 writes one, once per second.
 * @param ends what may end the load, in words
 */
export function followProgress(
  folder: string,
  plan: { readonly warmup: number; readonly duration: number },
  show: Progress["show"],
  ends: () => readonly string[],
): Followed {
  const live = new LiveLoad((plan.warmup + plan.duration) / 1_000);
  return followLines([join(folder, FILES.client), join(folder, FILES.records)], ([health = [], records = []]) => {
    live.add(health, records);
    const state = live.state();
    if (health.length === 0 || state === undefined) return;
    show(live.lines(), (size) => liveFrame(state, ends(), { ...size, colour: colouredProgress() }));
  });
}
