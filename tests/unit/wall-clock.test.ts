/** Elapsed times come from clocks that nobody sets: the clock of the machine may step by an hour in the middle of a run. */

import { expect, test } from "vitest";
import { SHIPPED, sourcesIn, textOf } from "../support/pages/source-files.ts";

/** What reads the clock of the machine because a time of day is what it needs. */
const NEEDS_THE_TIME_OF_DAY = [
  "cli/tls-refusal.ts", // the day on which a certificate expired
  "lib/retry-after.ts", // a date that the target sends
  "mock-server/service/chat-reply.ts", // `created` of a response
  "runs/k8s/run-k8s.ts", // until --start-at, before the run
  "runs/load/load-command.ts", // until --start-at, before the run
  "runs/load/plan-load.ts", // until --start-at, before the run
  "runs/load/running-load.ts", // until --start-at, before the run
  "scenarios/process/run-options.ts", // until --start-at, before the run
  "scenarios/steps/generate-video.ts", // the bound of the clean-up within k6, which has no other clock; assay has its own
  "toolchain/find-k6.mjs", // how long ago a build was used
  "toolchain/import-entry.mjs", // how old compiled files are, and whether a source is as old
];

test("the clock of the machine is read where a time of day is needed, and nowhere else", () => {
  const found = sourcesIn(SHIPPED).filter((file) =>
    /Date\.now\(/.test(textOf(file).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "")),
  );
  expect(found.sort()).toEqual(NEEDS_THE_TIME_OF_DAY);
});
