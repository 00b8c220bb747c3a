/** `assay calibrate` measures the timing error of this machine against the ground truth; later loads use the result. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Calibration, parseCalibration } from "../../formats/calibration.ts";
import { ensureK6 } from "../../scripts/toolchain/find-k6.mjs";
import { EXTENSION } from "../../scripts/toolchain/k6.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { processesNaming } from "../support/running-processes.ts";
import { startMockProcess } from "../support/spawned-mock.ts";

const calibrationOf = (folder: string): Calibration =>
  parseCalibration(JSON.parse(readFileSync(join(folder, "calibration.json"), "utf8")));

// Each takes a quarter of a minute, and has few streams.
describe.concurrent("at the same time", () => {
  test("a calibration is measured and stored, and larger loads warn that they exceed it", async () => {
    const folder = newFolder();
    const env = { XDG_CACHE_HOME: newFolder(), ASSAY_K6: (await ensureK6(EXTENSION)).path };
    const { code, stdout, stderr } = await assay(["calibrate", "--streams", "3", "--out", folder], env);
    const { steps, trusted } = calibrationOf(folder);
    expect(steps, stderr).toMatchObject([{ streams: 3, unmatched: 0, ttftError: { count: expect.any(Number) } }]);
    expect(steps[0]?.gapError.count).toBeGreaterThan(500);
    expect(code).toBe(trusted === undefined ? 2 : 0);
    expect(stdout).toContain(trusted === undefined ? "cannot be trusted" : "Trusted up to 3 streams");
    expect(processesNaming(folder)).toEqual([]);

    const mock = await startMockProcess("--ttft", "500ms", "--itl", "1ms");
    const load = ["load", "chat", "--target", mock.url, "--vus", "8", "--duration", "2s", "--warmup", "0"];
    expect((await assay(load, env)).stderr).toMatch(
      /8 requests were in flight at once; this machine is calibrated for [03] streams/,
    );
  });

  test("a calibration against another target reads the ground truth that it writes meanwhile", async () => {
    const ledger = join(newFolder(), "ledger.jsonl");
    const timing = ["--ttft", "40ms", "--itl", "10ms", "--output-tokens", "30"];
    const { url } = await startMockProcess(...timing, "--ledger", ledger);
    const folder = newFolder();
    const env = { XDG_CACHE_HOME: newFolder(), ASSAY_K6: (await ensureK6(EXTENSION)).path };
    const args = ["calibrate", "--target", url, "--ground-truth", ledger, "--streams", "2,4", "--out", folder];
    const { code, stdout, stderr } = await assay(args, env);
    const { steps, target, trusted } = calibrationOf(folder);
    expect(target).toBe(url);
    expect(steps[0], stderr).toMatchObject({ streams: 2, unmatched: 0, wakeP99Ms: expect.any(Number) });
    // Two streams of 0.33 s each, for 8 s: the rate follows from the streams of this target.
    expect(steps[0]?.ttftError.count).toBeGreaterThan(20);
    expect(steps[0]?.gapError.count).toBe((steps[0]?.ttftError.count ?? 0) * 29);
    expect(stdout).toContain(`against ${url}`);
    expect(code).toBe(trusted === undefined ? 2 : 0);
  });

  test("a ground-truth file without the requests of the step is an error", async () => {
    const { url } = await startMockProcess("--timing", "instant");
    const ledger = join(newFolder(), "ledger.jsonl");
    const env = { XDG_CACHE_HOME: newFolder(), ASSAY_K6: (await ensureK6(EXTENSION)).path };
    const { code, stderr } = await assay(
      ["calibrate", "--target", url, "--ground-truth", ledger, "--streams", "2"],
      env,
    );
    expect(stderr).toMatch(/Cannot compare with \S+ledger\.jsonl: none of the \d+ requests of the step/);
    expect(code).toBe(2);
  });
});

test.each([
  [["--target", "http://127.0.0.1:9"], "Name the file in which it records that with --ground-truth"],
  [["--ground-truth", "ledger.jsonl"], "name the target that writes it with --target"],
])("%s alone is a usage error that names the missing flag", async (flags, advice) => {
  const { code, stderr } = await assay(["calibrate", ...flags]);
  expect(stderr).toContain(advice);
  expect(code).toBe(3);
});
