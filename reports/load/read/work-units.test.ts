import { expect, describe as group, test } from "vitest";
import type { ArrivalLine, RequestRecord } from "../../../formats/records.ts";
import { chatRecord, httpError, instant } from "../../../tests/support/results/load-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { timesOf } from "./request-columns.ts";
import { TaskHistories } from "./task-histories.ts";
import { NO_BOUNDS, type UnitOutcome, Units } from "./work-units.ts";

/** The units that records and lines of arrivals make up, by outcome. */
function outcomesOf(records: readonly RequestRecord[], lines: readonly ArrivalLine[] = []): UnitOutcome[] {
  const [units, tasks] = [new Units(), new TaskHistories()];
  for (const record of records) tasks.add(record, units.add(record, timesOf(record), NO_BOUNDS));
  for (const line of lines) units.addArrival(line, undefined);
  for (const task of tasks.submitted()) units.addTask(task, NO_BOUNDS);
  return Array.from({ length: units.length }, (_, row) => units.unit(row).outcome);
}

const chat = (arrival: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  ...chatRecord(arrival, arrival * 50, "measure"),
  arrival,
  ...more,
});
const task = (arrival: number, ...history: string[]): RequestRecord[] =>
  videoRecords(`t${arrival}`, history).map((record) => ({ ...record, arrival }));
const line = (index: number, end: ArrivalLine["end"]): ArrivalLine => ({
  index,
  phase: "measure",
  scheduled: instant(index * 50),
  end,
});

group("a unit of work", () => {
  test("is all requests of an arrival, and fails by the first of them that does", () => {
    expect(
      outcomesOf([chat(0), chat(0), chat(1), { ...httpError(chat(0)), arrival: 0 }, chat(0, { outcome: "reset" })]),
    ).toEqual(["http_error", "ok"]);
  });

  test("is one request where records do not number their arrivals", () => {
    const { arrival: _, ...old } = chat(0);
    expect(outcomesOf([old, { ...old, outcome: "timeout" }])).toEqual(["ok", "timeout"]);
  });

  test.each<[ArrivalLine["end"], UnitOutcome[]]>([
    ["not_started", ["ok", "not_started"]],
    ["threw", ["ok", "threw"]],
    ["no_request", ["ok", "no_request"]],
    ["unfinished", ["ok", "unfinished"]],
  ])("that a line says is %s", (end, outcomes) => {
    expect(outcomesOf([chat(0)], [line(1, end)])).toEqual(outcomes);
  });

  test("whose scenario threw has that outcome, unless a request of it failed before", () => {
    expect(outcomesOf([chat(0)], [line(0, "threw")])).toEqual(["threw"]);
    expect(outcomesOf([chat(0, { outcome: "timeout" })], [line(0, "threw")])).toEqual(["timeout"]);
  });

  test("that we cut off is unfinished", () => {
    expect(outcomesOf([chat(0, { outcome: "cancelled_by_us" })])).toEqual(["unfinished"]);
  });
});

group("a video task as a unit of work", () => {
  const lost = "poll@1000:lost";
  test.each<[UnitOutcome, string[]]>([
    ["ok", ["submit@0", "poll@1000:processing", "poll@2000:completed"]],
    ["ok", ["submit@0", lost, "poll@2000:completed"]],
    ["ok", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:cancelled"]],
    ["ok", ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:completed"]],
    ["task_failed", ["submit@0", "poll@1000:failed"]],
    ["task_cancelled", ["submit@0", "poll@1000:cancelled"]],
    ["task_uncancelled", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:processing"]],
    ["task_timed_out", ["submit@0", "poll@1000:processing", "giveup@50000"]],
    ["task_orphaned", ["submit@0", "poll@1000:processing"]],
    ["unfinished", ["submit@0", "poll@1000:processing", "clean@90000"]],
  ])("is %s when its history is %j", (outcome, history) => {
    expect(outcomesOf(task(0, ...history))).toEqual([outcome]);
  });

  test("that went wrong before the run ended is not excused by its end", () => {
    expect(outcomesOf(task(0, "submit@0", "poll@1000:failed"), [line(0, "unfinished")])).toEqual(["task_failed"]);
  });

  test("polled without a submission is judged by its requests", () => {
    expect(outcomesOf(task(0, "poll@0:processing", lost))).toEqual(["reset"]);
  });
});
