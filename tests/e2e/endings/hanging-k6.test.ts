/** A k6 that hangs: `assay` ends it past its latest end, keeps its records and cancels the video tasks that it left. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planLoad } from "../../../runs/load/plan-load.ts";
import { runLoad } from "../../../runs/load/run-load.ts";
import { cancelLeftovers } from "../../../runs/tasks/cancel-leftovers.ts";
import { assay, newFolder, unansweredIn } from "../../support/commands/assay-process.ts";
import { k6Writing, processesNaming } from "../../support/commands/running-processes.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

const ALLOWANCES = { startMs: 2_000, perUserMs: 10, teardownMs: 1_000, endMs: 500 };

/** Runs a load of video tasks in this process, and stops its k6 for good once there are tasks. */
function loadThatHangs(target: string, duration: string, then: () => void = () => undefined) {
  const folder = newFolder();
  const flags = { target, rate: "10", warmup: "0s", duration, drain: "1s", cancelShare: "0" };
  const said: string[] = [];
  let hangs = false;
  const progress = {
    show: (state: string | readonly string[]) => {
      if (hangs || !/p50/.test([state].flat().join())) return;
      hangs = true;
      process.kill(k6Writing(folder), "SIGSTOP");
      then();
    },
    say: (line: string) => void said.push(line),
    end: () => undefined,
  };
  const ended = runLoad(planLoad("video", flags, { env: {} }), folder, progress, ALLOWANCES);
  return { folder, said, ended };
}

/** Nothing runs on, and nothing of what was recorded is lost. */
async function expectCleanedUp(mock: MockProcess, folder: string): Promise<void> {
  expect(processesNaming(folder)).toEqual([]);
  // A submission that was under way when k6 stopped has no known task: it is named.
  const { warnings } = await cancelLeftovers({ folder, connections: [], withinMs: 1_000 });
  expect(await mock.openTasks()).toBeLessThanOrEqual(unansweredIn(warnings.join("\n")));
  expect(readFileSync(join(folder, "tasks.jsonl"), "utf8")).toContain('"event":"ended"');
  const { code, stdout } = await assay(["report", folder, "--out", newFolder()]);
  expect(code).toBe(2);
  expect(stdout).toContain("client.jsonl has no final line: the load generator was killed");
}

const OVERDUE = /^k6 is still running \d+[sm] after its start, when it should have ended\. Ending it\.$/;

test("it is ended past its latest end, and its records and tasks are dealt with", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { folder, said, ended } = loadThatHangs(mock.url, "3s");
  await expect(ended).rejects.toThrow(/k6 did not end by itself, and was ended\. What it recorded is saved/);
  expect(said[0]).toMatch(OVERDUE);
  await expectCleanedUp(mock, folder);
});

test("it is ended soon after an interrupt", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { folder, said, ended } = loadThatHangs(mock.url, "10m", () => void process.emit("SIGINT"));
  await ended;
  expect(said.some((line) => OVERDUE.test(line))).toBe(true);
  await expectCleanedUp(mock, folder);
});
