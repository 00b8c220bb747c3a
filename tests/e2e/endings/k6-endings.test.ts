/** Every way in which k6 can end: the records are complete up to then and can be read, and the report says what happened. */

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import {
  assay,
  type Ended,
  newFile,
  newFolder,
  type Running,
  startAssay,
} from "../../support/commands/assay-process.ts";
import { FEW_USERS } from "../../support/commands/load-to-end.ts";
import { k6Writing, processesNaming } from "../../support/commands/running-processes.ts";
import { arrivalLinesOf, recordsOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

let target = "";
beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant")).url;
});

const flagsOf = (scenario: string, folder: string, ...more: readonly string[]): string[] => [
  ...["load", scenario, "--target", target, "--out", folder, "--rate", "50", "--warmup", "0", ...FEW_USERS, ...more],
];
const start = (folder: string, ...more: readonly string[]): Running =>
  startAssay(flagsOf("chat-stream", folder, "--duration", "5m", ...more));
const hasStarted = (running: Running): Promise<string> => running.until(/p50 (\d+)/);
/** The result according to the records, none of which may be damaged. */
async function report(folder: string): Promise<RunResult> {
  const { code, stderr } = await assay(["report", folder, "--format", "json"]);
  expect(code, stderr).toBe(2);
  const run = resultOf(folder);
  expect(run.validity.reasons.join("\n")).not.toContain("damaged");
  expect(run.interrupted).toBe(true);
  return run;
}

const lastHealthLine = (folder: string): unknown =>
  JSON.parse(readFileSync(join(folder, "client.jsonl"), "utf8").trim().split("\n").at(-1) ?? "");

/** A scenario file with this action per arrival. */
function scenario(name: string, action: string): string {
  const file = join(newFolder(), `${name}.ts`);
  writeFileSync(
    file,
    `import { loadShape, paced, promptFor, streamChat } from "@assay-load/assay/scenarios";
import exec from "k6/execution";
export const options = loadShape("${name}");
export default paced((arrival) => { ${action} });
void [promptFor, streamChat, exec];
`,
  );
  return file;
}

test.concurrent.each(["full", "summary"])(
  "k6 is killed: what it has written is reported (--records %s)",
  async (form) => {
    const folder = newFolder();
    const running = start(folder, "--records", form);
    await hasStarted(running);
    process.kill(k6Writing(folder), "SIGKILL");
    const { code, stdout } = await running.ended;
    expect(code).toBe(2);
    expect(stdout).toContain("client.jsonl has no final line: the load generator was killed");
    expect(resultOf(folder).counts.completed).toBeGreaterThan(0);
    appendFileSync(join(folder, "records.jsonl"), '{"id":"0b5fd2c6-8a41-4c39-9e6d-000000000011","op":"chat.str');
    const run = await report(folder);
    expect(run.validity.reasons.join("\n")).toContain("the last line of records.jsonl was cut off");
    expect(run.counts).toEqual(resultOf(folder).counts);
  },
);

test.concurrent("assay is killed: k6 closes its files, and they can be reported", async ({ expect }) => {
  const folder = newFolder();
  const running = start(folder);
  await hasStarted(running);
  running.child.kill("SIGKILL");
  await running.ended;
  await expect.poll(() => processesNaming(folder), { timeout: 30_000 }).toEqual([]);
  expect(lastHealthLine(folder)).toMatchObject({ final: true, records: recordsOf(folder).length });
  const { validity, counts } = await report(folder);
  expect(counts.completed).toBeGreaterThan(0);
  expect(validity.reasons.join("\n")).not.toMatch(/killed|cut off/);
});

test.concurrent("the result folder is removed: that is said, and video tasks are cancelled all the same", async () => {
  const folder = newFolder();
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const flags = [
    "--target",
    mock.url,
    "--duration",
    "2s",
    "--set",
    "drain=1s",
    "--poll-interval",
    "50ms",
    "--set",
    "cancel-share=0",
  ];
  const running = startAssay([...flagsOf("video", folder), ...flags, "--rate", "5"]);
  await hasStarted(running);
  rmSync(folder, { recursive: true });
  const { code, stderr } = await running.ended;
  expect(stderr).toContain(`its result folder ${folder} was removed during the run`);
  expect(code).toBe(3);
  expect(await mock.openTasks()).toBe(0);
});

test.concurrent("a scenario throws in its first iteration: nothing is measured, and its error is shown", async () => {
  const folder = newFolder();
  const file = scenario("throws", 'throw new Error("a mistake of its author");');
  const { code, stdout, stderr } = await assay(flagsOf(file, folder, "--duration", "1s"));
  expect(code).toBe(2);
  expect(stdout).toMatch(/no request was recorded: the scenario threw in \d+ arrivals: Error: a mistake of its author/);
  expect(stderr).toMatch(
    /k6 logged errors\. The last: .*a mistake of its author.*\n(?: {4}at .*\.ts:\d+:\d+\)?\n)+All are in .*k6\.log/,
  );
  expect(recordsOf(folder)).toEqual([]);
  expect(lastHealthLine(folder)).toMatchObject({ final: true, records: 0 });
});

test.concurrent("a scenario without a default export is refused, and leaves no folder", async () => {
  const folder = join(newFolder(), "out");
  const file = newFile("none.ts", "export function send(): void {}\n");
  const { code, stderr } = await assay(flagsOf(file, folder));
  expect(stderr).toContain("it has no default export, the function that sends the requests of an arrival");
  expect(code).toBe(3);
  expect(existsSync(folder)).toBe(false);
});

test.concurrent("a scenario throws for some arrivals: each has a line with what it threw, and the others go on", async () => {
  const folder = newFolder();
  const action = 'if (arrival.index % 2 === 1) throw new Error("odd"); streamChat(promptFor(arrival));';
  const { stderr } = await assay(flagsOf(scenario("odd", action), folder, "--duration", "1s"));
  expect(stderr).toMatch(
    /k6 logged errors\. The last: The scenario threw in arrival \d+: Error: odd\n(?: {4}at .*\.ts:\d+:\d+\)?\n)+All are in/,
  );
  expect(
    recordsOf(folder)
      .map(({ arrival }) => arrival)
      .sort((a = 0, b = 0) => a - b),
  ).toEqual(Array.from({ length: 25 }, (_, nth) => 2 * nth));
  const threw = arrivalLinesOf(folder);
  expect(threw.map(({ index }) => index)).toEqual(Array.from({ length: 25 }, (_, nth) => 2 * nth + 1));
  for (const arrival of threw) expect(arrival).toMatchObject({ phase: "measure", end: "threw", detail: "Error: odd" });
});

test.concurrent("a scenario aborts the test: exit code 3 with its reason, and the records are complete", async () => {
  const folder = newFolder();
  const action = 'streamChat(promptFor(arrival)); if (arrival.index === 20) exec.test.abort("enough was seen");';
  const { code, stderr } = await assay(flagsOf(scenario("aborts", action), folder, "--duration", "1m"));
  expect(code).toBe(3);
  expect(stderr).toContain("test aborted: enough was seen");
  const records = recordsOf(folder).length;
  expect(records).toBeGreaterThanOrEqual(21);
  expect(lastHealthLine(folder)).toMatchObject({ final: true, records });
  expect((await report(folder)).counts.started).toBe(records);
});

describe("the disk is full", () => {
  const disk = newFolder();
  let ended: Ended | undefined;
  let mounted = false;
  beforeAll(async () => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=220k", "tmpfs", disk], { stdio: "ignore" });
      mounted = true;
    } catch {
      return;
    }
    mkdirSync(join(disk, "run"));
    ended = await startAssay(flagsOf("chat-stream", join(disk, "run"), "--duration", "5m")).ended;
  });
  afterAll(() => {
    if (mounted) execFileSync("umount", [disk]);
  });

  test("the run ends with exit code 3 and says what to do", ({ skip }) => {
    if (ended === undefined) return skip("this user may not mount a small disk");
    expect(ended.code).toBe(3);
    // Whichever of the two files is written next.
    expect(ended.stderr).toMatch(
      /cannot write (?:records|the health of the load generator): .*no space left on device; free space on (?:their|its) disk/,
    );
    expect(ended.stderr).not.toContain("Internal error");
  });

  test("its files are not reported as a result", async ({ skip }) => {
    if (ended === undefined) return skip("this user may not mount a small disk");
    const { code, stdout } = await assay(["report", join(disk, "run"), "--out", newFolder()]);
    expect(code).toBe(2);
    // client.jsonl is on the same disk: its last line may or may not have been written.
    expect(stdout).toMatch(/^INCONCLUSIVE/);
    expect(stdout).toMatch(/no space left on device|client\.jsonl has no final line/);
  });
});
