/** The shape of a load, as a scenario uses it: its options, and actions that start when an arrival is due. */

import { sleep } from "k6";
import type { Options } from "k6/options";
import { type Arrival, configure, nextArrival, scenarioThrew } from "k6/x/assay";
import { settings } from "../environment.ts";
import { processState, shared } from "../shared-values.ts";
import { retryPauseMs } from "../unanswered.ts";
import { begin, workload } from "../workloads.ts";

/** Of k6, whose types leave it out. */
declare const console: { error(text: string): void };

/**
 * Declares the run that the settings describe, and returns k6's options for it.
 * @param scenario its name, letters, digits, `-` and `_`.
 * @example export const options = loadShape("chat-stream");
 */
export function loadShape(scenario: string): Options {
  const { run, k6 } = shared(`shape of ${scenario}`, ({ shapeOf }) => shapeOf(scenario, settings));
  configure(run, () => processState().openTrace(settings));
  return { ...k6 }; // k6 adds to what it is given
}

/**
 * The default function of a scenario: takes this virtual user's arrivals one after another, each when it is due, and sends
 * its requests. An arrival whose action throws has failed; the next one goes on. In a closed loop it waits before the next
 * one while requests get no response, for up to a second: a target that is gone would otherwise be sent thousands per second.
 * @example export default paced((arrival) => streamChat(promptFor(arrival)));
 */
export function paced(action: (arrival: Arrival) => unknown): () => Promise<void> {
  return async () => {
    for (let arrival = nextArrival(); arrival !== null; arrival = nextArrival()) {
      begin(arrival);
      try {
        const result = action(arrival);
        if (result instanceof Promise) await result;
      } catch (error) {
        console.error(`The scenario threw in arrival ${arrival.index}: ${traceOf(error)}`);
        scenarioThrew(String(error));
      }
      if (workload().vus === undefined) continue;
      const waitMs = retryPauseMs();
      // Not `pause`, which belongs to an arrival: the one before has ended.
      if (waitMs > 0) sleep(waitMs / 1_000);
    }
  };
}

const traceOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);
