import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { planLoad } from "./plan-load.ts";
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

/** Workloads that each have arrivals of their own. */
function workloadsWith(second: string, first = "rate: 5") {
  const file = join(newFolder(), "load.yaml");
  writeFileSync(
    file,
    `warmup: 0s\nworkloads:\n  - { name: one, operation: chat, ${first} }\n  - { name: two, operation: embeddings, ${second} }\n`,
  );
  return planLoad(undefined, { target: "http://host", workload: file }, { env: {} }).settings;
}

describe("of workloads with arrivals of their own, a segment needs a virtual user for each", () => {
  test.each([
    ["rate: 4, max-in-flight: 1", "max-in-flight of 1 for the workload two leaves some of 2 segments"],
    ["vus: 1, max-requests: 5", "vus of 1 for the workload two leaves"],
    ["vus: 9, max-requests: 1", "max-requests of 1 for the workload two leaves"],
  ])("%s is refused", (second, reason) => {
    expect(() => checkSegment(half, workloadsWith(second))).toThrow(reason);
  });

  test("and has it where every workload has as many as there are segments", () => {
    expect(() => checkSegment(half, workloadsWith("vus: 2, max-requests: 5"))).not.toThrow();
  });

  test("and the user is informed that they start together where one of them needs it", () => {
    expect(startNotice(half, workloadsWith("vus: 3", "vus: 2"))).toBeUndefined();
    expect(startNotice(half, workloadsWith("vus: 3", "rate: 5, arrival: poisson"))).toBeUndefined();
    expect(startNotice(half, workloadsWith("rate: 5", "vus: 2"))).toMatch(/--start-at/);
  });
});

test("a segment needs one of few arrivals, too", () => {
  const few = settings({ ASSAY_MAX_REQUESTS: "1", ASSAY_WARMUP: "0s" });
  expect(() => checkSegment(half, few)).toThrow("max-requests of 1 leaves some of 2 segments");
});
