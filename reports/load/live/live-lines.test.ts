/** What a terminal shows of a load that runs. */

import { describe, expect, test } from "vitest";
import { LiveLoad } from "./live-lines.ts";

const health = (t: number, started: number, more: object = {}): string =>
  JSON.stringify({
    t,
    offered: {},
    started: { warmup: 0, measure: started },
    open: 2,
    outcomes: { ok: started },
    ...more,
  });

const record = (more: object = {}): string =>
  JSON.stringify({
    id: "r",
    op: "chat.stream",
    phase: "measure",
    scheduled: "2026-01-01T00:00:00.000Z",
    sent: "2026-01-01T00:00:00.000Z",
    outcome: "ok",
    ttft: 101.4,
    e2e: 900,
    gaps_us: [20_000, 20_400],
    ...more,
  });

/** As many requests as two percentiles need. */
const records = (count: number, more: object = {}): string[] => Array.from({ length: count }, () => record(more));

function live(planS: number, ...looks: (readonly [health: string[], records: string[]])[]): readonly string[] {
  const load = new LiveLoad(planS);
  for (const [lines, own] of looks) load.add(lines, own);
  return load.lines();
}

test("nothing is known before the first line, nor from a half-written one", () => {
  expect(live(35)).toEqual([]);
  expect(live(35, [['{"t":12,"off'], ["{"]])).toEqual([]);
});

test("four lines of at most 80 columns tell rate, latencies, errors and the time left", () => {
  const lines = live(35, [[health(2, 40)], records(200)], [[health(12, 240)], []], [[], records(200)]);
  expect(lines).toEqual([
    "20.00/s started, 2 in flight",
    "TTFT p50 101 ms; inter-chunk p50 20 ms (last 10 s)",
    "no errors",
    "12 s of 35 s, 23 s left",
  ]);
  for (const line of lines) expect(line.length).toBeLessThan(80);
});

test("only the last ten seconds count, for the rate and for the latencies", () => {
  const looks = Array.from(
    { length: 6 },
    (_, nth) => [[health(20 + nth, 240 + nth * 5)], records(50)] satisfies [string[], string[]],
  );
  const [sending, latencies] = live(35, [[health(5, 240)], records(50, { ttft: 9_000, gaps_us: [] })], ...looks);
  expect(sending).toBe("5.00/s started, 2 in flight");
  expect(latencies).toBe("TTFT p50 101, p95 101 ms; inter-chunk p50 20, p95 20.4 ms (last 10 s)");
});

describe("errors", () => {
  const failed = { outcome: "http_error", status: 503, detail: "no free slot", ttft: undefined };
  test("are counted, with the first reason, wherever it stands among many", () => {
    const ok = records(499);
    const lines = [...ok.slice(0, 301), record(failed), ...ok.slice(301), record({ outcome: "truncated" })];
    expect(live(35, [[health(12, 240, { outcomes: { ok: 499, http_error: 1, truncated: 1 } })], lines])[2]).toBe(
      "2 errors; the first: 503 service unavailable, no free slot",
    );
  });
  test("are responses that have no latencies", () => {
    const lines = [record({ ...failed, outcome: "truncated" })];
    const [, latencies] = live(35, [[health(2, 40, { outcomes: { truncated: 1 } })], lines]);
    expect(latencies).toBe("no latencies yet");
  });
  test("are not what we cancelled ourselves", () => {
    const lines = [record({ outcome: "cancelled_by_us" })];
    expect(live(35, [[health(12, 240, { outcomes: { ok: 9, cancelled_by_us: 1 } })], lines])[2]).toBe("no errors");
  });
});

test.each([
  ["are as many as they stand for", [20_000, 90_000], [150, 150], "inter-chunk p50 20, p95 90 ms"],
  ["need no room for each of them", [20_000, 90_000], [2 ** 33, 2 ** 34], "inter-chunk p50 90, p95 90 ms"],
  ["of a second and more are told to the millisecond", [1_234_000], [150], "inter-chunk p50 1,234 "],
])("counted gaps %s", (_, us, n, told) => {
  const gaps = JSON.stringify({ gaps: { op: "chat.stream", phase: "measure", error: 0.01, us, n } });
  expect(live(35, [[health(12, 240)], [record({ gaps_us: undefined }), gaps]])[1]).toContain(told);
});

test("without a stream, the end of each response counts, but not that of polls", () => {
  const whole = { ttft: undefined, gaps_us: undefined };
  const lines = [...records(25, { ...whole, op: "chat" }), ...records(25, { ...whole, op: "video.poll", e2e: 1 })];
  expect(live(35, [[health(12, 240)], lines])[1]).toMatch(/^end to end p50 900 ms \(last 10 s\)$/);
});

test("after the last arrival was due, the time of draining is told", () => {
  const lines = live(35, [[health(34, 238), health(47, 240)], []]);
  expect([lines[0], lines[3]]).toEqual(["2 in flight", "draining 12 s"]);
});
