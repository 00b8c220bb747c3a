/** Everything that one mock holds; a route reads it, and nothing else is shared between requests. */

import type { Json } from "../../lib/json.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Rules } from "../base/rules.ts";
import type { Batch } from "../timing/batch.ts";
import type { Lateness } from "../timing/lateness.ts";
import type { Scheduler } from "../timing/scheduler.ts";
import type { TaskClock } from "../timing/task-clock.ts";
import type { Timing } from "../timing/timings.ts";
import type { ActiveVariants } from "../variants/active-variants.ts";
import type { Fault } from "../variants/variant.ts";
import type { Counters } from "./counters.ts";
import type { GroundTruthLog } from "./ground-truth-log.ts";
import type { TaskStore } from "./task-store.ts";

export interface MockContext {
  readonly seed: number;
  /** `performance.now()` at the start of the mock. */
  readonly startedMs: number;
  readonly timing: Timing;
  /** The chats that run and wait; absent: as many as come run, none slows another. */
  readonly batch: Batch | undefined;
  /** The accepted keys; any when undefined. */
  readonly apiKeys: readonly string[] | undefined;
  readonly knownFaults: readonly Fault[];
  readonly variants: ActiveVariants;
  readonly clock: TaskClock;
  readonly tasks: TaskStore;
  readonly scheduler: Scheduler;
  readonly groundTruth: GroundTruthLog;
  readonly counters: Counters;
  readonly lateness: Lateness;
}

/** One request of the service, past authentication. */
export interface Call {
  readonly route: RouteName;
  /** What its choices are a hash of: the request's id, else its body. */
  readonly key: string;
  readonly body: Json;
  /** The task that the path names. */
  readonly taskId: string;
  readonly rules: Rules;
  readonly context: MockContext;
  /** Names the task that the request was about, for the ledger. */
  readonly noteTask: (id: string) => void;
}
