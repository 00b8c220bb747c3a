/** How many requests of this virtual user in a row got no response, and how long a closed loop waits for that. */

import type { Reply } from "k6/x/assay";
import { hasFailed } from "../formats/outcomes.ts";

const FIRST_MS = 10;
const LONGEST_MS = 1_000;

let inARow = 0;

/** Takes the reply to a request; returns it. Undefined is no reply: the request is handed over, which a closed loop does not do. */
export function noted<T extends Pick<Reply, "outcome" | "status"> | undefined>(reply: T): T {
  if (reply === undefined) return reply;
  const isUnanswered = reply.status === 0 && hasFailed(reply.outcome);
  inARow = isUnanswered ? inARow + 1 : 0;
  return reply;
}

/** Time before the next arrival of a closed loop, in milliseconds: 0 after a response, else 10, twice as long each time, up to 1000. */
export const retryPauseMs = (): number => (inARow === 0 ? 0 : Math.min(FIRST_MS * 2 ** (inARow - 1), LONGEST_MS));
