/** How requests ended, as conditions on the column `outcome`. Pure. */

import { endedByUs, hasFailed, OUTCOMES } from "../../formats/outcomes.ts";
import { listOf } from "./columns.ts";

/** Whether a request failed. */
export const HAS_FAILED = `outcome NOT IN ${listOf(OUTCOMES.filter((outcome) => !hasFailed(outcome)))}`;

/** Whether the load ended a request as planned. */
export const ENDED_BY_US = `outcome IN ${listOf(OUTCOMES.filter(endedByUs))}`;
