/** `assay calibrate` grades this machine by the mock's ledger; later loads know how far it can be trusted. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCalibration } from "../../reports/calibration/calibration.ts";
import { EXTENSION } from "../../scripts/k6.ts";
import { ensureK6 } from "../../scripts/setup/k6.mjs";
import { assay, newFolder } from "../support/assay.ts";
import { startMockProcess } from "../support/mock.ts";
import { processesNaming } from "../support/processes.ts";

test("a calibration is measured, kept, and held against larger loads", async () => {
  const folder = newFolder();
  const env = { XDG_CACHE_HOME: newFolder(), ASSAY_K6: (await ensureK6(EXTENSION)).path };
  const { code, stdout, stderr } = await assay(["calibrate", "--streams", "3", "--out", folder], env);
  const { steps, trusted } = parseCalibration(JSON.parse(readFileSync(join(folder, "calibration.json"), "utf8")));
  expect(steps, stderr).toMatchObject([{ streams: 3, unmatched: 0, ttftError: { count: expect.any(Number) } }]);
  expect(steps[0]?.gapError.count).toBeGreaterThan(500);
  expect(code).toBe(trusted === undefined ? 2 : 0);
  expect(stdout).toContain(trusted === undefined ? "not to be trusted" : "Trusted up to 3 streams");
  expect(processesNaming(folder)).toEqual([]);

  const mock = await startMockProcess("--ttft", "500ms", "--itl", "1ms");
  const load = ["load", "chat", "--target", mock.url, "--vus", "8", "--duration", "2s", "--warmup", "0"];
  expect((await assay(load, env)).stderr).toMatch(
    /8 requests were open at once; this machine is calibrated for [03] streams/,
  );
});
