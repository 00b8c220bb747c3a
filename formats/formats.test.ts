/**
 * The files in `testdata/` hold Go and the stock client to the formats: they must write and read exactly these lines.
 * They cover every operation, phase, outcome and flag; `outcomes.json` is generated from the enums here.
 */

import { readFileSync } from "node:fs";
import { expect, describe as group, test } from "vitest";
import { clientLine } from "./client.ts";
import { FLAGS, OPS, OUTCOMES, PHASES, STREAM_FORMATS, TOKEN_SOURCES } from "./outcomes.ts";
import { gapsLine, recordHeader, requestRecord } from "./records.ts";
import { taskEvent } from "./tasks.ts";

const linesOf = (name: string): unknown[] =>
  readFileSync(new URL(`./testdata/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const TASK_EVENTS = taskEvent.options.map((option) => option.shape.event.value);

test("the enums are written for the other languages", async () => {
  const enums = {
    ops: OPS,
    phases: PHASES,
    outcomes: OUTCOMES,
    flags: FLAGS,
    streamFormats: STREAM_FORMATS,
    tokenSources: TOKEN_SOURCES,
    taskEvents: TASK_EVENTS,
  };
  await expect(`${JSON.stringify(enums, null, 2)}\n`).toMatchFileSnapshot("./testdata/outcomes.json");
});

group("the recorded lines", () => {
  const [header, ...records] = linesOf("records.jsonl");

  test("are read whole: the schema knows every member", () => {
    expect(recordHeader.parse(header)).toEqual(header);
    for (const line of [...records, ...linesOf("stock-records.jsonl").slice(1)]) {
      expect(requestRecord.parse(line)).toEqual(line);
    }
    const [summaryHeader, summary, gaps] = linesOf("records-summary.jsonl");
    expect(recordHeader.parse(summaryHeader)).toEqual(header);
    expect(requestRecord.parse(summary)).toEqual(summary);
    expect(gapsLine.parse(gaps)).toEqual(gaps);
    expect(recordHeader.parse(linesOf("stock-records.jsonl")[0])).toMatchObject({ stock: true });
    for (const line of linesOf("client.jsonl")) expect(clientLine.parse(line)).toEqual(line);
    for (const line of linesOf("tasks.jsonl")) expect(taskEvent.parse(line)).toEqual(line);
  });

  test("cover every operation, phase, outcome, flag, format and event", () => {
    const parsed = records.map((line) => requestRecord.parse(line));
    const seen = <T>(values: readonly (T | undefined)[]) => new Set(values.filter((value) => value !== undefined));
    expect(seen(parsed.map(({ op }) => op))).toEqual(new Set(OPS));
    expect(seen(parsed.map(({ phase }) => phase))).toEqual(new Set(PHASES));
    expect(seen(parsed.map(({ outcome }) => outcome))).toEqual(new Set(OUTCOMES));
    expect(seen(parsed.flatMap(({ flags = [] }) => flags))).toEqual(new Set(FLAGS));
    expect(seen(parsed.map(({ format }) => format))).toEqual(new Set(STREAM_FORMATS));
    expect(seen(parsed.map(({ token_source }) => token_source))).toEqual(new Set(TOKEN_SOURCES));
    expect(new Set(linesOf("tasks.jsonl").map((line) => taskEvent.parse(line).event))).toEqual(new Set(TASK_EVENTS));
  });
});
