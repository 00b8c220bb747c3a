/** The k6 for load runs, built if necessary. */

import { fileURLToPath } from "node:url";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { ensureK6, type K6 } from "./find-k6.mjs";

/** Folder of the Go sources that are compiled into k6. */
export const EXTENSION = fileURLToPath(new URL("../../scenarios/extension", import.meta.url));

/** How to get Go, with which Assay builds a k6 that measures everything. */
export const GO_HINT = "Install Go 1.26 or newer (https://go.dev/dl), with which Assay builds its own k6";

/** The oldest k6 with the modules and flags that loads without the extension need. */
const OLDEST_STOCK_MAJOR = 2;

/** Why a stock k6 cannot run loads; undefined when it can. */
export const stockRefusal = ({ version }: K6): string | undefined =>
  Number.parseInt(version, 10) < OLDEST_STOCK_MAJOR
    ? `without Assay's extension, loads need k6 ${OLDEST_STOCK_MAJOR}.0 or newer`
    : undefined;

/**
 * Finds or builds the k6 of a load: one with the extension where possible, else a stock one.
 * @throws UsageError that lists what was tried, or says that the stock one is too old
 */
export async function k6ForLoads(): Promise<K6> {
  const k6 = await ensureK6(EXTENSION).catch((error: unknown) => {
    throw new UsageError(reasonOf(error));
  });
  const refusal = k6.kind === "stock" ? stockRefusal(k6) : undefined;
  if (refusal === undefined) return k6;
  throw new UsageError(`Cannot run loads with ${k6.path}, k6 ${k6.version}: ${refusal}. ${GO_HINT}, or update k6.`);
}

/**
 * Finds or builds k6 with the extension, for what cannot be measured without it.
 * @param what is attempted, such as `calibrate`
 * @throws UsageError that lists what was tried; also when only a stock k6 is there
 */
export async function k6WithExtension(what: string): Promise<K6> {
  const k6 = await k6ForLoads();
  if (k6.kind === "assay") return k6;
  throw new UsageError(
    `Cannot ${what} with ${k6.path}: it is a stock k6 ${k6.version} without Assay's extension, which cannot measure when chunks arrive. ${GO_HINT}, or point ASSAY_K6 at a k6 that has the extension.`,
  );
}
