/** When results are coloured. */

import { expect, test } from "vitest";
import { coloured } from "./console.mjs";

test.each([
  ["a terminal", {}, true, true],
  ["a pipe", {}, false, false],
  ["a terminal with NO_COLOR", { NO_COLOR: "1" }, true, false],
  ["a terminal in CI", { CI: "true" }, true, false],
  ["a pipe with FORCE_COLOR", { FORCE_COLOR: "1", CI: "true" }, false, true],
  ["a terminal with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
])("%s", (_, env, isTTY, colours) => {
  expect(coloured(env, { isTTY })).toBe(colours);
});
