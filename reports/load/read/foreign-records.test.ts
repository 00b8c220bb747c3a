/** Records that are cut, doubled or absurd: every byte of damage is found, named by its line, and costs that line alone. */

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { linesOf } from "../../../cli/file-lines.ts";
import { newFolder } from "../../../tests/support/commands/assay-process.ts";
import { makeRun, neverStarting } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { inDatabase } from "../../../tests/support/results/summarize-shards.ts";
import { type Read, readFitting, readHealth, readShards } from "./shards.ts";

const folder = newFolder();
const { records, client } = makeRun({
  rate: 1,
  warmupS: 0,
  durationS: 2,
  change: (record) => ({ ...record, detail: "é" }),
});

/** Reads files with this content into tables. */
async function readOf(files: { readonly records: Uint8Array; readonly client: Uint8Array }): Promise<Read> {
  const shard = { records: fileOf(files.records), client: fileOf(files.client) };
  return inDatabase((database) => readShards(database, [shard], { bounds: [] }));
}

/** The lines of a file with this content. */
function fileOf(content: Uint8Array) {
  const path = join(folder, randomUUID());
  writeFileSync(path, content);
  return linesOf(path);
}

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));
const short = client.map((line) => line.replace(/"wakes_us":\[[^\]]*\]/, '"wakes_us":[40,41]'));
const whole = { records: bytesOf(records), client: bytesOf(short) };

/** The requests among the lines that fit, and what is said of the others. */
async function fittingOf(content: Uint8Array) {
  const lines: string[] = [];
  const { damage } = await readFitting("records.jsonl", fileOf(content), (line) => lines.push(line));
  return { requests: Math.max(0, lines.length - 1), damage };
}

function isComplete(line = ""): boolean {
  try {
    return line === "" || typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

test("cut at any byte, records lose what was cut, and no more", async () => {
  for (let length = 0; length < whole.records.length - 1; length += 1) {
    const cut = whole.records.subarray(0, length);
    const { requests, damage } = await fittingOf(cut);
    const lines = cut.toString("latin1").split("\n");
    const complete = Math.max(0, lines.length - 2);
    expect([complete, complete + 1], `at ${length}`).toContain(requests);
    expect(damage.count > 0 || damage.cutOff, `at ${length}`).toBe(!isComplete(lines.at(-1)));
  }
});

test("cut in the middle of a line or after it, records make the run one that misses some", async () => {
  expect(await readOf(whole)).toMatchObject({ damage: [], notes: [] });
  const [header = 0, first = 0] = [...whole.records.keys()].filter((at) => whole.records[at] === 0x0a);
  for (const length of [0, 9, header, header + 1, header + 9, first, first + 1, first + 9]) {
    const { damage } = await readOf({ ...whole, records: whole.records.subarray(0, length) });
    expect(damage.join("; "), `at ${length}`).toMatch(/records were written, but|is empty/);
  }
});

test("cut at any byte, the lines of the load generator's health say that it was killed", async () => {
  for (let length = 0; length < whole.client.length - 1; length += 1) {
    const { all, damage } = await readHealth("client.jsonl", fileOf(whole.client.subarray(0, length)));
    expect([all.at(-1)?.final ?? false, damage.count], `at ${length}`).toEqual([false, 0]);
  }
  const { requests, damage, notes } = await readOf({ ...whole, client: whole.client.subarray(0, 9) });
  expect([requests.length, damage]).toEqual([2, []]);
  expect(notes.join("; ")).toContain("has no final line");
});

test("with any byte replaced, the reader neither throws nor reads a request twice", async () => {
  for (let at = 0; at < whole.records.length; at += 1) {
    const damaged = Buffer.from(whole.records);
    damaged[at] = 0xff;
    const { requests, damage } = await fittingOf(damaged);
    expect(requests, `at ${at}`).toBeLessThanOrEqual(2);
    expect(damage.count > 0 || damage.cutOff, `at ${at}`).toBe(true);
  }
});

test("a byte order mark and carriage returns change nothing", async () => {
  const windows = (lines: readonly string[]) => Buffer.from(`\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`);
  expect(await readOf({ records: windows(records), client: windows(client) })).toMatchObject({ damage: [], notes: [] });
});

describe("a line of records", () => {
  const { records: lines, client: health } = makeRun({ durationS: 5 });
  const changed = (more: object) =>
    lines.map((line, index) => (index === 57 ? JSON.stringify({ ...JSON.parse(line), ...more }) : line));

  test.each([
    ["a negative time", { e2e: -5 }, /line 58: e2e: Too small/],
    ["a time of ten thousand years", { ttft: 1e15 }, /line 58: ttft: Too big/],
    ["the text NaN as a time", { ttft: "NaN" }, /line 58: ttft: /],
    [
      "the year 9999",
      { sent: "9999-01-02T03:04:05.000000Z" },
      /line 58: sent: 9999-\S+ is not within the run, which started at 2026-/,
    ],
    ["no instant", { scheduled: "yesterday" }, /line 58: scheduled: /],
    ["a fraction of a chunk", { chunks: 1.5 }, /line 58: chunks: /],
    ["a status of no digit", { status: -1 }, /line 58: status: /],
    ["the id of another", { id: "r-2" }, /line 58: the id "r-2" is that of an earlier line/],
    ["gaps that are none", { gaps_us: [1, -1] }, /line 58: gaps_us: /],
    ["an outcome of a later version", { outcome: "evaporated" }, /line 58: outcome: /],
  ])("with %s costs that line, and makes the run INVALID", async (_, more, problem) => {
    const { validity, exitCode, counts } = await summarize([{ records: changed(more), client: health }]);
    expect(validity.reasons.join("; ")).toMatch(problem);
    expect([validity.verdict, exitCode, counts.started]).toEqual(["INVALID", 2, 99]);
  });

  test("that was written twice makes the run INVALID, be it one or all", async () => {
    for (const doubled of [
      lines.flatMap((line, index) => (index === 57 ? [line, line] : [line])),
      [...lines, ...lines],
    ]) {
      const { validity, counts } = await summarize([{ records: doubled, client: health }]);
      expect([validity.verdict, counts.started]).toEqual(["INVALID", 100]);
    }
  });

  test("about an arrival that was written twice makes the run INVALID", async () => {
    const { records: told, client: counted } = neverStarting(500);
    const { validity } = await summarize([{ records: [...told, told.at(-1) ?? ""], client: counted }]);
    expect(validity.reasons.join("; ")).toMatch(/arrival \d+ has such a line already/);
    expect(validity.verdict).toBe("INVALID");
  });

  test("of another file makes the run INVALID", async () => {
    for (const [index, extra] of [health[3], "null", "[]", "7", '""', '{"gaps":1}', '{"arrival":{}}'].entries()) {
      const { validity } = await summarize([{ records: [...lines, extra ?? "", lines.at(-1) ?? ""], client: health }]);
      expect(validity.verdict, `${index}`).toBe("INVALID");
    }
  });
});

describe("a line of the load generator's health", () => {
  const { records: lines, client: health } = makeRun({ durationS: 5 });

  test.each([
    [
      "written twice",
      [...health.slice(0, 3), health[2] ?? "", ...health.slice(3)],
      /client.jsonl, line 4: it repeats the line before/,
    ],
    ["of a file that was written twice", [...health, ...health], /client.jsonl, line 8: it comes after the final line/],
    [
      "out of order",
      [...health.slice(0, 2), health[3] ?? "", health[2] ?? "", ...health.slice(4)],
      /client.jsonl, line 4: t is 3, after 4/,
    ],
    ["in the future", health.map((line) => line.replace(/"t":2,/, '"t":1e300,')), /client.jsonl, line 2: t: Too big/],
    ["of the year 9999", health.map((line) => line.replace(/"2026-/, '"9999-')), /schedule_started_at: 9999-/],
  ])("%s is damage", async (_, damaged, problem) => {
    const { validity } = await summarize([{ records: lines, client: damaged }]);
    expect(validity.reasons.join("; ")).toMatch(problem);
    expect(validity.verdict).toBe("INVALID");
  });
});

test.each([
  ["at the same time", 0],
  ["a millisecond earlier, as rounding leaves it", -0.001],
])("two lines of health %s, as of a process that did not run for a while, are no damage", async (_, apart) => {
  const { records: lines, client: health } = makeRun({ durationS: 5 });
  const late = health.map((line, index) => {
    const { t, ...rest } = JSON.parse(line);
    return JSON.stringify({ t: index === 3 ? t - 1 + apart : t, ...rest });
  });
  const { validity } = await summarize([{ records: lines, client: late }]);
  expect(validity.reasons.join("; ")).not.toContain("damaged");
  expect(validity.verdict).toBe("VALID");
});

test("a histogram of two billion long gaps takes no more memory than one of two, and is damage", async () => {
  const { records: lines, client: health } = makeRun({ durationS: 5 });
  const gaps = { op: "chat.stream", phase: "measure", error: 0.001, us: [3_000_000, 5_000_000], n: [2e9, 2e9] };
  const { validity, metrics } = await summarize([{ records: [...lines, JSON.stringify({ gaps })], client: health }]);
  expect(validity.reasons.join("; ")).toMatch(/the histogram of gaps holds 4000000000 of the 0 gaps/);
  expect(validity.verdict).toBe("INVALID");
  expect(metrics["icl"]).toMatchObject({ count: 4e9 + 900, max: 5_000, p50: 3_000 });
});
