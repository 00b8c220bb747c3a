/**
 * The files in `testdata/` hold Go to the formats: it must write and read exactly these lines.
 * They cover every operation, phase, outcome and flag; `outcomes.json` is generated from the enums here.
 */

import { readFileSync } from "node:fs";
import { expect, describe as group, test } from "vitest";
import { OPS } from "../contract/operations.ts";
import { clientLine } from "./client.ts";
import { exchangeLine } from "./exchanges.ts";
import {
  ARRIVAL_ENDS,
  CANCEL_REASONS,
  CLIENT_FAULTS,
  FLAGS,
  OUTCOMES,
  PHASES,
  SIZE_LIMITS,
  STREAM_FORMATS,
  TOKEN_SOURCES,
} from "./outcomes.ts";
import { arrivalLine, gapsLine, kindOfLine, recordHeader, requestRecord } from "./records.ts";
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
    arrivalEnds: ARRIVAL_ENDS,
    cancelReasons: CANCEL_REASONS,
    tokenSources: TOKEN_SOURCES,
    clientFaults: CLIENT_FAULTS,
    taskEvents: TASK_EVENTS,
  };
  await expect(`${JSON.stringify(enums, null, 2)}\n`).toMatchFileSnapshot("./testdata/outcomes.json");
  await expect(`${JSON.stringify(SIZE_LIMITS, null, 2)}\n`).toMatchFileSnapshot("./testdata/size-limits.json");
});

group("the recorded lines", () => {
  const [header, ...records] = linesOf("records.jsonl");

  test("are read whole: the schema knows every member", () => {
    expect(recordHeader.parse(header)).toEqual(header);
    for (const line of records) expect(requestRecord.parse(line)).toEqual(line);
    const [summaryHeader, summary, gaps] = linesOf("records-summary.jsonl");
    expect(recordHeader.parse(summaryHeader)).toEqual(header);
    expect(requestRecord.parse(summary)).toEqual(summary);
    expect(gapsLine.parse(gaps)).toEqual(gaps);
    for (const line of linesOf("arrival-lines.jsonl")) expect(arrivalLine.parse(line)).toEqual(line);
    for (const line of linesOf("client.jsonl")) expect(clientLine.parse(line)).toEqual(line);
    for (const line of linesOf("tasks.jsonl")) expect(taskEvent.parse(line)).toEqual(line);
    for (const line of linesOf("sampled-exchanges.jsonl")) expect(exchangeLine.parse(line)).toEqual(line);
  });

  test("are told apart by their members", () => {
    expect(records.map(kindOfLine)).not.toContain("arrival");
    expect(new Set(linesOf("records-summary.jsonl").slice(1).map(kindOfLine))).toEqual(new Set(["request", "gaps"]));
    expect(new Set(linesOf("arrival-lines.jsonl").map(kindOfLine))).toEqual(new Set(["arrival"]));
  });

  test("cover every operation, phase, outcome, fault, flag, format, event and end of an arrival", () => {
    const parsed = records.map((line) => requestRecord.parse(line));
    const seen = <T>(values: readonly (T | undefined)[]) => new Set(values.filter((value) => value !== undefined));
    expect(seen(parsed.map(({ op }) => op))).toEqual(new Set(OPS));
    expect(seen(parsed.map(({ phase }) => phase))).toEqual(new Set(PHASES));
    expect(seen(parsed.map(({ outcome }) => outcome))).toEqual(new Set(OUTCOMES));
    expect(seen(parsed.flatMap(({ flags = [] }) => flags))).toEqual(new Set(FLAGS));
    expect(seen(parsed.map(({ client_fault }) => client_fault))).toEqual(new Set(CLIENT_FAULTS));
    expect(seen(parsed.map(({ format }) => format))).toEqual(new Set(STREAM_FORMATS));
    expect(seen(parsed.map(({ token_source }) => token_source))).toEqual(new Set(TOKEN_SOURCES));
    expect(seen(parsed.map(({ cancel_reason }) => cancel_reason))).toEqual(new Set(CANCEL_REASONS));
    const ends = linesOf("arrival-lines.jsonl").map((line) => arrivalLine.parse(line).arrival.end);
    expect(new Set(ends)).toEqual(new Set(ARRIVAL_ENDS));
    expect(new Set(linesOf("tasks.jsonl").map((line) => taskEvent.parse(line).event))).toEqual(new Set(TASK_EVENTS));
  });
});
