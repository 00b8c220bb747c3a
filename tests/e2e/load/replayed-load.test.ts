/** The result of a load computed from its records again: reproduced as it was written, and not once a value was edited. */

import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isObject } from "../../../lib/json.ts";
import { verifyRun } from "../../../reports/load/verify-run.ts";
import { replayLoad } from "../../../runs/load/replay-load.ts";
import { ensureK6 } from "../../../toolchain/find-k6.mjs";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { load } from "../../support/commands/load-to-end.ts";
import { editedValues } from "../../support/edited-values.ts";
import { resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

let folder: string;
beforeAll(async () => {
  const { url } = await startMockProcess("--timing", "fast");
  const shape = ["--rate", "20", "--duration", "2s", "--warmup", "500ms", "--check", "100%"];
  ({ folder } = await load("chat-stream", url, ...shape));
});

/** A copy of the result, with one of its files edited. */
function edited(file: string, edit: (text: string) => string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  const text = readFileSync(join(copy, file), "utf8");
  expect(edit(text)).not.toBe(text);
  writeFileSync(join(copy, file), edit(text));
  return copy;
}

const differences = async (dir: string) => (await replayLoad(dir)).verification?.differences.join("\n");

test("a result names what ran, on which load, and the files that it is made of", async () => {
  const { k6Sha256, evidence } = resultOf(folder);
  const { path } = await ensureK6();
  expect(k6Sha256).toEqual([createHash("sha256").update(readFileSync(path)).digest("hex")]);
  expect(evidence?.map(({ file }) => file)).toEqual([
    ...["records.jsonl", "client.jsonl", "load.json", "bundle.js"],
    ...["check/exchanges.jsonl", "check/verdicts.jsonl"],
  ]);
});

test("it follows from its records, in every report, also where another folder holds them", async () => {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  const { code, stdout } = await assay(["replay", copy]);
  expect(stdout).toMatch(/\nREPRODUCED {2}[\d,]+ values of run\.json follow from the evidence\n$/);
  expect(code, stdout).toBe(resultOf(folder).exitCode);
  await assay(["report", copy, "--as", "k6,vllm-bench"]);
  expect(await differences(copy)).toBe("");
});

test("a value of every kind that is edited by hand is found", () => {
  const run = resultOf(folder);
  const missed = new Map<string, string>();
  const tried = new Set<string>();
  for (const { path, document } of editedValues(run)) {
    const kind = path.replace(/\[\d+\]/g, "[]");
    if (tried.has(kind) || !isObject(document)) continue;
    tried.add(kind);
    if (verifyRun(document, { again: run, views: [] }).differences.length === 0) missed.set(kind, path);
  }
  expect([...missed]).toEqual([]);
  expect(tried.size).toBeGreaterThan(300);
});

test.each([
  [
    "run.json",
    (text: string) => text.replace(/("ttft": \{[^}]*?"p50": )[\d.]+/, "$11"),
    /\.ttft\.p50 is 1 in run\.json; the records give \d/,
  ],
  [
    "records.jsonl",
    (text: string) => text.replace(/"e2e":\d+/, '"e2e":9'),
    /^records\.jsonl was changed: its SHA-256 is .*\n(.*\n)*.*e2e/,
  ],
  ["load.json", (text: string) => `${text} `, /^load\.json was changed.*$/],
  [
    "run.html",
    (text: string) => text.replace(/PASSED|INCONCLUSIVE/, "EXCELLENT"),
    /^run\.html is not what the records give$/,
  ],
])("an edited %s is found", async (file, edit, sentence) => {
  expect(await differences(edited(file, edit))).toMatch(sentence);
});

test("nothing is concluded of the target from a result that was edited, and its records are reported", async () => {
  const out = newFolder();
  const copy = edited("run.json", (text) => text.replace(/"offered": \d+/, '"offered": 4000'));
  const { code, stdout } = await assay(["replay", copy, "--out", out]);
  expect(stdout).toMatch(/\nNOT REPRODUCED {2}1 difference between .*\n {2}counts\.offered is 4000 in run\.json/);
  expect(code, stdout).toBe(2);
  expect(resultOf(out).counts).toEqual(resultOf(folder).counts);
});

test("shards that were merged are verified by the folders that they are in", async () => {
  const both = newFolder();
  for (const name of ["a", "b"]) cpSync(folder, join(both, "runners", name), { recursive: true });
  const { code, stdout, stderr } = await assay(["report", both]);
  expect(code, stderr + stdout).toBe(2);
  expect(resultOf(both).evidence?.map(({ file }) => file)).toContain("b/check/verdicts.jsonl");
  expect(await differences(both)).toBe("");
});
