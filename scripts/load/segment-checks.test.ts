import { expect, test } from "vitest";
import { readLoadSettings } from "../../scenarios/process/checked-settings.ts";
import { checkSegment, checkStart, startNotice, waitNotice } from "./segment-checks.ts";

const settings = (more: Readonly<Record<string, string>> = {}) =>
  readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_RATE: "5", ...more });
const users = (vus: string) => readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_VUS: vus });
const half = { part: 1, of: 2 };

test("a segment needs a virtual user", () => {
  expect(() => checkSegment({ part: 1, of: 3 }, settings({ ASSAY_MAX_IN_FLIGHT: "2" }))).toThrow(
    "Cannot run segment 1/3: the whole run's max-in-flight of 2 leaves some of 3 segments without a virtual user",
  );
  expect(() => checkSegment({ part: 1, of: 3 }, users("2"))).toThrow("vus of 2 leaves");
  expect(() => checkSegment({ part: 3, of: 3 }, users("3"))).not.toThrow();
});

test("a start must be ahead", () => {
  const at = Date.UTC(2026, 10, 21, 18);
  expect(() => checkStart(at, at + 1_500)).toThrow(
    "Cannot start at 2026-11-21T18:00:00.000Z: by this machine's clock that was 1.5 s ago.",
  );
  expect(() => checkStart(at, at - 1)).not.toThrow();
  expect(waitNotice(at, at - 41_600)).toBe("Starts at 2026-11-21T18:00:00.000Z, in 42 s.");
});

test("the user is informed of segments that will not start together, unless they need not", () => {
  const told = (more: Readonly<Record<string, string>>, segment = half) =>
    startNotice(segment, settings(more)) !== undefined;
  expect(told({})).toBe(true);
  expect(told({ ASSAY_ARRIVAL: "gamma:2" })).toBe(true);
  expect(told({ ASSAY_ARRIVAL: "poisson", ASSAY_RATE: "1..5" })).toBe(true);
  expect(told({ ASSAY_ARRIVAL: "poisson" })).toBe(false);
  expect(told({ ASSAY_START_AT: "2026-11-21T18:00:00Z" })).toBe(false);
  expect(told({}, { part: 1, of: 1 })).toBe(false);
  expect(startNotice(half, users("3"))).toBeUndefined();
});
