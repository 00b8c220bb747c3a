import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, httpError, instant } from "../../../tests/support/results/load-run.ts";
import { withRead } from "../../../tests/support/results/summarize-shards.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { requestPoints } from "./request-points.ts";

const ORIGIN = readInstant(instant(0));
const id = (index: number): string => `3f2a9c1e-77b1-4c2d-9e0f-${index.toString(16).padStart(12, "0")}`;
/** A chat per 10 ms, every tenth refused. */
const CHATS = Array.from({ length: 200 }, (_, index): RequestRecord => {
  const record = { ...chatRecord(index, 10 * index, "measure"), id: id(index) };
  return index % 10 === 9 ? httpError(record, 503) : record;
});

const pointsOf = (records: readonly RequestRecord[], more: Partial<Parameters<typeof requestPoints>[1]> = {}) =>
  withRead(records, ({ database }) => requestPoints(database, { by: "ttft", origin: ORIGIN, seed: 1, ...more }));

test("every request is a point: when it was sent, its latency or the time until it failed, and its id", async () => {
  const points = await pointsOf(CHATS);
  expect(points).toMatchObject({ metric: "ttft", requests: 200, failed: 20, slowest: 0 });
  expect(points?.kinds).toEqual([
    { op: "chat.stream", outcome: "ok", status: 200, isOfMetric: true, id: id(0).slice(0, -12), digits: 12 },
    { op: "chat.stream", outcome: "http_error", status: 503, isOfMetric: false, id: id(0).slice(0, -12), digits: 12 },
  ]);
  expect(points?.number).toEqual(CHATS.map((_, index) => index));
  expect(points?.sentMs.slice(0, 3)).toEqual([0, 10, 20]);
  const ms = CHATS.map(({ outcome, ttft = 0, e2e = 0 }) => (outcome === "ok" ? ttft : e2e));
  expect(points?.us).toEqual(ms.map((each) => Math.round(1_000 * each)));
});

test("of many requests the slowest and all that failed are points, and the others are drawn by the seed", async () => {
  const points = await pointsOf(CHATS, { most: 60, slowest: 10 });
  const again = await pointsOf(CHATS, { most: 60, slowest: 10 });
  const other = await pointsOf(CHATS, { most: 60, slowest: 10, seed: 2 });
  expect(again).toEqual(points);
  expect(other?.number).not.toEqual(points?.number);
  expect(points).toMatchObject({ requests: 200, failed: 20, slowest: 10 });
  expect(points?.number).toHaveLength(60);
  expect(points?.kind.filter((kind) => points.kinds[kind]?.outcome === "http_error")).toHaveLength(20);
  const slowest = CHATS.filter(({ outcome }) => outcome === "ok").toSorted((a, b) => (b.ttft ?? 0) - (a.ttft ?? 0));
  for (const request of slowest.slice(0, 10)) expect(points?.number.map(id)).toContain(request.id);
  // In the order in which they were sent.
  expect(points?.number).toEqual(points?.number.toSorted((a, b) => a - b));
});

test("as many are drawn as are shown, and from all of the load alike, whatever the seed", async () => {
  const chats = Array.from({ length: 4_000 }, (_, index) => {
    const record = { ...chatRecord(index, index, "measure"), id: id(index) };
    return index % 4 === 0 ? httpError(record, 503) : record;
  });
  await withRead(chats, async ({ database }) => {
    const drawn: number[] = [];
    for (let seed = 0; seed < 12; seed += 1) {
      const few = await requestPoints(database, { by: "ttft", origin: ORIGIN, seed, most: 100, slowest: 10 });
      expect(few?.number).toHaveLength(100);
      const points = await requestPoints(database, { by: "ttft", origin: ORIGIN, seed, most: 1_400, slowest: 10 });
      expect(points?.number).toHaveLength(1_400);
      drawn.push(...(points?.number.filter((number) => number % 4 > 0) ?? []));
    }
    // 400 of each seed did not fail, 4,800 in all: within five standard deviations.
    for (const quarter of [0, 1, 2, 3]) {
      const own = drawn.filter((number) => Math.floor(number / 1_000) === quarter).length;
      expect(Math.abs(own - 1_200)).toBeLessThan(5 * Math.sqrt(1_200));
    }
  });
});

test("a video task is a point at its submission, with how long the task took", async () => {
  const records = [
    ...videoRecords("a", ["submit@0", "poll@1000:processing:40", "poll@2000:completed", "fetch@2010"]),
    ...videoRecords("b", ["submit@500", "poll@1500:processing:40"]),
  ];
  const points = await pointsOf(records, { by: "video_work" });
  expect(points?.kind.map((kind) => [points.kinds[kind]?.op, points.kinds[kind]?.isOfMetric])).toEqual([
    ["video.submit", true],
    ["video.submit", false],
  ]);
  expect(points?.us[0]).toBeGreaterThan(900_000);
});

test("of many requests that all failed, some are drawn by the seed", async () => {
  const failed = CHATS.map((record) => httpError(record, 503));
  const points = await pointsOf(failed, { most: 60, slowest: 10 });
  expect(points).toMatchObject({ requests: 200, failed: 200, slowest: 0 });
  expect(points?.kind).toHaveLength(60);
});

test("a load without requests has no points", async () => expect(await pointsOf([])).toBeUndefined());
