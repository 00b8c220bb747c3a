/** Files of a result folder that are none of it, or only look like it: every reader says so at once, in one sentence. */

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import { replay } from "../runs/conformance/replay-run.ts";
import { planLoad } from "../runs/load/plan-load.ts";
import { openTasksOf } from "../runs/tasks/open-tasks.ts";
import { conformanceResultOf } from "../runs/views/conformance-views.ts";
import { loadResultOf } from "../runs/views/load-views.ts";
import { newFile, newFolder } from "../tests/support/commands/assay-process.ts";
import { makeRun } from "../tests/support/results/load-run.ts";
import { EXCHANGES, LINES, verdictsOf } from "../tests/support/results/verdict-lines.ts";

const { records, client } = makeRun({ durationS: 2 });
const WHOLE = {
  "records.jsonl": records,
  "client.jsonl": client,
  "verdicts.jsonl": verdictsOf(LINES),
  "exchanges.jsonl": EXCHANGES,
} as const;
type Name = keyof typeof WHOLE;

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A result folder in which one file is replaced. */
function folderWith(name: Name, put: (path: string) => void): string {
  const folder = newFolder();
  for (const [other, lines] of Object.entries(WHOLE)) {
    if (other !== name) writeFileSync(join(folder, other), textOf(lines));
  }
  put(join(folder, name));
  return folder;
}

const READERS: readonly (readonly [string, Name, (folder: string) => Promise<unknown>])[] = [
  ["report of a load", "records.jsonl", async (folder) => withoutHashes(await loadResultOf([folder]))],
  ["report of a load, its health", "client.jsonl", async (folder) => withoutHashes(await loadResultOf([folder]))],
  ["report of a conformance run", "verdicts.jsonl", async (folder) => withoutHashes(await conformanceResultOf(folder))],
  [
    "replay",
    "exchanges.jsonl",
    async (folder) => {
      const { result, ...rest } = await replay(folder);
      return { result: withoutHashes(result), ...rest };
    },
  ],
];

/** What a file says, whatever its bytes are. */
const withoutHashes = ({ evidence: _, ...result }: ConformanceResult | RunResult): object => result;

/** A pipe to which nobody writes. */
function pipe(path = join(newFolder(), "pipe")): string {
  spawnSync("sh", ["-c", 'mkfifo "$0"', path]);
  return path;
}

const MIB = 2 ** 20;

/** A file with one line of so many bytes, of which almost none take space on the disk. */
function writeLongLine(path: string, bytes: number): void {
  writeFileSync(path, '{"schema":"');
  truncateSync(path, bytes);
}

describe.each(READERS)("%s", (_, name, read) => {
  test.each<[string, (path: string) => void, RegExp]>([
    ["a folder", (path) => mkdirSync(path), /it is a folder, not a file/],
    ["a pipe", (path) => void pipe(path), /it is a pipe or a device, not a file/],
    ["a device", (path) => symlinkSync("/dev/zero", path), /it is a pipe or a device, not a file/],
    ["compressed", (path) => writeFileSync(path, gzipSync(textOf(WHOLE[name]))), /compressed with gzip; decompress it/],
  ])("says at once that its file is %s", async (__, put, reason) => {
    await expect(read(folderWith(name, put))).rejects.toThrow(reason);
  });

  test("reads a file of Windows as it reads one of Unix", async () => {
    const windows = (path: string) => writeFileSync(path, `\uFEFF${WHOLE[name].join("\r\n")}\r\n`);
    const unix = (path: string) => writeFileSync(path, textOf(WHOLE[name]));
    expect(await read(folderWith(name, windows))).toEqual(await read(folderWith(name, unix)));
  });
});

describe.each(READERS.filter(([, name]) => name !== "client.jsonl"))("the header of a %s", (_, name, read) => {
  const headed = (first: string) =>
    folderWith(name, (path) => writeFileSync(path, textOf([first, ...WHOLE[name].slice(1)])));

  test("of a later version is named, with the version that is read", async () => {
    const later = WHOLE[name][0]?.replace(/"(assay\.\w+)\/1"/, '"$1/2"') ?? "";
    await expect(read(headed(later))).rejects.toThrow(
      /is in the format assay\.\w+\/2, and this version of Assay reads assay\.\w+\/1/,
    );
  });

  test.each([
    ["no JSON", "%PDF-1.7", /the first line of \S+ is not its header \(it is not JSON\)/],
    ["of another file", '{"schema":"other/1"}', /is not its header \(schema is not /],
    ["a list", "[]", /is not its header \(/],
    ["not there", "", /is not its header \(it is not JSON\)/],
  ])("that is %s is named", async (__, first, reason) => {
    await expect(read(headed(first))).rejects.toThrow(reason);
  });

  test("is not looked for in a line without end", async () => {
    const folder = folderWith(name, (path) => writeLongLine(path, 300 * MIB));
    await expect(read(folder)).rejects.toThrow(/is not its header \(it is longer than 64 MiB\)/);
  });
});

test("a line of hundreds of megabytes between two others costs that line, and neither time nor memory", async () => {
  const folder = folderWith("records.jsonl", (path) => {
    writeLongLine(path, 300 * MIB);
    const file = openSync(path, "r+");
    writeSync(file, textOf(records.slice(0, 5)), 0);
    writeSync(file, `\n${textOf(records.slice(5))}`, 300 * MIB);
    closeSync(file);
  });
  const before = process.memoryUsage().rss;
  const { validity, exitCode, counts } = await loadResultOf([folder]);
  expect(validity.reasons.join("; ")).toContain("records.jsonl, line 6: longer than 64 MiB");
  expect([validity.verdict, exitCode, counts.started]).toEqual(["INVALID", 2, 40]);
  expect(process.memoryUsage().rss - before).toBeLessThan(280 * MIB);
});

test("what follows a line of more than 512 MiB is not looked for, as in a sparse file of any size", async () => {
  const folder = newFolder();
  const path = join(folder, "tasks.jsonl");
  writeLongLine(path, 600 * MIB);
  appendFileSync(path, `\n${JSON.stringify({ event: "accepted", id: "1", task: "t-1" })}\n`);
  expect(await openTasksOf(folder)).toMatchObject({ tasks: [], damaged: 1 });
}, 60_000);

test("bytes that are not UTF-8 cost their line", async () => {
  const folder = folderWith("records.jsonl", (path) => {
    const bytes = Buffer.from(textOf(records));
    bytes[bytes.indexOf("chat.stream", 2_000)] = 0xe9;
    writeFileSync(path, bytes);
  });
  const { validity } = await loadResultOf([folder]);
  expect(validity.reasons.join("; ")).toMatch(/records.jsonl, line \d+: not text in UTF-8/);
});

describe("a replay", () => {
  const lines = EXCHANGES;
  test.each<[string, readonly string[], RegExp]>([
    ["cut in the middle", [...lines.slice(0, 2), lines[2]?.slice(0, 50) ?? "", ...lines.slice(3)], /line 3: not JSON/],
    ["that occurs twice", [...lines, lines[1] ?? ""], /line 6: the id 1 is that of an earlier line/],
    [
      "with an absurd number",
      [lines[0] ?? "", (lines[1] ?? "").replace(/"status":\d+/, '"status":1e400')],
      /line 2: answer\.status/,
    ],
  ])("of exchanges of which one is %s decides nothing, and says what it could read", async (_, exchanges, reason) => {
    const folder = folderWith("exchanges.jsonl", (path) => writeFileSync(path, textOf(exchanges)));
    const refused = replay(folder);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(/\d lines after the header could be read/);
  });
});

test("verdicts that occur twice are damage, and the run is not taken for finished well", async () => {
  const verdicts = verdictsOf(LINES);
  const doubled = [...verdicts.slice(0, 2), verdicts[1] ?? "", ...verdicts.slice(2)];
  const folder = folderWith("verdicts.jsonl", (path) => writeFileSync(path, textOf(doubled)));
  const { problems } = await conformanceResultOf(folder);
  expect(problems.join()).toMatch(/verdicts.jsonl, line 3: chat.status has a verdict already/);
});

test("a journal is read line by line, whatever the lines are", async () => {
  const folder = newFolder();
  const accepted = (id: string) => JSON.stringify({ event: "accepted", id, task: `t-${id}` });
  writeFileSync(
    join(folder, "tasks.jsonl"),
    `${accepted("1")}\n\u0000\u0000\n${accepted("2")}\r\n${accepted("2")}\n{"ev`,
  );
  expect(await openTasksOf(folder)).toMatchObject({ tasks: ["t-1", "t-2"], unanswered: [], damaged: 2 });
});

describe("a load", () => {
  const flags = { target: "http://t" };
  const absurd = newFile("absurd.jsonl", '{"timestamp": 1e308}\n{"timestamp": 1e400}\n');
  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["a device as prompts", { prompts: "/dev/zero" }, /Cannot read prompts from \/dev\/zero: it is a pipe or a device/],
    ["a pipe as prompts", { prompts: pipe() }, /Cannot read prompts from .*: it is a pipe or a device/],
    ["a folder as prompts", { prompts: tmpdir() }, /it is a folder, not a file/],
    [
      "a device as a trace",
      { arrival: "trace:/dev/zero" },
      /Cannot read arrivals from \/dev\/zero: it is a pipe or a device/,
    ],
    [
      "a device as further members",
      { extraBody: "/dev/zero" },
      /Cannot read further members.* it is a pipe or a device/,
    ],
    ["a device as certificates", { caFile: "/dev/zero" }, /Cannot read certificates from \/dev\/zero: it is a pipe/],
    [
      "a device as settings",
      { config: "/dev/zero" },
      /Cannot read settings from \/dev\/zero: it is a pipe or a device/,
    ],
    ["a trace without end", { arrival: `trace:${absurd}` }, /Cannot read arrivals from \S+: line [12] /],
  ])("is not planned with %s", (_, given, reason) => {
    expect(() => planLoad("chat-stream", { ...flags, ...given }, { env: {} })).toThrow(reason);
  });
});
