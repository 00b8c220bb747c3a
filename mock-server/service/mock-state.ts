/** The state of the mock as its control path shows it, and its reset. */

import type { TaskState } from "../../contract/service.ts";
import type { LatenessSummary } from "../timing/lateness.ts";
import { LIMITED_MS } from "../timing/lateness-watch.ts";
import type { Counts } from "./counters.ts";
import type { MockContext } from "./mock-context.ts";

export interface MockState extends Counts {
  readonly openStreams: number;
  /** Writes that are due later: one per open stream or delayed response. */
  readonly due: number;
  /** Slots of the capacity model, and the chats that run and wait; absent without one. */
  readonly capacity?: { readonly slots: number; readonly running: number; readonly waiting: number };
  readonly tasks: Readonly<Record<TaskState, number>>;
  readonly timing: string;
  readonly behaviour: string;
  readonly faults: readonly string[];
  readonly seed: number;
  readonly clock: { readonly nowMs: number; readonly held: boolean };
  /** How late the mock wrote chunks of content. */
  readonly lateness: LatenessSummary;
  /** The mock was so late that it, not the client, may have determined the measured times. */
  readonly limited: boolean;
}

/** The state of a mock. */
export function state({
  variants,
  tasks,
  counters,
  lateness,
  timing,
  seed,
  clock,
  batch,
  scheduler,
}: MockContext): MockState {
  const counts = counters.snapshot();
  const { started, completed, left } = counts.streams;
  const late = lateness.summary();
  const byState = { processing: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const task of tasks.views(variants.standingRules("video.poll").tasks)) byState[task.state] += 1;
  return {
    ...counts,
    openStreams: started - completed - left,
    due: scheduler.size,
    ...(batch && {
      capacity: { slots: batch.capacity.slots, running: batch.running, waiting: batch.waiting },
    }),
    tasks: byState,
    timing: timing.name,
    behaviour: variants.behaviour.name,
    faults: variants.names,
    seed,
    clock: { nowMs: clock.now(), held: clock.held },
    lateness: late,
    limited: late.p99Ms > LIMITED_MS,
  };
}

/** Clears tasks, ground truth, counts and lateness, and turns every fault off; open streams continue. */
export function reset({ variants, tasks, counters, lateness, groundTruth }: MockContext): void {
  variants.set([]);
  tasks.clear();
  groundTruth.clear();
  counters.clear();
  lateness.clear();
}
