/** The short version of `npm run fuzz`. */

import fc from "fast-check";
import { test } from "vitest";
import { FUZZ_TARGETS } from "../fuzz/fuzz-targets.ts";

test.each(FUZZ_TARGETS)(
  "$name",
  async ({ property, weight }) => {
    await fc.assert(property, { seed: 1, numRuns: weight < 1 ? 50 : 300 });
  },
  60_000,
);
