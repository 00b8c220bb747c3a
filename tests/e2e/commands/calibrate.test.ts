/** `assay calibrate` measures the timing error of this machine against the ground truth; later loads use the result. */

import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Calibration, parseCalibration } from "../../../formats/calibration.ts";
import { lateTargetStep } from "../../../reports/calibration/calibration-steps.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { processesNaming } from "../../support/commands/running-processes.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const calibrationOf = (folder: string): Calibration =>
  parseCalibration(JSON.parse(readFileSync(join(folder, "calibration.json"), "utf8")));

/** How the command ends follows from what it measured, which depends on the machine. */
function expectEndOf(calibration: Calibration, { code, stdout, stderr }: Awaited<ReturnType<typeof assay>>): void {
  const { trusted } = calibration;
  const isLate = lateTargetStep(calibration) !== undefined;
  expect(code, stderr).toBe(trusted === undefined || isLate ? 2 : 0);
  const end = trusted === undefined ? "cannot be trusted" : `Trusted up to ${trusted.streams} streams`;
  expect(stdout).toContain(isLate ? "the target itself was late" : end);
  expect(stderr.includes("The calibration is not saved: "), stderr).toBe(isLate);
}

// Each takes a quarter of a minute, and has few streams.
describe.concurrent("at the same time", () => {
  test("a calibration is measured and stored, and larger loads warn that they exceed it", async () => {
    const folder = newFolder();
    const env = { XDG_STATE_HOME: newFolder() };
    const ended = await assay(["calibrate", "--streams", "3", "--out", folder], env);
    const { stderr } = ended;
    const calibration = calibrationOf(folder);
    const { steps } = calibration;
    expect(steps, stderr).toMatchObject([{ streams: 3, unmatched: 0, ttftError: { count: expect.any(Number) } }]);
    expect(steps[0]?.gapError.count).toBeGreaterThan(500);
    expectEndOf(calibration, ended);
    expect(processesNaming(folder)).toEqual([]);

    const stored = join(env.XDG_STATE_HOME, "assay", "calibration.json");
    expect(existsSync(stored)).toBe(lateTargetStep(calibration) === undefined);
    // One of a busy machine is stored here by the test.
    if (!existsSync(stored)) {
      mkdirSync(dirname(stored), { recursive: true });
      copyFileSync(join(folder, "calibration.json"), stored);
    }
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
    const env = { XDG_STATE_HOME: newFolder() };
    const args = ["calibrate", "--target", url, "--ground-truth", ledger, "--streams", "2,4", "--out", folder];
    const ended = await assay(args, env);
    const { stdout, stderr } = ended;
    const calibration = calibrationOf(folder);
    const { steps, target } = calibration;
    expect(target).toBe(url);
    expect(steps[0], stderr).toMatchObject({ streams: 2, unmatched: 0, wakeP99Ms: expect.any(Number) });
    // Two streams of 0.33 s each, for 8 s: the rate follows from the streams of this target.
    expect(steps[0]?.ttftError.count).toBeGreaterThan(20);
    expect(steps[0]?.gapError.count).toBe((steps[0]?.ttftError.count ?? 0) * 29);
    expect(stdout).toContain(`${url}; the ttft error includes the network`);
    expectEndOf(calibration, ended);
  });

  test("a ground-truth file without the requests of the step is an error", async () => {
    const { url } = await startMockProcess("--timing", "instant");
    const ledger = join(newFolder(), "ledger.jsonl");
    const env = { XDG_STATE_HOME: newFolder() };
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
