/** A load that is run several times, each in a folder and with a seed of its own, and the spread between the runs. */

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { coloured, type Progress, print } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { untilInterrupted } from "../../cli/interrupt.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import type { RepeatResult } from "../../formats/repeat.ts";
import type { RepeatedRun } from "../../reports/compare/summarize-repeats.ts";
import { loadLine } from "../../reports/load/views/one-line.ts";
import { writeRepeatViews } from "../views/repeat-reports.ts";
import { waitAfterFailures } from "./await-serving.ts";
import { targetOf } from "./connection.ts";
import { type MeasuredLoad, measureLoad } from "./measure-load.ts";
import type { LoadPlan } from "./plan-load.ts";

/**
 * Runs a load as often as its plan says. An interrupt ends the run or the pause that it meets; what was measured until then is
 * saved and summarized. A run that Assay itself ended before its time is the last one.
 * @param folder an empty result folder, which gets one for each run
 * @throws as `measureLoad` does; what the runs before measured is saved
 */
export const repeatLoad = (plan: LoadPlan, folder: string, progress: Progress): Promise<RepeatResult> =>
  untilInterrupted(progress, (signal) => runAll(plan, folder, progress, signal));

async function runAll(plan: LoadPlan, folder: string, progress: Progress, signal: AbortSignal): Promise<RepeatResult> {
  const { times, pauseMs } = plan.repeat;
  const repeated: RepeatedRun[] = [];
  let ended = false;
  const ready = waitAfterFailures(targetOf(plan), { say: progress.say, signal });
  for (let number = 1; number <= times && !ended && repeated.at(-1)?.run.aborted === undefined; number += 1) {
    const dir = `run-${number}`;
    const own = withSeedsOf(plan, number);
    progress.say(`Run ${number} of ${times}, seed ${own.settings.seed} …`);
    const others = repeated.length > 0;
    const { run, leave } = await measured(own, createResultFolder(join(folder, dir), dir), progress, others);
    if (run !== undefined) {
      repeated.push({ dir, run });
      print(`${dir}  ${loadLine(run, { colour: coloured() })}\n`);
    }
    ended = run === undefined || (run.interrupted && run.aborted === undefined) || leave || signal.aborted;
    // Written after each run: a repetition that is killed leaves those before.
    writeRepeatViews(folder, repeated, { asked: times, ended: ended || number < times });
    if (!ended && number < times) {
      await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
      await ready(run?.metrics["error_rate"]?.value);
    }
    ended ||= signal.aborted;
  }
  return writeRepeatViews(folder, repeated, { asked: times, ended: ended && repeated.length < times });
}

/** The plan of the number-th of several runs, which has seeds of its own, so that it does not send what another one sent. */
export function withSeedsOf(plan: LoadPlan, number: number): LoadPlan {
  const { seed, promptSeed } = plan.settings;
  const more = number - 1;
  const own = { seed: seed + more, ...(promptSeed !== undefined && { promptSeed: promptSeed + more }) };
  return { ...plan, settings: { ...plan.settings, ...own } };
}

/** A run; none when it was interrupted before anything was measured, and others were measured before. */
export async function measured(
  plan: LoadPlan,
  folder: string,
  progress: Progress,
  others: boolean,
): Promise<MeasuredLoad | { readonly run: undefined; readonly leave: true }> {
  try {
    return await measureLoad(plan, folder, progress);
  } catch (error) {
    if (others && error instanceof InconclusiveError) return { run: undefined, leave: true };
    throw error;
  }
}
