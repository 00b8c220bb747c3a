import { describe, expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { answering } from "../../tests/support/targets/answering.ts";
import { stillProcessing } from "./task-history.ts";
import { violationsOf } from "./task-invariants.ts";
import { cancelWorks } from "./video.ts";

const VIDEOS = "http://h/v1/videos/generations";

/** A poll in the second of its id. */
function poll(id: number, status: string, headers: Readonly<Record<string, string>> = {}): Exchange {
  const { answer, ...rest } = answering({ id: "t", status });
  return {
    ...rest,
    id,
    startedAt: new Date(id * 1_000).toISOString(),
    ...(answer && { answer: { ...answer, headers } }),
  };
}
const post = (id: number, status: string, path: string): Exchange => ({
  ...poll(id, status),
  request: { method: "POST", url: `${VIDEOS}${path}`, headers: {} },
});
const submitted = post(1, "processing", "");

describe("a poll that a cache returned", () => {
  test.each([
    [{ age: "118" }, "; a cache returned the last poll (age: 118), so that the task may have ended"],
    [
      { age: "0", "x-cache": "HIT from edge" },
      "; a cache returned the last poll (x-cache: HIT from edge), so that the task may have ended",
    ],
    [{ age: "0", "x-cache": "MISS" }, ""],
    [{}, ""],
  ])("is named where a task seems to go on: %j", (headers, why) => {
    const said = stillProcessing([submitted, poll(2, "processing"), poll(3, "processing", headers)]);
    expect(said).toBe(`the task was still processing after 2.0 s, when its time was up${why}`);
  });

  test("is named where a cancelled task seems to work again", () => {
    const cancelled = post(3, "cancelled", "/t/cancel");
    expect(violationsOf([submitted, poll(2, "processing"), cancelled, poll(4, "processing", { age: "2" })])).toEqual([
      {
        invariant: "cancelled-stays",
        expected: "a cancelled task stays cancelled",
        observed: '"cancelled" became "processing", in a response that a cache returned (age: 2)',
        exchange: 4,
      },
    ]);
  });

  test("does not show that a task whose cancel was refused still works; a later one does", () => {
    const refused = { ...post(3, "", "/t/cancel"), answer: answering({ error: "completed" }, 409).answer };
    const history = [submitted, poll(2, "processing"), refused, poll(4, "processing", { age: "2" })];
    expect(violationsOf(history)).toEqual([]);
    expect(cancelWorks(history)).toMatchObject({
      kind: "inconclusive",
      why: "cancel returned 409, and a cache returned the next poll (age: 2)",
    });
    expect(violationsOf([...history, poll(5, "processing")])).toMatchObject([
      { invariant: "cancel-works", exchange: 3 },
    ]);
  });
});
