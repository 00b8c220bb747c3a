import { describe, expect, test } from "vitest";
import {
  type Calibration,
  type CalibrationStep,
  calibrationJson,
  parseCalibration,
} from "../../formats/calibration.ts";
import type { RequestRecord } from "../../formats/records.ts";
import { chatRecord } from "../../tests/support/results/load-run.ts";
import { calibrationHtml } from "./calibration-html.ts";
import { calibrationSections, calibrationVerdict } from "./calibration-report.ts";
import { beyondCalibration, lateTargetStep, stepNote, stepOf, trustedOf } from "./calibration-steps.ts";
import { compareWithGroundTruth } from "./ground-truth-errors.ts";
import { calibrationTerminal } from "./terminal.ts";

const HEADER = JSON.stringify({ schema: "assay.records/1", startedAt: "2026-01-02T03:04:05Z" });
const linesOf = (records: readonly RequestRecord[]): string[] => [
  HEADER,
  ...records.map((record) => JSON.stringify(record)),
];

/** The ledger of a server that sent each chunk `earlyMs` before the client read it, but for what `change` does. */
function ledgerOf(records: readonly RequestRecord[], earlyMs: number, lateGapMs = 0): string[] {
  return records.map(({ id, ttft = 0, gaps_us = [] }) => {
    const planned = [ttft - earlyMs];
    for (const gap of gaps_us) planned.push((planned.at(-1) ?? 0) + gap / 1_000);
    const actual = planned.map((at, index) => at + (index === 1 ? lateGapMs : 0));
    return JSON.stringify({ id, planned_ms: planned, actual_ms: actual });
  });
}

const records = Array.from({ length: 50 }, (_, index) => chatRecord(index, index * 50, "measure"));

describe("the client's times against the server's", () => {
  test("differ by what passed between the server's write and the client's read", async () => {
    const errors = await compareWithGroundTruth(linesOf(records), ledgerOf(records, 0.5));
    expect(errors).toMatchObject({ ttft: { count: 50 }, gap: { count: 450 }, unmatched: 0 });
    expect(errors.ttft.p50).toBeCloseTo(0.5);
    expect(errors.gap.max).toBeCloseTo(0);
  });

  test("show a gap that only one of the two saw, and whose it was", async () => {
    const errors = await compareWithGroundTruth(linesOf(records), ledgerOf(records, 0, 7));
    expect(errors.gap.max).toBeCloseTo(7);
    expect(errors.serverGap.max).toBeCloseTo(7);
    // Those before and after the late chunk of one stream: two gaps of 450.
    const rows = [...ledgerOf(records.slice(0, 1), 0, 7), ...ledgerOf(records.slice(1), 0)];
    const { gap } = await compareWithGroundTruth(linesOf(records), rows);
    expect([gap.p99, gap.p999]).toEqual([expect.closeTo(0), expect.closeTo(7)]);
  });

  test("are compared in the measured phase and where both have the whole stream only", async () => {
    const others = [
      chatRecord(100, 0, "warmup"),
      { ...chatRecord(101, 0, "measure"), outcome: "reset" as const },
      chatRecord(102, 0, "measure"),
    ];
    const errors = await compareWithGroundTruth(linesOf([...records, ...others]), ledgerOf(records, 0));
    expect(errors).toMatchObject({ ttft: { count: 50 }, unmatched: 1 });
  });

  test("that cannot be read are an error, not an absence", async () => {
    await expect(compareWithGroundTruth([HEADER, "{}"], [])).rejects.toThrow(
      "Cannot compare the records with the ledger",
    );
  });
});

const size = (p99: number) => ({ count: 1_000, p50: p99 / 4, p99, max: p99 * 2 });
const step = (streams: number, gapErrorMs: number, more: Partial<CalibrationStep> = {}): CalibrationStep => ({
  streams,
  chunksPerS: streams * 50,
  ttftError: size(gapErrorMs),
  gapError: size(gapErrorMs),
  serverGapError: size(1),
  unmatched: 0,
  validity: "VALID",
  ...more,
});
const calibration = (steps: readonly CalibrationStep[]): Calibration => {
  const trusted = trustedOf(steps);
  return {
    schema: "assay.calibration/1",
    at: "2026-01-02T03:04:05.000Z",
    tool: "assay 0",
    machine: { cpus: 2, model: "test", memoryGb: 8 },
    steps: [...steps],
    ...(trusted && { trusted }),
  };
};

describe("a machine is trusted", () => {
  test.each<[string, readonly CalibrationStep[], number | undefined]>([
    ["up to the last step within the bound", [step(25, 1), step(50, 5), step(100, 5.1)], 50],
    ["not beyond a step that broke, whatever follows", [step(25, 1), step(50, 9), step(100, 1)], 25],
    ["not where requests were lost", [step(25, 1), step(50, 1, { unmatched: 1 })], 25],
    ["not at all when the first step broke", [step(25, 6)], undefined],
    ["not where nothing was measured", [step(25, 0, { gapError: { count: 0, p50: 0, p99: 0, max: 0 } })], undefined],
  ])("%s", (_, steps, streams) => expect(trustedOf(steps)?.streams).toBe(streams));

  test("and a larger load is reported", () => {
    const small = calibration([step(25, 1), step(50, 9)]);
    expect(beyondCalibration(25, small)).toBeUndefined();
    expect(beyondCalibration(undefined, small)).toBeUndefined();
    expect(beyondCalibration(26, small)).toContain(
      "26 requests were in flight at once; this machine is calibrated for 25 streams",
    );
  });
});

test("memory is counted by virtual user, above the first step", () => {
  const run = (inFlightLimit: number, rssMaxMb: number) => ({
    metrics: {},
    client: { inFlightLimit, rssMaxMb, wakeP99Ms: 0.3 },
    validity: { verdict: "VALID" as const, reasons: [], lateness: [] },
  });
  const errors = { ttft: size(1), gap: size(1), serverGap: size(1), unmatched: 0 };
  const first = stepOf(20, run(25, 100), errors, undefined);
  expect(first).toMatchObject({ wakeP99Ms: 0.3 });
  expect(first.memoryMbPerUser).toBeUndefined();
  expect(stepOf(40, run(50, 150), errors, { users: 25, rssMaxMb: 100 }).memoryMbPerUser).toBe(2);
  expect(stepOf(20, run(25, 150), errors, { users: 25, rssMaxMb: 100 }).memoryMbPerUser).toBeUndefined();
});

test("a server without a plan is compared all the same", async () => {
  const rows = ledgerOf(records, 0).map((row) => JSON.stringify({ ...JSON.parse(row), planned_ms: undefined }));
  const errors = await compareWithGroundTruth(linesOf(records), rows);
  expect(errors).toMatchObject({ gap: { count: 450 }, serverGap: { count: 0, p99: 0 }, unmatched: 0 });
});

test("a target that could not keep its own plan is named as the limit", () => {
  expect(stepNote(step(400, 9, { serverGapError: size(20) }))).toContain("the target itself was late");
  expect(stepNote(step(400, 9))).toBe("gap error above 5 ms");
  expect(stepNote(step(400, 1))).toBe("");
});

test("a calibration in which the target was late up to the trusted load is not one of this machine", () => {
  const late = { serverGapError: size(20) };
  expect(lateTargetStep(calibration([step(25, 1), step(50, 1, late), step(100, 9)]))?.streams).toBe(50);
  expect(lateTargetStep(calibration([step(25, 9, late)]))?.streams).toBe(25);
  expect(lateTargetStep(calibration([step(25, 1), step(50, 9, late)]))).toBeUndefined();
  expect(lateTargetStep(calibration([step(25, 1), step(50, 9)]))).toBeUndefined();
});

test("a calibration is written and read back, and shown with a line per step", () => {
  const shown = calibration([step(25, 1), step(50, 9)]);
  expect(parseCalibration(JSON.parse(calibrationJson(shown)))).toEqual(shown);
  const text = calibrationTerminal(shown, { colour: false });
  expect(text).toContain("Trusted up to 25 streams (1,250 chunks/s)");
  expect(text.split("\n").filter((line) => /^ +(25|50) /.test(line))).toHaveLength(2);
});

describe("the page and the terminal say the same", () => {
  const late = step(50, 9, { serverGapError: size(20) });
  test.each<[string, readonly CalibrationStep[], string, readonly string[]]>([
    ["trusted", [step(25, 1), step(50, 9)], "TRUSTED", ["50 streams: gap error above 5 ms"]],
    [
      "trusted as far as it was looked",
      [step(25, 1)],
      "TRUSTED",
      ["none found up to 25 streams; --streams names more"],
    ],
    ["not trusted", [step(25, 9)], "NOT TRUSTED", ["25 streams: gap error above 5 ms"]],
    ["not known", [late], "INCONCLUSIVE", ["50 streams: the target itself was late"]],
  ])("%s", (_, steps, word, limits) => {
    const shown = calibration(steps);
    const { sentence, ...verdict } = calibrationVerdict(shown);
    expect(verdict.word).toBe(word);
    const views = [calibrationTerminal(shown, { colour: false }), calibrationHtml(shown)];
    for (const view of views) {
      for (const text of [word, sentence, ...limits, "2 CPUs (test), 8 GB"]) expect(view).toContain(text);
    }
    const [text = "", page = ""] = views;
    expect(text.startsWith(`${word}  ${sentence}\n`)).toBe(true);
    for (const { id, title } of calibrationSections(shown)) expect(page).toContain(`<h2 id="${id}">${title}</h2>`);
    expect(page.match(/<figure class="plot"/g)).toHaveLength(2);
  });
});
