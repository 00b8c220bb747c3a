/** Loads that end before their time: a condition holds, or the target has become unreachable. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assay, newFolder, type Running, startAssay, unansweredIn } from "../../support/commands/assay-process.ts";
import { endless } from "../../support/commands/load-to-end.ts";
import { processesNaming } from "../../support/commands/running-processes.ts";
import { recordsOf, resultOf } from "../../support/results/read-results.ts";
import { mockOfTest } from "../../support/targets/spawned-mock.ts";

interface Load {
  readonly running: Running;
  readonly folder: string;
}

function endlessLoad(scenario: string, target: string, flags: readonly string[]): Load {
  const args = ["load", scenario, "--target", target, ...endless(scenario), "--max-in-flight", "40", ...flags];
  const folder = newFolder();
  return { folder, running: startAssay([...args, "--out", folder], { ASSAY_API_KEY: "k" }) };
}

/** Every view, and a report that is made of the records later, says when the run ended and why. */
async function expectSaid(folder: string, conclusion: RegExp, asSentence = conclusion, exitCode = 1): Promise<void> {
  const { code, stdout, stderr } = await assay(["report", folder]);
  expect(code, stdout + stderr).toBe(exitCode);
  const view = (name: string): string => readFileSync(join(folder, `run.${name}`), "utf8");
  const plain = (text: string): string => text.replaceAll("&gt;", ">").replaceAll("&#62;", ">").replace(/&#95;/g, "_");
  for (const text of [stdout, view("md"), view("junit.xml")]) expect(plain(text)).toMatch(conclusion);
  expect(plain(view("html"))).toMatch(asSentence);
}

test.concurrent("a condition ends the run with what was measured saved and its video tasks cancelled", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast", "--work", "10m", "--fault", "stream-429");
  const condition = "error_rate>50% over 2s";
  const { running, folder } = endlessLoad("mixed", mock.url, [
    "--mix",
    "chat-stream=3,video=1",
    "--abort-on",
    condition,
  ]);
  const { code, stdout, stderr } = await running.ended;
  expect(code, stdout + stderr).toBe(1);
  expect(stderr).toContain(`Ending the run, by ${condition}: 100% over the last 2s`);
  const run = resultOf(folder);
  expect(run).toMatchObject({ interrupted: true, aborted: { expr: condition, phase: "measure" } });
  expect(run.counts.outcomes["rate_limited"]).toBeGreaterThan(0);
  expect(recordsOf(folder).some(({ op }) => op === "video.submit")).toBe(true);
  await expectSaid(
    folder,
    /ended \d+\.\d s into the run by error_rate>50% over 2s: 100% over the last 2s/,
    /Ended \d+\.\d s into the run by error_rate>50% over 2s: 100% over the last 2s/,
  );
  expect(processesNaming(folder)).toEqual([]);
  // A submission that the end cut off has no known task, and is named.
  expect(await mock.openTasks()).toBeLessThanOrEqual(unansweredIn(stderr));
});

test.concurrent("a budget ends the run with what is in flight counted, and its video tasks cancelled", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast", "--work", "10m");
  const prices = '{"currency":"EUR","output":1,"video-second":0.1}';
  const { running, folder } = endlessLoad("mixed", mock.url, [
    ...["--mix", "chat-stream=3,video=1", "--set", `prices=${prices}`, "--max-cost", "5"],
  ]);
  const { code, stdout, stderr } = await running.ended;
  expect(code, stdout + stderr).toBe(2);
  // A video that is under way costs 0.50 EUR.
  const used = /by --max-cost 5: 0\.0\d+ EUR spent, at most \d+\.\d\d EUR in flight, and about \d+\.\d+ EUR more in/;
  expect(stderr).toMatch(used);
  const run = resultOf(folder);
  expect(run).toMatchObject({ interrupted: true, aborted: { expr: "--max-cost 5" }, cost: { currency: "EUR" } });
  expect(run.cost?.total).toBeGreaterThan(0);
  expect(run.cost?.openTasks).toBeGreaterThanOrEqual(4);
  await expectSaid(folder, used, used, 2);
  expect(await mock.openTasks()).toBeLessThanOrEqual(unansweredIn(stderr));
});

test.concurrent("arrivals of a scenario count when they have ended, with what it threw after requests that were ok", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast");
  const file = join(newFolder(), "throws.ts");
  writeFileSync(
    file,
    `import { loadShape, paced, promptFor, streamChat } from "@assay-load/assay/scenarios";
export const options = loadShape("throws");
export default paced((arrival) => {
  streamChat(promptFor(arrival));
  throw new Error("the reply is not what was asked for");
});
`,
  );
  const condition = "error_rate>50% over 2s";
  const { running, folder } = endlessLoad(file, mock.url, ["--abort-on", condition]);
  const { code, stdout, stderr } = await running.ended;
  expect(code, stdout + stderr).toBe(1);
  expect(stderr).toContain(`Ending the run, by ${condition}: 100% over the last 2s`);
  expect(recordsOf(folder).filter(({ outcome }) => outcome === "ok").length).toBeGreaterThanOrEqual(5);
});

test.concurrent("a target that has become unreachable ends the run, with the time", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast");
  const { running, folder } = endlessLoad("chat-stream", mock.url, [
    "--set",
    "abort-when-gone=2s",
    "--set",
    "no-default-slos",
    "--slo",
    "error_rate<5%",
  ]);
  await running.until(/p50 (\d+)/);
  await mock.stop();
  const { code, stdout, stderr } = await running.ended;
  expect(code, stdout + stderr).toBe(1);
  expect(stderr).toMatch(
    /Ending the run, because the target does not respond: no response to \d+ requests for [1-9]\d*s\./,
  );
  expect(existsSync(join(folder, "stop.json"))).toBe(true);
  await expectSaid(folder, /because the target does not respond: no response to \d+ requests for [1-9]\d*s/);
  // A busy machine may have made others before.
  expect(resultOf(folder).outages.at(-1)).toMatchObject({ recovered: false });
});
