import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, httpError, instant, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { withRead } from "../../../tests/support/results/summarize-shards.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { FAILED_REQUEST, failureTable } from "../views/failure-rows.ts";
import { notableRequests } from "./notable-requests.ts";

const ORIGIN = readInstant(instant(0));
const notable = (records: readonly RequestRecord[]) =>
  withRead(records, ({ database }) => notableRequests(database, ORIGIN));
const record = (index: number, change: Partial<RequestRecord> = {}): RequestRecord => ({
  ...chatRecord(index, 1_000 + index * 50, "measure"),
  ...change,
});

test("the slowest of each kind are kept, the slowest first, whatever their order", async () => {
  const { slowest, failed } = await notable(
    Array.from({ length: 500 }, (_, index) => record(index, { ttft: (index * 7) % 500, e2e: 1_000 - index })),
  );
  expect(slowest["ttft"]?.map(({ ttftMs }) => ttftMs)).toEqual([499, 498, 497, 496, 495]);
  expect(slowest["e2e"]?.map(({ id }) => id)).toEqual(["r-0", "r-1", "r-2", "r-3", "r-4"]);
  expect(failed).toEqual([]);
});

test("the median request of each operation is a measured one that was ok", async () => {
  const { median } = await notable([
    ...[5, 1, 4, 2, 3].map((e2e, index) => record(index, { e2e })),
    ...[60, 10, 50].map((e2e, index) => record(10 + index, { e2e, op: "chat" as const })),
    ...[record(20, { phase: "warmup", e2e: 1 }), record(21, { outcome: "stalled", e2e: 9_000 })],
  ]);
  expect(median?.map(({ op, e2eMs }) => [op, e2eMs])).toEqual([
    ["chat.stream", 3],
    ["chat", 50],
  ]);
});

test("the warm-up, failures and polls are not among the slowest; a request without gaps has none", async () => {
  const { slowest } = await notable([
    record(1, { phase: "warmup", ttft: 9_000 }),
    record(2, { outcome: "stalled", ttft: 9_000 }),
    { ...unanswered(record(3), "ok"), op: "video.poll", e2e: 9_000 },
    record(4, { gaps_us: [] }),
  ]);
  expect(Object.entries(slowest).map(([by, [first]]) => [by, first?.id])).toEqual([
    ["ttft", "r-4"],
    ["e2e", "r-4"],
  ]);
});

test("of each operation, outcome and status 20 failures are kept, the first one and others over the whole run", async () => {
  const many = 10_000;
  const { failed } = await notable([
    ...Array.from({ length: many }, (_, index) => httpError(record(index), 500)),
    ...Array.from({ length: 20 }, (_, index) => httpError(record(many + index), 503)),
    httpError(record(many + 200, { phase: "warmup" }), 400),
    unanswered(record(many + 201), "cancelled_by_us"),
  ]);
  const kept = failed.filter(({ status }) => status === 500).map(({ id }) => Number(id.slice(2)));
  expect(kept).toHaveLength(20);
  expect([kept[0], kept.at(-1)]).toEqual([0, 9_500]);
  expect(failed.filter(({ status }) => status === 503).map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, index) => `r-${many + index}`),
  );
  expect(failed[0]).toMatchObject({ sentS: 1.00025, reason: "status 500", outcome: "http_error" });
});

test("a video task that failed is listed by the poll that shows it, as failed", async () => {
  const { failed } = await notable([
    ...videoRecords("a", ["submit@0", "poll@1000:processing:50", "poll@2000:failed"]),
    ...videoRecords("b", ["submit@0", "poll@1000:completed"]),
  ]);
  const reason = "The task ended with the status failed.";
  expect(failed).toMatchObject([{ id: "a-2", op: "video", outcome: "task_failed", task: "a", reason }]);
  const told = await notable(
    videoRecords("c", ["submit@0", "poll@1000:failed"]).map((each) =>
      each.op === "video.poll" ? { ...each, detail: 'The task failed: {"code":"E7"}' } : each,
    ),
  );
  expect(told.failed[0]?.reason).toBe('The task failed: {"code":"E7"}');
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
