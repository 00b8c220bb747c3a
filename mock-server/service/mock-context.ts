/** The state of one mock: the only thing that its requests share. */

import type { Json } from "../../lib/json.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Rules } from "../base/rules.ts";
import type { Batch } from "../timing/batch.ts";
import type { Lateness } from "../timing/lateness.ts";
import type { Scheduler } from "../timing/scheduler.ts";
import type { TaskClock } from "../timing/task-clock.ts";
import type { Timing } from "../timing/timings.ts";
import type { ActiveVariants } from "../variants/active-variants.ts";
import type { Counters } from "./counters.ts";
import type { GroundTruthLog } from "./ground-truth-log.ts";
import type { TaskStore } from "./task-store.ts";

export interface MockContext {
  readonly seed: number;
  /** `performance.now()` at the start of the mock. */
  readonly startedMs: number;
  readonly timing: Timing;
  /** The running and waiting chats; absent without a capacity model. */
  readonly batch: Batch | undefined;
  /** The accepted keys; any when undefined. */
  readonly apiKeys: readonly string[] | undefined;
  readonly variants: ActiveVariants;
  readonly clock: TaskClock;
  readonly tasks: TaskStore;
  readonly scheduler: Scheduler;
  readonly groundTruth: GroundTruthLog;
  readonly counters: Counters;
  readonly lateness: Lateness;
  /** Whether `/metrics` is served. */
  readonly metrics: boolean;
}

/** One request of the service, past authentication. */
export interface Call {
  readonly route: RouteName;
  /** Its random choices are a hash of this: the id of the request, or its body where it has none or the temperature is 0. */
  readonly key: string;
  readonly body: Json;
  /** The task that the path names. */
  readonly taskId: string;
  /** Scheme, host and port under which the client reached the mock. */
  readonly origin: string;
  readonly rules: Rules;
  readonly context: MockContext;
  /** Records the id of the task that the request concerns, for the ground truth. */
  readonly noteTask: (id: string) => void;
}
