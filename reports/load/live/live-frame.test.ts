/** What a terminal shows of a load that runs, in place. */

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { liveFrame } from "./live-frame.ts";
import { LiveLoad } from "./live-lines.ts";

const LIMITED = { lag_p99_ms: 0.31, wake_p99_ms: 0.2, cpu: 0.4, cpus: 2 };

const health = (t: number, ok: number, limited = 0, more: object = {}): string =>
  JSON.stringify({
    ...{ t, offered: {}, started: { warmup: 0, measure: ok + limited }, open: 4 },
    ...{ outcomes: { ok, rate_limited: limited, cancelled_by_us: 3 }, ...LIMITED, ...more },
  });

const AT = { op: "chat.stream", phase: "measure", scheduled: "2026-01-01T00:00:00Z", sent: "2026-01-01T00:00:00Z" };
const record = (more: object = {}): string =>
  JSON.stringify({
    ...{ id: "r", ...AT, outcome: "ok", ttft: 100, e2e: 900, gaps_us: [20_000, 20_400], output_tokens: 30 },
    ...more,
  });
const limited = (more: object = {}): string =>
  record({ outcome: "rate_limited", status: 429, ttft: undefined, gaps_us: undefined, output_tokens: 0, ...more });

/** 20 requests per second, of which 2 fail from the 5th second on, and a time to first token that grows. */
function running(seconds: number, last: object = {}): LiveLoad {
  const load = new LiveLoad(35);
  for (let t = 1; t <= seconds; t += 1) {
    const failing = t < 5 ? 0 : 2;
    const sum = Math.max(0, t - 4) * 2;
    const ok = Array.from({ length: 20 - failing }, () => record({ ttft: 100 + t * 10 }));
    const failed = Array.from({ length: failing }, () => limited({ detail: "all slots are taken" }));
    load.add([health(t, t * 20 - sum, sum, t === seconds ? last : {})], [...ok, ...failed]);
  }
  return load;
}

function frame(load: LiveLoad, columns: number, rows = 40, ends: readonly string[] = []): readonly string[] {
  const state = load.state();
  return state === undefined ? [] : liveFrame(state, ends, { columns, rows, colour: false });
}

test("nothing is shown before the load has begun", () => {
  expect(new LiveLoad(35).state()).toBeUndefined();
});

test("a frame tells rates, percentiles, errors, lateness, the time left and what may end the load", () => {
  const ends = ["error_rate>20% over 10s: 9% over the last 10 s (200 requests)", "no response for 30s"];
  expect(frame(running(12), 80, 40, ends)).toEqual([
    `12 s of 35 s, 23 s left  ${"█".repeat(19)}${"░".repeat(36)}`,
    `${" ".repeat(60)}10 s    12 s     max`,
    `arrivals/s  ${"█".repeat(12).padEnd(44)}   20.00   20.00   20.00`,
    `ok/s        ${"█".repeat(12).padEnd(44)}   18.40   18.67   20.00`,
    `failed/s    ${"    ████████".padEnd(44)}    1.60    1.33    2.00`,
    `in flight   ${"█".repeat(12).padEnd(44)}    4.00    4.00    4.00`,
    `tokens/s    ${"█".repeat(12).padEnd(44)}   552.0   560.0   600.0`,
    `TTFT p50 ms ${"▅▅▅▆▆▆▇▇▇███".padEnd(44)}     170     160     220`,
    `TTFT p95 ms ${"▅▅▅▆▆▆▇▇▇███".padEnd(44)}       -     220     220`,
    `gap p50 ms  ${"█".repeat(12).padEnd(44)}      20      20      20`,
    `gap p95 ms  ${"█".repeat(12).padEnd(44)}    20.4    20.4    20.4`,
    "errors      16 × 429 too many requests: all slots are taken",
    "generator   lag p99 0.31 of 10 ms, wake-up p99 0.2 of 10 ms, CPU 0.40 of 2",
    "ends when   error_rate>20% over 10s: 9% over the last 10 s (200 requests)",
    "            no response for 30s",
  ]);
});

test("a line that is too wide has a second one, unless the terminal is low", () => {
  const ends = ["error_rate>20% over 10s: 9% over the last 10 s (200 requests)"];
  expect(frame(running(12), 44, 40, ends).slice(-2)).toEqual([
    "ends when   error_rate>20% over 10s: 9% over",
    "              the last 10 s (200 requests)",
  ]);
  expect(frame(running(12), 44, 16, ends).at(-1)).toBe("ends when   error_rate>20% over 10s: 9% ove…");
});

test("a low terminal keeps the time, the errors and what may end the load", () => {
  expect(frame(running(12), 80, 6, ["no response for 30s"]).map((line) => line.slice(0, 9).trim())).toEqual([
    "12 s of 3",
    "",
    "arrivals/",
    "errors",
    "generator",
    "ends when",
  ]);
});

test("bars stand for the last five minutes, several seconds each where they are many", () => {
  const load = new LiveLoad(1_000);
  for (let t = 1; t <= 400; t += 1) load.add([health(t, t < 350 ? 0 : (t - 349) * 10)], [record()]);
  const ok = frame(load, 80).find((line) => line.startsWith("ok/s")) ?? "";
  expect(ok).toMatch(/^ok\/s {8} +█{7,8} +10\.00 +1\.70 +10\.00$/);
  expect(frame(load, 80)[1]).toMatch(/10 s +5 min +max$/);
});

test("a load generator that is late says so", () => {
  expect(frame(running(3, { wake_p99_ms: 12.7 }), 100)).toContain(
    "generator   late: lag p99 0.31 of 10 ms, wake-up p99 12.7 of 10 ms, CPU 0.40 of 2",
  );
});

test("of a load that ended, the last state says so, and not what may end it", () => {
  const lines = frame(running(12, { final: true }), 80, 40, ["no response for 30s"]);
  expect(lines[0]).toMatch(/^ended after 12 s of 35 s/);
  expect(lines.join("\n")).not.toContain("no response");
});

test("errors are counted by kind, whatever else their records say; what we cancelled is none", () => {
  const load = new LiveLoad(35);
  const lines = [
    ...[limited(), limited({ op: "chat" }), record({ outcome: "timeout", detail: "no byte\nfor 30 s" })],
    ...[
      limited({ id: "another" }),
      record({ outcome: "cancelled_by_us" }),
      record({ outcome: "http_error", status: 503 }),
    ],
    ...[limited({ op: "video.cancel" }), JSON.stringify({ arrival: { index: 1, end: "dropped" } }), '{"outcome":"half'],
  ];
  load.add([health(1, 0, 4)], lines);
  expect(frame(load, 80).filter((line) => / × /.test(line))).toEqual([
    "errors      3 × 429 too many requests",
    "            1 × timeout: no byte for 30 s",
    "            1 × 503 service unavailable",
  ]);
});

const text = fc.string({ unit: "grapheme", maxLength: 200 });
const count = fc.oneof(fc.nat(), fc.constant(2 ** 53), fc.constant(0));
const look = fc.record({
  ok: count,
  bad: count,
  status: fc.integer({ min: 0, max: 999 }),
  ttft: fc.double({ min: 0, max: 1e11 }),
  detail: text,
});

test("no line is wider than the terminal, and there are no more than it has rows, whatever the load", () => {
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 50 }),
    colour: fc.boolean(),
  });
  fc.assert(
    fc.property(
      size,
      fc.array(look, { maxLength: 30 }),
      fc.double({ min: 0, max: 1e8, noNaN: true }),
      fc.array(text),
      (fits, looks, planS, ends) => {
        const load = new LiveLoad(planS);
        for (const [t, { ok, bad, status, ttft, detail }] of looks.entries()) {
          load.add(
            [health(t * 1_000, ok, bad, { open: ok, lag_p99_ms: ttft })],
            [record({ ttft }), limited({ status, detail })],
          );
        }
        const state = load.state();
        const lines = state === undefined ? [] : liveFrame(state, ends, fits);
        expect(lines.length).toBeLessThanOrEqual(fits.rows);
        for (const line of lines) expect([...stripVTControlCharacters(line)].length).toBeLessThanOrEqual(fits.columns);
      },
    ),
  );
});
