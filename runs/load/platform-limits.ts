/** What a load cannot do on Windows, and what a user is told for it: k6 gets no signal there, and no open file of ours. */

import type { Urgency } from "../../cli/interrupt.ts";
import type { Stop } from "../../formats/stop.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** Whether k6 can end in good order when it is asked to; else it is ended at once. */
const canEndGently = (platform: NodeJS.Platform): boolean => platform !== "win32";

/** Whether k6 can pass exchanges on, which it does through an open file that it inherits. */
export const canSample = (platform: NodeJS.Platform = process.platform): boolean => platform !== "win32";

/** @throws UsageError when k6 cannot pass exchanges on */
export function requireSampling(platform: NodeJS.Platform = process.platform): void {
  if (canSample(platform)) return;
  throw new UsageError(
    "Cannot check exchanges of the load with --check: on Windows, k6 cannot pass them on. Leave out --check.",
  );
}

const CANCELLED = `Requests in flight are cancelled and recorded, video tasks are cancelled within ${formatDuration(CLEAN_UP_MS)}.`;
const AT_ONCE = "What was recorded so far is kept, and video tasks are cancelled.";
const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** What an interrupt does. */
export const interruptNotice = (urgency: Urgency, platform: NodeJS.Platform = process.platform): string =>
  urgency === "gently" && canEndGently(platform)
    ? `Stopping: ${lowered(CANCELLED)} Press Ctrl-C again to stop at once.`
    : `Stopping at once: ${lowered(AT_ONCE)}`;

/** That a condition of the run ends it. */
export const stopNotice = ({ expr, reason }: Stop, platform: NodeJS.Platform = process.platform): string =>
  `Ending the run, ${expr === undefined ? "because the target does not respond" : `by ${expr}`}: ${reason}. ${canEndGently(platform) ? CANCELLED : AT_ONCE}`;
