/** Elapsed times come from clocks that nobody sets: the clock of the machine may step by an hour in the middle of a run. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHIPPED = ["lib", "formats", "settings", "conformance", "mock-server", "scenarios", "reports", "scripts"];

/** What reads the clock of the machine because a time of day is what it needs. */
const NEEDS_THE_TIME_OF_DAY = [
  "lib/retry-after.ts", // a date that the target sends
  "mock-server/service/chat-reply.ts", // `created` of a response
  "scenarios/process/run-options.ts", // until --start-at, before the run
  "scenarios/steps/generate-video.ts", // the bound of the clean-up within k6, which has no other clock; assay has its own
  "scenarios/stock/k6-runtime.ts", // estimates the start of the run; see start-estimate.ts
  "scripts/commands/load.ts", // until --start-at, before the run
  "scripts/load/plan-load.ts", // until --start-at, before the run
  "scripts/load/run-load.ts", // until --start-at, before the run
];

test("the clock of the machine is read where a time of day is needed, and nowhere else", () => {
  const files = SHIPPED.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => /\.(ts|mjs|js)$/.test(file) && !file.endsWith(".test.ts")),
  );
  const found = files.filter((file) =>
    /Date\.now\(/.test(readFileSync(`${ROOT}${file}`, "utf8").replace(/\/\*.*?\*\/|\/\/.*/gs, "")),
  );
  expect(found.sort()).toEqual(NEEDS_THE_TIME_OF_DAY);
});
