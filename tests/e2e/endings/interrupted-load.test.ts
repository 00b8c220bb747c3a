/** A load generator that is stopped during a load: the target is not failed for it, and nothing is passed as if it had run. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { k6Writing } from "../../support/commands/running-processes.ts";
import { resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const STOPPED_MS = 3_000;

/** The load generator writes a line per second. */
const lastLine = (file: string): string =>
  existsSync(file) ? (readFileSync(file, "utf8").split("\n").at(-2) ?? "") : "";

test("k6 is stopped once for 3 s in an open loop: the report says so, and what that can have changed is undecided", async () => {
  const mock = await startMockProcess("--ttft", "20ms", "--itl", "50ms", "--output-tokens", "40");
  const folder = newFolder();
  const running = startAssay([
    ...["load", "chat-stream", "--target", mock.url, "--out", folder, "--rate", "40", "--duration", "15s"],
    ...["--warmup", "0", "--slo", "icl<2.5s", "--slo", "stall<1"],
  ]);
  await expect.poll(() => lastLine(join(folder, "client.jsonl"))).toMatch(/"ok":[1-9]/);
  const k6 = k6Writing(folder);
  process.kill(k6, "SIGSTOP");
  await wait(STOPPED_MS);
  process.kill(k6, "SIGCONT");
  const { code, stdout } = await running.ended;
  const run = resultOf(folder);

  expect(run.client.wakeMaxMs, stdout).toBeGreaterThan(0.9 * STOPPED_MS);
  expect(run.metrics["icl"]?.max, "a gap that the stop made").toBeGreaterThan(2_500);
  expect(run.slos.map(({ ok }) => ok)).not.toContain(false);
  expect(Object.fromEntries(run.slos.map(({ expr, ok }) => [expr, ok]))).toMatchObject({
    "icl<2.5s": null,
    "stall<1": null,
  });
  expect(run.outages).toEqual([]);
  expect(run.validity.verdict).not.toBe("INVALID");
  expect(run.validity.reasons.join()).toMatch(/the load generator did not run (for|\d+ times)/);
  expect(stdout).toMatch(/the load generator did not run/);
  expect(stdout).toMatch(/^INCONCLUSIVE/);
  expect(code).toBe(2);
});
