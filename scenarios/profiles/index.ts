/** The shape of a load, as a scenario uses it: its options, and actions that start when an arrival is due. */

import type { Options } from "k6/options";
import { type Arrival, configure, nextArrival, pause } from "k6/x/assay";
import { settings } from "../environment.ts";
import { processState, shared } from "../shared-values.ts";

/** Pause of a virtual user when no arrivals are left but k6's own time is not over. */
const NOTHING_LEFT_MS = 50;

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
 * The default function of a scenario: waits for this virtual user's next arrival, then sends its requests.
 * @example export default paced((arrival) => streamChat(promptFor(arrival)));
 */
export function paced(action: (arrival: Arrival) => void): () => void {
  return () => {
    const arrival = nextArrival();
    if (arrival === null) pause(NOTHING_LEFT_MS);
    else action(arrival);
  };
}
