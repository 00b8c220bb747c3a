/** The k6 for load runs, built if necessary. */

import { existsSync } from "node:fs";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { ensureK6, type K6 } from "./find-k6.mjs";

/** What this process has found, by the variables that decide where it is looked for. */
const found = new Map<string, K6>();
const DECIDING = ["ASSAY_K6", "PATH", "XDG_CACHE_HOME", "HOME"];

/**
 * Finds or builds k6, once per process: a search runs many loads, and each look hashes a program or its sources.
 * @throws UsageError that lists what was tried
 */
export async function k6ForLoads(): Promise<K6> {
  const place = JSON.stringify(DECIDING.map((name) => process.env[name]));
  const known = found.get(place);
  if (known !== undefined && existsSync(known.path)) return known;
  const k6 = await ensureK6().catch((error: unknown) => {
    throw new UsageError(reasonOf(error));
  });
  found.set(place, k6);
  return k6;
}
