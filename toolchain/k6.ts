/** The k6 for load runs, built if necessary. */

import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { ensureK6, type K6 } from "./find-k6.mjs";

/**
 * Finds or builds k6.
 * @throws UsageError that lists what was tried
 */
export const k6ForLoads = (): Promise<K6> =>
  ensureK6().catch((error: unknown) => {
    throw new UsageError(reasonOf(error));
  });
