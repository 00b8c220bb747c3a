/** A k6 that hangs: `assay` ends it past its latest end, keeps its records and cancels the video tasks that it left. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planLoad } from "../../scripts/load/plan-load.ts";
import { runLoad } from "../../scripts/load/run-load.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { k6Writing, processesNaming } from "../support/running-processes.ts";
import { startMockProcess } from "../support/spawned-mock.ts";

const ALLOWANCES = { startMs: 2_000, perUserMs: 10, teardownMs: 1_000, endMs: 500 };

test("it is ended, and its records and tasks are dealt with", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const folder = newFolder();
  const flags = { target: mock.url, rate: "10", warmup: "0s", duration: "3s", drain: "1s", cancelShare: "0" };
  const said: string[] = [];
  let stopped = false;
  const progress = {
    show: (line: string) => {
      if (stopped || !/[1-9]\d* ok/.test(line)) return;
      stopped = true;
      process.kill(k6Writing(folder), "SIGSTOP");
    },
    say: (line: string) => void said.push(line),
    end: () => undefined,
  };
  const run = runLoad(planLoad("video", flags, { env: {} }), folder, progress, ALLOWANCES);
  await expect(run).rejects.toThrow(/k6 did not end by itself, and was ended\. What it recorded is saved/);
  expect(stopped).toBe(true);
  expect(said[0]).toMatch(/^k6 has not ended \d+s after its start, later than its settings allow\. Ending it\.$/);
  expect(processesNaming(folder)).toEqual([]);
  expect(await mock.openTasks()).toBe(0);
  expect(readFileSync(join(folder, "tasks.jsonl"), "utf8")).toContain('"event":"ended"');
  const { code, stdout } = await assay(["report", folder, "--out", newFolder()]);
  expect(code).toBe(2);
  expect(stdout).toContain("client.jsonl has no final line: the load generator was killed");
});
