import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conformanceJson } from "../../formats/conformance.ts";
import { historyLineJson } from "../../formats/history.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { madeLine } from "../../tests/support/results/made-history.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { appendLines } from "./history-file.ts";
import { HistoryReader } from "./read-history.ts";

/** A result folder of a conformance run. */
function conformanceIn(folder: string, startedAt: string, name?: string): string {
  mkdirSync(folder, { recursive: true });
  const clauses = [clauseOf("chat.a"), clauseOf("chat.b", { verdict: "FAIL" })];
  const settings = { profile: "service", ...(name !== undefined && { name, tag: { branch: "main" } }) };
  writeFileSync(join(folder, "conformance.json"), conformanceJson(resultOfClauses(clauses, { startedAt, settings })));
  return folder;
}

async function readOf(...paths: readonly string[]): Promise<HistoryReader> {
  const reader = new HistoryReader();
  for (const path of paths) await reader.read(path);
  return reader;
}

test("results within a folder are found, with their names, tags and failed clauses", async () => {
  const folder = newFolder();
  conformanceIn(join(folder, "job-1/results"), "2026-01-02T03:04:05.000Z", "nightly");
  const { lines, unreadable } = await readOf(folder);
  expect(unreadable).toEqual([]);
  expect(lines).toMatchObject([
    { kind: "conformance", name: "nightly", tags: { branch: "main" }, failed: ["chat.b"], verdict: "DOES NOT CONFORM" },
  ]);
});

describe("a damaged result is a sentence, and the others are read:", () => {
  test.each([
    ["cut off", "run.json", '{"schema": "assay.load/1", "tar', "run.json: it is not JSON, or was cut off."],
    ["of another shape", "run.json", '{"schema": "assay.load/1"}', "run.json: target is missing."],
    ["another format", "conformance.json", '{"schema": "assay.conformance/9"}', "in the format assay.conformance/9"],
    ["without a report", "records.jsonl", "{}\n", "no report of it was made."],
    ["of a search", "search.json", "{}", "it holds a search"],
    ["of repeats, damaged", "repeat.json", "{}", "repeat.json is not one"],
    ["nested deeply", "run.json", "[".repeat(100_000), "it is nested too deeply."],
  ])("%s", async (_, file, text, reason) => {
    const folder = newFolder();
    conformanceIn(join(folder, "good"), "2026-01-02T03:04:05.000Z");
    mkdirSync(join(folder, "bad"));
    writeFileSync(join(folder, "bad", file), text);
    const { lines, unreadable } = await readOf(folder);
    expect(lines).toHaveLength(1);
    expect(unreadable).toEqual([expect.stringContaining(reason)]);
  });

  test("of which the time is none", async () => {
    const folder = newFolder();
    const { lines, unreadable } = await readOf(conformanceIn(join(folder, "bad"), "yesterday"));
    expect(lines).toEqual([]);
    expect(unreadable).toEqual([expect.stringContaining("startedAt")]);
  });

  test("lines of a history file", async () => {
    const file = join(newFolder(), "history.jsonl");
    const text = `${historyLineJson(madeLine({ day: 1 }))}{"kind": "load"}\nnot JSON\n${historyLineJson(madeLine({ day: 2 }))}{"cut`;
    writeFileSync(file, text);
    const { lines, unreadable } = await readOf(file);
    expect(lines.map(({ id }) => id)).toEqual([madeLine({ day: 1 }).id, madeLine({ day: 2 }).id]);
    expect(unreadable.map((line) => line.replace(file, "FILE"))).toEqual([
      expect.stringMatching(/^FILE, line 2: /),
      expect.stringMatching(/^FILE, line 3: not JSON/),
      "FILE: the last line was cut off.",
    ]);
  });
});

test("a link within a folder is not followed", async () => {
  const elsewhere = newFolder();
  conformanceIn(join(elsewhere, "result"), "2026-01-02T03:04:05.000Z");
  const folder = newFolder();
  symlinkSync(elsewhere, join(folder, "link"));
  expect((await readOf(folder)).lines).toEqual([]);
});

test("what does not exist is a usage error that says what to name", async () => {
  await expect(readOf(join(newFolder(), "nothing"))).rejects.toThrow("it does not exist. Name a result folder");
});

test("a result is known by its id wherever it is read from, also after its reports were regenerated", async () => {
  const folder = newFolder();
  const result = conformanceIn(join(folder, "a"), "2026-01-02T03:04:05.000Z");
  cpSync(result, join(folder, "b"), { recursive: true });
  const [line] = (await readOf(folder)).lines;
  const file = join(folder, "history.jsonl");
  if (line !== undefined) appendLines(file, [line]);
  expect((await readOf(file, folder)).lines).toEqual([line]);
});

test("lines are appended, after a line that was cut off on a line of their own", async () => {
  const file = join(newFolder(), "history.jsonl");
  const [one, two, three] = [1, 2, 3].map((day) => madeLine({ day }));
  if (one === undefined || two === undefined || three === undefined) throw new Error("Three lines were made.");
  appendLines(file, [one]);
  const before = readFileSync(file, "utf8");
  appendLines(file, [two]);
  expect(readFileSync(file, "utf8")).toBe(before + historyLineJson(two));
  appendLines(file, []);
  appendFileSync(file, '{"cut');
  appendLines(file, [three]);
  const { lines, unreadable } = await readOf(file);
  expect(lines).toEqual([one, two, three]);
  expect(unreadable).toEqual([expect.stringContaining("line 3: not JSON")]);
});
