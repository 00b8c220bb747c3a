import { expect, describe as group, test } from "vitest";
import { httpError, instant, makeRun } from "../../tests/support/load-run.ts";
import { summarizeRun as run, summarize } from "../../tests/support/summarize-run.ts";

group("a healthy run", () => {
  test("counts measured requests only, and delivers at its rate", async () => {
    const { counts, metrics, durationS, exitCode } = await run({ rate: 20, warmupS: 2, durationS: 30 });
    expect(counts).toEqual({
      offered: 600,
      started: 600,
      not_started: 0,
      completed: 600,
      unfinished: 0,
      ok: 600,
      failed: 0,
      outcomes: { ok: 600 },
    });
    expect(durationS).toBe(30);
    expect(metrics["requests_per_s"]?.value).toBe(20);
    expect(metrics["output_tokens_per_s"]?.value).toBeCloseTo(200, 0);
    expect(metrics["icl"]).toMatchObject({ count: 5_400, requests: 600, p95: expect.any(Number) });
    expect(metrics["icl"]).not.toHaveProperty("p99");
    expect(metrics["tpot"]).toMatchObject({ count: 600, parts: { usage: 600 } });
    expect(exitCode).toBe(0);
  });

  test("warm-up does not touch the latencies", async () => {
    const slow = await run({
      change: (record) => (record.phase === "warmup" ? { ...record, ttft: 9_000, gaps_us: [5_000_000] } : record),
    });
    const usual = await run();
    for (const name of ["ttft", "icl", "tpot", "e2e", "stall"]) expect(slow.metrics[name]).toEqual(usual.metrics[name]);
  });

  test("latencies are of ok requests only", async () => {
    const { metrics, counts } = await run({
      change: (record, index) => (index % 2 === 0 ? { ...httpError(record), ttft: 1, e2e: 1 } : record),
    });
    expect(metrics["ttft"]).toMatchObject({ count: counts.ok });
    expect(metrics["ttft"]?.min).toBeGreaterThanOrEqual(100);
    expect(metrics["error_rate"]?.value).toBe(0.5);
  });

  test("what was not measured has no entry", async () => {
    const { metrics } = await run({
      change: ({ ttft: _, ttft_scheduled: __, gaps_us: ___, ...record }) => record,
    });
    for (const name of ["ttft", "ttft_scheduled", "icl", "tpot", "stall"]) expect(metrics).not.toHaveProperty(name);
    expect(metrics).toHaveProperty("e2e");
  });

  test("reports each second", async () => {
    const { windows } = await run();
    expect(windows).toHaveLength(33);
    expect(windows.slice(0, 32).every(({ sent }) => sent === 20)).toBe(true);
    expect(windows.map(({ phase }) => phase).filter((phase) => phase === "measure")).toHaveLength(30);
    expect(windows[5]).toMatchObject({ t: 5, ended: 20, ok: 20, tokens: 200, cpu: 0.22, open: 6 });
    expect(windows[5]?.ttft).toMatchObject({ n: 20, p50: expect.any(Number) });
  });
});

group("goodput and throughput", () => {
  test("goodput counts units of work that met every bound, of all that were due", async () => {
    const { metrics } = await run(
      {
        change: (record, index) =>
          index % 4 === 0 ? { ...record, ttft: 5_000 } : index % 4 === 1 ? httpError(record) : record,
      },
      { slos: ["ttft<1s", "goodput>=0.6"] },
    );
    expect(metrics["goodput_share"]?.value).toBe(0.5);
    expect(metrics["goodput"]?.value).toBe(10);
  });

  test("goodput is not defined by quantiles, which say nothing of one request", async () => {
    const { metrics } = await run({}, { slos: ["ttft_p50<1s", "ttft_max<1s"] });
    expect(metrics).not.toHaveProperty("goodput");
    expect(metrics).not.toHaveProperty("goodput_share");
  });

  test("goodput per second counts the units that ended in the window, and a unit without the metric is not good", async () => {
    const late = await run({ change: (record) => ({ ...record, e2e: 60_000 }) }, { slos: ["ttft<1s"] });
    expect(late.metrics["goodput"]?.value).toBe(0);
    expect(late.metrics["goodput_share"]?.value).toBe(1);
    const empty = await run({ change: ({ ttft: _, ...record }) => record }, { slos: ["ttft<1s"] });
    expect(empty.metrics["goodput_share"]?.value).toBe(0);
    expect(empty.counts.ok).toBe(600);
  });

  test("a backlog that is worked off after the window is not throughput", async () => {
    const { metrics } = await run({ change: (record) => ({ ...record, e2e: 60_000 }) });
    expect(metrics["requests_per_s"]?.value).toBe(0);
  });

  test("a run that a bound on requests ends early is divided by the time that it took", async () => {
    const { records, client } = makeRun({ warmupS: 0, durationS: 10 });
    const bounded = records.map((line, index) =>
      index === 0 ? line.replace('"duration":10000', '"duration":600000,"maxRequests":200') : line,
    );
    const { durationS, metrics } = await summarize([{ records: bounded, client }]);
    expect(durationS).toBeLessThan(11);
    expect(metrics["requests_per_s"]?.value).toBeGreaterThan(18);
  });

  test("stalls are gaps over a second", async () => {
    const { metrics } = await run({
      change: (record, index) => (index === 100 ? { ...record, gaps_us: [1_000_000, 1_000_001, 3_000_000] } : record),
    });
    expect(metrics["stall"]?.value).toBe(2);
  });

  test("operations are reported separately and pooled", async () => {
    const { ops, metrics } = await run({
      change: (record, index) => {
        if (index % 2 === 0) return record;
        const { gaps_us: _, ttft: __, ttft_scheduled: ___, output_tokens: ____, ...rest } = record;
        return { ...rest, op: "embeddings", items: 8, scheduled: instant(index * 50) };
      },
    });
    expect(Object.keys(ops)).toEqual(["chat.stream", "embeddings"]);
    expect(ops["embeddings"]?.metrics).not.toHaveProperty("ttft");
    expect(ops["embeddings"]?.metrics["batch_size"]).toMatchObject({ count: 300, mean: 8 });
    expect(metrics["e2e"]?.count).toBe(600);
    expect(metrics["embedding_items_per_s"]?.value).toBe(80);
  });
});
