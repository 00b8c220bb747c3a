/** A history of real results: runs of the mock with names and tags, read from their folders and from a file that grows. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { historySummary } from "../../../formats/history-summary.ts";
import { parseJson } from "../../../lib/json.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const folder = newFolder();
const results = join(folder, "results");
const file = join(folder, "history.jsonl");

beforeAll(async () => {
  const { url } = await startMockProcess("--ttft", "20ms", "--itl", "2ms", "--output-tokens", "5");
  const load = ["load", "chat-stream", "--target", url, "--rate", "40", "--duration", "2s", "--warmup", "0", "--quiet"];
  const runs = [
    [...load, ...FEW_UNITS, "--name", "nightly", "--tag", "branch=main", "--tag", "region=eu"],
    [
      ...load,
      ...FEW_UNITS,
      "--name",
      "nightly",
      "--tag",
      "branch=next",
      "--repeat",
      "2",
      "--set",
      "repeat-pause=100ms",
    ],
    ["conformance", "--target", url, "--only", "embeddings.*", "--name", "check", "--tag", "branch=main", "--quiet"],
  ];
  for (const [index, args] of runs.entries()) {
    const { code, stderr, stdout } = await assay([...args, "--out", join(results, `${index}`)]);
    expect(code, stderr + stdout).not.toBe(3);
  }
});

/** The data of a history that is expected to be written. */
async function historyOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await assay(["history", ...args, "--json"]);
  expect(code, stderr).toBe(0);
  return historySummary.parse(parseJson(stdout));
}

test("runs keep their names and tags, and those of --repeat are results of their own", async () => {
  const out = join(folder, "page");
  const { code, stdout, stderr } = await assay(["history", results, "--out", out]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^4 results of \d{4}-\d\d-\d\d\n/);
  expect(stdout).toMatch(/nightly +3 /);
  expect(stdout).toMatch(/check +1 /);
  const page = readFileSync(join(out, "history.html"), "utf8");
  expect(page).toContain('data-verdict="region=eu"');
  expect(page).toContain("ttft_scheduled_p50");
  expect(readFileSync(join(out, "history.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(4);
});

test("--append adds what is new to a file, --tag filters what is shown", async () => {
  const first = await historyOf(join(results, "0"), "--append", file, "--out", join(folder, "first"));
  expect(first.results).toMatchObject([{ name: "nightly", tags: { branch: "main", region: "eu" } }]);
  const all = await historyOf(results, "--append", file, "--out", join(folder, "all"));
  expect(all.results).toHaveLength(4);
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(4);
  const next = await historyOf(file, "--tag", "branch=next", "--out", join(folder, "next"));
  expect(next.results.map(({ name, tags }) => [name, tags])).toEqual(Array(2).fill(["nightly", { branch: "next" }]));
  const check = await historyOf(file, "--name", "check", "--tag", "branch=main", "--out", join(folder, "check"));
  expect(check.results.map(({ kind, name }) => [kind, name])).toEqual([["conformance", "check"]]);
});

test.each([
  ["a folder that does not exist", [join(folder, "nothing")], "does not exist. Name a result folder"],
  ["a tag that no result has", [results, "--tag", "branch=other"], "none of 4 results has the name and the tags"],
  ["a name that no result has", [results, "--name", "weekly"], "the names are nightly, check."],
  ["what is no tag", [results, "--tag", "branch"], '"branch" is not a tag; write NAME=VALUE'],
])("%s is a usage error, and leaves no folder", async (_, args, message) => {
  const out = join(folder, "refused");
  const { code, stderr } = await assay(["history", ...args, "--out", out]);
  expect(code).toBe(3);
  expect(stderr).toContain(message);
  expect(existsSync(out)).toBe(false);
});
