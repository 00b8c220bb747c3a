import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, httpError, instant, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { FAILED_REQUEST, failureTable } from "../views/failure-rows.ts";
import { NotableRequests, SpreadSample } from "./notable-requests.ts";

const ORIGIN = readInstant(instant(0));
const record = (index: number, change: Partial<RequestRecord> = {}): RequestRecord => ({
  ...chatRecord(index, 1_000 + index * 50, "measure"),
  ...change,
});

test("the slowest of each kind are kept, the slowest first, whatever their order", () => {
  const notable = new NotableRequests();
  for (let index = 0; index < 500; index += 1)
    notable.add(record(index, { ttft: (index * 7) % 500, e2e: 1_000 - index }));
  const { slowest, failed } = notable.of(ORIGIN);
  expect(slowest["ttft"]?.map(({ ttftMs }) => ttftMs)).toEqual([499, 498, 497, 496, 495]);
  expect(slowest["e2e"]?.map(({ id }) => id)).toEqual(["r-0", "r-1", "r-2", "r-3", "r-4"]);
  expect(failed).toEqual([]);
});

test("the warm-up, failures and polls are not among the slowest; a request without gaps has none", () => {
  const notable = new NotableRequests();
  notable.add(record(1, { phase: "warmup", ttft: 9_000 }));
  notable.add(record(2, { outcome: "stalled", ttft: 9_000 }));
  notable.add({ ...unanswered(record(3), "ok"), op: "video.poll", e2e: 9_000 });
  notable.add(record(4, { gaps_us: [] }));
  const { slowest } = notable.of(ORIGIN);
  expect(Object.entries(slowest).map(([by, [first]]) => [by, first?.id])).toEqual([
    ["ttft", "r-4"],
    ["e2e", "r-4"],
  ]);
});

test("of each operation, outcome and status 20 failures are kept, the first one and others over the whole run", () => {
  const notable = new NotableRequests();
  for (let index = 0; index < 100_000; index += 1) notable.add(httpError(record(index % 50), 500));
  for (let index = 0; index < 20; index += 1) notable.add(httpError(record(index), 503));
  notable.add(httpError(record(200, { phase: "warmup" }), 400));
  notable.add(unanswered(record(201), "cancelled_by_us"));
  const { failed } = notable.of(ORIGIN);
  expect(failed.filter(({ status }) => status === 500)).toHaveLength(20);
  expect(failed.filter(({ status }) => status === 503).map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, index) => `r-${index}`),
  );
  expect(failed[0]).toMatchObject({ sentS: 1.00025, reason: "status 500", outcome: "http_error" });
});

test("a sample spreads over all that it is shown", () => {
  for (const total of [1, 20, 39, 40, 41, 999, 12_345]) {
    const sample = new SpreadSample(20);
    for (let index = 0; index < total; index += 1) sample.add(record(index));
    const kept = sample.records.map(({ id }) => Number(id.slice(2)));
    expect(kept[0]).toBe(0);
    expect(kept).toHaveLength(Math.min(20, total));
    expect(total - (kept.at(-1) ?? 0), String(total)).toBeLessThanOrEqual(Math.ceil(total / 10));
  }
});

test("a video task that failed is listed by the poll that shows it, as failed", () => {
  const notable = new NotableRequests();
  for (const each of videoRecords("a", ["submit@0", "poll@1000:processing:50", "poll@2000:failed"])) notable.add(each);
  for (const each of videoRecords("b", ["submit@0", "poll@1000:completed"])) notable.add(each);
  const { failed } = notable.of(ORIGIN);
  const reason = "The task ended with the status failed.";
  expect(failed).toMatchObject([{ id: "a-2", op: "video", outcome: "task_failed", task: "a", reason }]);
  const told = new NotableRequests();
  for (const each of videoRecords("c", ["submit@0", "poll@1000:failed"]))
    told.add(each.op === "video.poll" ? { ...each, detail: 'The task failed: {"code":"E7"}' } : each);
  expect(told.of(ORIGIN).failed[0]?.reason).toBe('The task failed: {"code":"E7"}');
  const failure = { ...{ op: "video", outcome: "task_failed", reason }, count: 1, share: 0.5, firstS: 0, lastS: 2 };
  const table = failureTable({ failures: [failure], requests: { slowest: {}, failed } });
  expect(table?.rows[0]?.[FAILED_REQUEST]).toBe("a-2");
});

test("a result has them", async () => {
  const run = makeRun({ change: (each, index) => (index === 300 ? httpError(each) : each) });
  const { requests } = await summarize([run]);
  expect(requests?.failed.map(({ id }) => id)).toEqual(["r-300"]);
  expect(Object.keys(requests?.slowest ?? {})).toEqual(["ttft", "gap", "e2e"]);
});
