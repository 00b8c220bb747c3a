import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { chatRecord } from "../../../tests/support/results/load-run.ts";
import { withRead } from "../../../tests/support/results/summarize-shards.ts";
import { type BoundCheck, checkTask, NO_BOUNDS } from "../read/bound-check.ts";
import { isGood, requestBounds } from "./request-bounds.ts";

const record = { ...chatRecord(0, 0, "measure"), ttft: 100, gaps_us: [10_000, 20_000, 90_000] };
const boundsOf = (slos: readonly string[]) => requestBounds(slos.map(parseSlo));

/** How one request compares with the bounds. */
const checkRequest = (request: RequestRecord, slos: readonly string[]): Promise<BoundCheck> =>
  withRead([request], async ({ units }) => (await units.groups({}, { from: 0, to: 0 }))[0]?.bounds ?? NO_BOUNDS, slos);
const good = async (slos: readonly string[], request: RequestRecord = record) =>
  isGood(await checkRequest(request, slos), boundsOf(slos), undefined);

group("one request", () => {
  test.each([
    [["ttft<101ms"], true],
    [["ttft<100ms"], false],
    [["ttft<101ms", "e2e<1ms"], false],
    [["icl<=90ms"], true],
    [["icl<90ms"], false],
    [["error_rate<1%", "ttft_p50>500ms", "e2e_mean<1ms"], true],
  ])("is good by %j: %s", async (slos, met) => {
    expect(await good(slos)).toBe(met);
  });

  test("without the metric is not good", async () => {
    const { gaps_us: _, ttft: __, ...embedding } = { ...record, op: "embeddings" as const };
    expect(await good(["ttft<1s"], embedding)).toBe(false);
    expect(await good(["icl<1s"], { ...record, gaps_us: [] })).toBe(false);
  });

  test("that failed meets nothing", async () => {
    expect(await good(["ttft<1s"], { ...record, outcome: "timeout" })).toBe(false);
  });
});

group("a mixed load", () => {
  const slos = ["ttft<1s", "embeddings.e2e<5ms"];
  const bounds = boundsOf(slos);

  test("holds its workloads to the bounds that name them or whose metric they can have", async () => {
    const check = await checkRequest(record, slos);
    expect(isGood(check, bounds, { workload: "chats", part: "chat-stream" })).toBe(true);
    expect(isGood(check, bounds, { workload: "embeddings", part: "embeddings" })).toBe(false);
    expect(isGood({ ...NO_BOUNDS, met: 0b10 }, bounds, { workload: "embeddings", part: "embeddings" })).toBe(true);
  });
});

test("a video task is compared by its figures", () => {
  const bounds = boundsOf(["video_work<1m", "ttft<1s"]);
  const figures = {
    queue: 1,
    work: 61_000,
    workScheduled: 61_000,
    polls: 3,
    detectionError: 1,
    cost: 0.5,
    fetch: 20,
    bytes: 4,
    unfetched: false,
  };
  expect(checkTask(figures, bounds)).toEqual({ met: 0, broken: 0b01, surely: 0b01, near: 0, unknown: 0 });
});
