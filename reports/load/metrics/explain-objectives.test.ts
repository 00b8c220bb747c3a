import { expect, describe as group, test } from "vitest";
import type { Failure, RunResult, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { withCauses } from "./explain-objectives.ts";

type Explained = Parameters<typeof withCauses>[0];

const failure = (op: string, outcome: string, count: number, more: Partial<Failure> = {}): Failure => ({
  op,
  outcome,
  count,
  share: 0.1,
  firstS: 9.4,
  lastS: 12.3,
  ...more,
});

const counts = (outcomes: Readonly<Record<string, number>>): RunResult["counts"] => {
  const offered = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const { ok = 0, not_started = 0 } = outcomes;
  const base = { offered, started: offered - not_started, not_started, completed: offered - not_started };
  return { ...base, unfinished: 0, ok, failed: offered - ok, outcomes: { ...outcomes } };
};

const latency = (p50: number, p95: number, max: number): MetricResult => ({ unit: "ms", count: 100, p50, p95, max });

const missed = (expr: string): SloResult => ({ expr, observed: 0.5, ok: false });

/** The cause of the first objective of a run. */
function causeOf(slo: SloResult, run: Partial<Explained> = {}): string | undefined {
  parseSlo(slo.expr);
  const rest = { failures: [], counts: counts({ ok: 100 }), metrics: {}, windows: [], settings: {}, ...run };
  return withCauses({ ...rest, slos: [slo, ...(run.slos ?? [])] })[0]?.cause;
}

const second = (t: number, p50: number): RunResult["windows"][number] => ({
  ...{ t, phase: "measure", due: 10, sent: 10, ended: 10, ok: 10, outcomes: { ok: 10 } },
  ttft: { n: 10, min: p50, mean: p50, max: p50, p50 },
});

group("an objective on failures", () => {
  test("names the most frequent kinds, when they happened, and how many more there are", () => {
    const failures = [
      failure("chat", "http_error", 60, { status: 500 }),
      failure("chat", "truncated", 38),
      failure("chat", "rate_limited", 26, { status: 429, firstS: 3, lastS: 3 }),
      failure("chat", "stalled", 2),
    ];
    expect(causeOf(missed("error_rate<1%"), { failures })).toBe(
      "60 × 500 internal server error from 9.4 to 12.3 s, 38 × truncated from 9.4 to 12.3 s, 26 × 429 too many requests at 3.0 s, 1 more kind of failures",
    );
  });

  test("names the time after which a time limit ended them, of one operation", () => {
    const cut = failure("chat", "truncated", 38, { afterMs: 15_012 });
    const words = "38 × truncated from 9.4 to 12.3 s, nearly all 15 s after they were sent";
    expect(causeOf(missed("error_rate<1%"), { failures: [cut] })).toBe(words);
    const failures = [cut, failure("embeddings", "truncated", 2)];
    expect(causeOf(missed("error_rate<1%"), { failures })).toBe("40 × truncated from 9.4 to 12.3 s");
  });

  test("counts a kind of failure once, whatever the operation, also for a workload that shares its operation", () => {
    const failures = [
      failure("chat.stream", "http_error", 27, { status: 502, firstS: 6.2, lastS: 8.1 }),
      failure("embeddings", "http_error", 10, { status: 502, firstS: 6.5, lastS: 8.4 }),
    ];
    expect(causeOf(missed("error_rate<1%"), { failures })).toBe("37 × 502 bad gateway from 6.2 to 8.4 s");
    const parts = { blue: { counts: counts({ http_error: 27 }), metrics: {} } };
    const run = { failures, parts, settings: {} };
    expect(causeOf(missed("blue.ok>=1"), run)).toBe("27 × 502 bad gateway");
  });

  test("names a tenant in place of its workloads", () => {
    const failures = [failure("chat.stream", "http_error", 12, { status: 503 })];
    const part = (outcomes: Readonly<Record<string, number>>) => ({ counts: counts(outcomes), metrics: {} });
    const parts = { chats: part({ http_error: 7 }), search: part({ http_error: 5 }), other: part({ ok: 30 }) };
    const tenants = {
      blue: { workloads: ["chats", "search"], ...part({ http_error: 12 }) },
      red: { workloads: ["other"], ...part({ ok: 30 }) },
    };
    const kinds = "12 × 503 service unavailable from 9.4 to 12.3 s";
    expect(causeOf(missed("error_rate<1%"), { failures, parts, tenants })).toBe(
      `${kinds}; only tenant blue (12 of 12)`,
    );
  });

  test("says which turns of conversations failed", () => {
    const failures = [failure("chat.stream", "http_error", 96, { status: 400 })];
    const turn = (turn: number, total: number, ok: number) => ({
      turn,
      calls: { total, ok, outcomes: {} },
      metrics: {},
    });
    const conversations = {
      ...{ started: 96, whole: 0, short: 0, meanTurns: 2 },
      turns: [turn(1, 96, 96), turn(2, 96, 0)],
    };
    expect(causeOf(missed("error_rate<1%"), { failures, conversations })).toContain("; only turn 2 (96 of 96)");
  });

  test("says whose requests failed, where those of others did not, and of which models where that says more", () => {
    const part = (outcomes: Readonly<Record<string, number>>) => ({ counts: counts(outcomes), metrics: {} });
    const failures = [failure("chat.stream", "stalled", 12)];
    const parts = { assistant: part({ ok: 18, stalled: 12 }), search: part({ ok: 40 }) };
    const run = { failures, parts };
    const kinds = "12 × stalled from 9.4 to 12.3 s";
    expect(causeOf(missed("error_rate<1%"), run)).toBe(`${kinds}; only workload assistant (12 of 30)`);
    const lora = { base: part({ ok: 18 }), lora: part({ stalled: 12 }), embedding: part({ ok: 40 }) };
    expect(causeOf(missed("error_rate<1%"), { ...run, models: lora })).toBe(
      `${kinds}; only workload assistant (12 of 30); only model lora (12 of 12)`,
    );
    const same = { chat: part({ ok: 18, stalled: 12 }), embedding: part({ ok: 40 }) };
    expect(causeOf(missed("error_rate<1%"), { ...run, models: same })).toBe(
      `${kinds}; only workload assistant (12 of 30)`,
    );
    const all = { a: part({ ok: 1, stalled: 6 }), b: part({ ok: 2, stalled: 6 }) };
    expect(causeOf(missed("error_rate<1%"), { failures, parts: all })).toBe(kinds);
  });

  test("says how many arrivals never started, once, and that the queue grew", () => {
    const run = { counts: counts({ ok: 50, not_started: 148 }), failures: [failure("arrival", "not_started", 148)] };
    const saturation = { fromMs: 1, toMs: 2, growthMsPerS: 1, servedShare: 0.5 };
    expect(causeOf(missed("ok>=99"), { ...run, saturation })).toBe(
      "148 arrivals never started; the queue of the target grew",
    );
  });

  const workloads = (...operations: ("chat" | "embeddings")[]) =>
    operations.map((operation, index) => ({ name: `w${index}`, operation, settings: {} }));
  const settings = (own: ReturnType<typeof workloads>): Explained["settings"] => ({
    workload: { title: "w", workloads: own },
  });
  const ofParts = {
    failures: [failure("chat", "http_error", 9, { status: 500 })],
    parts: {
      w0: { counts: counts({ ok: 4, http_error: 4 }), metrics: {} },
      w1: { counts: counts({ ok: 9, http_error: 5 }), metrics: {} },
    },
  };

  test("of a workload names the failures of its operations", () => {
    const run = { ...ofParts, settings: settings(workloads("chat", "embeddings")) };
    expect(causeOf(missed("w0.error_rate<1%"), run)).toBe("9 × 500 internal server error from 9.4 to 12.3 s");
  });

  test("of a workload whose operation another one sends too names its own outcomes", () => {
    const run = { ...ofParts, settings: settings(workloads("chat", "chat")) };
    expect(causeOf(missed("w1.error_rate<1%"), run)).toBe("5 × 500 internal server error");
  });
});

test("an objective on goodput says which bounds were not met", () => {
  const slos = [{ expr: "ttft<200ms", observed: 0.75, ok: null, criterion: true }];
  expect(causeOf(missed("goodput>=0.95"), { slos })).toBe("25 of 100 ok did not meet ttft<200ms");
});

test("an objective on stalls says when they were and how large the largest gap was, and names no failures", () => {
  const run = { metrics: { icl: latency(20, 40, 2_044) }, failures: [failure("chat", "stalled", 1)] };
  expect(causeOf(missed("stall<=0"), run)).toBe("the largest gap between two chunks is 2,044 ms");
  const stallsAt = (t: number, stalls: number): [number, number, number, number, number, number] => [
    t,
    9,
    9,
    0,
    9,
    stalls,
  ];
  const group = {
    name: "chat.stream",
    op: "chat.stream",
    series: {},
    rates: [stallsAt(3, 2), stallsAt(4, 0), stallsAt(5, 1)],
  };
  const charts = {
    intervalS: 0.5,
    groups: [
      { ...group, by: "operation" as const },
      { ...group, by: "model" as const },
    ],
  };
  expect(causeOf(missed("stall<=0"), { ...run, charts })).toBe(
    "from 3.0 to 5.5 s; the largest gap between two chunks is 2,044 ms",
  );
});

group("an objective on a latency", () => {
  const metrics = { ttft: latency(100, 900, 2_000), icl: latency(20, 40, 410) };

  test.each([
    [[10, 900, 910, 10], "slow in 2 of 4 seconds, from 1 to 3 s"],
    [[10, 900, 10], "slow in 1 of 3 seconds, at 1 s"],
    [[900, 900], "slow in every second"],
  ])("says in which seconds it was slow: %j", (seconds, said) => {
    const windows = seconds.map((p50, t) => second(t, p50));
    expect(causeOf(missed("ttft_p95<800ms"), { windows, metrics })).toBe(`${said}; median 100.0 ms, largest 2,000 ms`);
  });

  test("of single requests says how they lie around the rest", () => {
    expect(causeOf(missed("icl_p95<30ms"), { metrics })).toBe("median 20.00 ms, largest 410.0 ms");
  });

  test("says of which workloads or models it is, where others are within the bound", () => {
    const part = (p95: number) => ({ counts: counts({ ok: 9 }), metrics: { ttft: latency(100, p95, 2_000) } });
    const parts = { long: part(910), short: part(120) };
    expect(causeOf(missed("ttft_p95<800ms"), { parts })).toBe("only workload long (910.0 ms)");
    expect(causeOf(missed("ttft_p95<800ms"), { models: parts })).toBe("only model long (910.0 ms)");
    expect(causeOf(missed("ttft_p95<100ms"), { parts })).toBeUndefined();
  });
});

test("objectives that are met or undecided have no cause", () => {
  const slos = [
    { expr: "ok>=1", observed: 1, ok: true },
    { expr: "error_rate<1%", observed: 0, ok: null },
  ];
  const run = { slos, failures: [failure("chat", "stalled", 1)], counts: counts({ ok: 1 }) };
  expect(withCauses({ metrics: {}, windows: [], settings: {}, ...run })).toEqual(slos);
});
