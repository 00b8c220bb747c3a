/** What Windows cannot do is said or refused, and nothing is promised that only Unix does. */

import { expect, test } from "vitest";
import { canSample, interruptNotice, requireSampling, stopNotice } from "./platform-limits.ts";

const SYSTEMS = [
  ["linux", true],
  ["darwin", true],
  ["win32", false],
] as const;

const STOP = { schema: "assay.stop/1", cause: "rule", t: 3 } as const;

test.each(SYSTEMS)("on %s, an interrupt says how k6 ends", (platform, isGentle) => {
  const first = interruptNotice("gently", platform);
  expect(/^Stopping: requests in flight are cancelled and recorded, .* Press Ctrl-C again/.test(first)).toBe(isGentle);
  expect(first.startsWith("Stopping at once: what was recorded so far is kept")).toBe(!isGentle);
  expect(interruptNotice("now", platform)).toMatch(/^Stopping at once: /);
});

test.each(SYSTEMS)("on %s, a condition that ends the run says how k6 ends", (platform, isGentle) => {
  const notice = stopNotice({ ...STOP, reason: "it is 0.4", expr: "ok<0.5" }, platform);
  expect(notice).toMatch(/^Ending the run, by ok<0\.5: it is 0\.4\. \w/);
  expect(notice.includes("Requests in flight are cancelled and recorded")).toBe(isGentle);
});

test.each(SYSTEMS)("on %s, --check is run or refused", (platform, isPossible) => {
  expect(canSample(platform)).toBe(isPossible);
  if (isPossible) expect(() => requireSampling(platform)).not.toThrow();
  else expect(() => requireSampling(platform)).toThrow("on Windows, k6 cannot pass them on. Leave out --check.");
});
