import { expect, test } from "vitest";
import { RequestTime } from "./request-time.ts";

const TIMES = { timeoutMs: 60_000, slowMs: 150_000, patienceMs: 300_000 };
const CHAT = "/v1/chat/completions";

test("a path without a response may take as long as the slowest that is waited for, and a message says how to raise that", () => {
  const time = new RequestTime(TIMES);
  expect(time.limit(CHAT)).toEqual({
    ms: 150_000,
    why: "; a longer --deadline raises that, to a quarter of the deadline",
  });
  expect(time.limit(CHAT, true)).toEqual({ ms: 300_000, why: ", half of --deadline; raise that" });
  expect(new RequestTime({ timeoutMs: 3_000 }).limit(CHAT)).toEqual({ ms: 3_000, why: "" });
});

test.each([
  [300, 60_000, "; the slowest before it took 300 ms"],
  [25_000, 100_000, "; the slowest before it took 25000 ms"],
  [90_000, 150_000, "; a longer --deadline raises that, to a quarter of the deadline"],
])("after one of %d ms, a request of the path may take %d ms", (took, ms, why) => {
  const time = new RequestTime(TIMES);
  time.note(CHAT, took);
  time.note(CHAT, 10);
  expect(time.limit(CHAT)).toEqual({ ms, why });
  expect(time.limit("/v1/embeddings").ms).toBe(150_000);
});

test("the tasks of one path are one path", () => {
  const time = new RequestTime(TIMES);
  time.note("/v1/videos/generations/a", 300);
  expect(time.limit("/v1/videos/generations/b").ms).toBe(60_000);
});
