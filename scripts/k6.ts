/** The k6 that load runs need: one with Assay's extension, built first if need be. */

import { fileURLToPath } from "node:url";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { ensureK6, type K6 } from "./setup/k6.mjs";

/** Folder of the Go sources that are compiled into k6. */
export const EXTENSION = fileURLToPath(new URL("../scenarios/extension", import.meta.url));

/**
 * Finds or builds k6 with the extension.
 * @throws UsageError that lists what was tried; also when only a stock k6 is there, which cannot see chunks
 */
export async function k6WithExtension(): Promise<K6> {
  const k6 = await ensureK6(EXTENSION).catch((error: unknown) => {
    throw new UsageError(reasonOf(error));
  });
  if (k6.kind === "assay") return k6;
  throw new UsageError(
    `Cannot measure with ${k6.path}: it is a stock k6 ${k6.version} without Assay's extension, so it cannot see when chunks arrive. Install Go 1.26 or newer, from which Assay builds its own, or point ASSAY_K6 at a k6 that has the extension.`,
  );
}
