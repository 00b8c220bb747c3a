/** A search against a mock whose capacity is known: interrupted, killed, resumed, and confirmed within its range. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadOf, type SearchResult, searchResult } from "../../../formats/search.ts";
import { assay, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { processesNaming } from "../../support/commands/running-processes.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

/** 8 slots of ten steps of 16 ms: 50 chats per second. */
const CAPACITY = ["--slots", "8,prefill=0s,step=16ms,growth=0s,queue=500"];
const LIMIT = 50;
const MAX = 60;

test("the planted limit of the mock is found, by a search that was interrupted and killed", async () => {
  const mock = await startMockProcess(...CAPACITY, "--output-tokens", "11");
  const folder = newFolder();
  const saved = (): SearchResult => searchResult.parse(JSON.parse(readFileSync(join(folder, "search.json"), "utf8")));
  const shape = ["--rate", "40", "--max", `${MAX}`, "--tolerance", "30%", "--warmup", "500ms"];
  const lengths = ["--probe-duration", "2s", "--duration", "3s"];
  const objectives = ["--set", "no-default-slos", "--slo", "ok>=1", "--slo", "ttft_p50<150ms"];
  const flags = ["--target", mock.url, ...shape, ...lengths, ...objectives];

  const interrupted = startAssay(["search", "chat-stream", ...flags, "--out", folder], { ASSAY_API_KEY: "k" });
  await interrupted.until(/Finding the highest rate[\s\S]*at most 30/);
  await interrupted.until(/run-01[\s\S]*no errors/);
  interrupted.child.kill("SIGINT");
  const { code, stdout, stderr } = await interrupted.ended;
  expect(code, stderr).toBe(2);
  expect(stdout).toContain("the search was interrupted");
  expect(stdout).toContain(`repeat its command with --resume ${folder}`);
  expect(saved()).toMatchObject({ state: "interrupted", found: null, exitCode: 2 });

  const resume = ["search", "chat-stream", "--target", mock.url, "--resume", folder];
  const killed = startAssay(resume, { ASSAY_API_KEY: "k" });
  await killed.until(/(?:met|missed|client-limited) [\s\S]*run-\d+[\s\S]*no errors/);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const before = saved();
  expect(before).toMatchObject({ state: "running", exitCode: 2 });
  expect(before.steps.length).toBeGreaterThan(0);
  await expect.poll(() => processesNaming(folder), { timeout: 30_000 }).toEqual([]);

  const done = await assay(resume, { ASSAY_API_KEY: "k" });
  const search = saved();
  expect(search.steps.slice(0, before.steps.length)).toEqual(before.steps);
  expect(new Set(search.steps.map(({ run }) => run)).size).toBe(search.steps.length);
  for (const { run, arrivals, seconds, ...step } of search.steps) {
    expect(loadOf(step)).toBeLessThanOrEqual(MAX);
    expect(arrivals).toBeLessThanOrEqual(MAX * seconds);
    expect(existsSync(join(folder, run, "run.html"))).toBe(true);
  }
  // On a machine that does other work, the load generator may be the limit: then none is named.
  if (search.found === null && search.steps.some(({ verdict }) => verdict === "client-limited")) {
    expect(done.code).toBe(2);
  } else {
    expect(done.code, done.stdout + done.stderr).toBe(0);
    expect(search).toMatchObject({ state: "ended", limitedBy: "target", exitCode: 0 });
    expect(loadOf(search.found ?? {})).toBeGreaterThanOrEqual(LIMIT * 0.8);
    expect(loadOf(search.found ?? {})).toBeLessThan(LIMIT * 1.1);
    expect(done.stdout).toMatch(/^FOUND {2}[\d.]+\/s is the highest load that meets the objectives/);
    expect((await assay(resume)).code).toBe(3);
  }
  const reported = await assay(["report", folder]);
  expect(reported.code).toBe(search.exitCode);
  expect(readFileSync(join(folder, "search.html"), "utf8")).toContain("Latency over the load");
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["search.json", "search.html", "search.md", "run-01"]));
});
