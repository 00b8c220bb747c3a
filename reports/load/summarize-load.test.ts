import { expect, describe as group, test } from "vitest";
import { DEFAULT_SLOS } from "../../settings/load/load-table.ts";
import { httpError, instant, makeRun, neverStarting, type RunOptions } from "../../tests/support/results/load-run.ts";
import { summarizeRun as run, summarize } from "../../tests/support/results/summarize-run.ts";
import { loadHtml } from "./views/html.ts";
import { loadJunit } from "./views/junit.ts";
import { loadMarkdown } from "./views/markdown.ts";
import { loadTerminal } from "./views/terminal.ts";

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

test("a verdict by the figures of the run alone says so, on the page of a CI system too", async () => {
  const { records, client } = makeRun();
  const none = records.map((line) => line.replace('"rate":', '"confidence":"none","rate":'));
  const slos = ["ttft_p95<109.6ms"];
  const [usual, byFigure] = [
    await summarize([{ records, client }], { slos }),
    await summarize([{ records: none, client }], { slos }),
  ];
  expect([usual.slos[0]?.ok, byFigure.slos[0]?.ok]).toEqual([null, true]);
  const words = "by the figures of this run only (confidence none)";
  expect(byFigure.conclusion).toContain(words);
  expect(loadJunit(byFigure)).toContain(words);
  expect(usual.conclusion + loadJunit(usual)).not.toContain(words);
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

group("arrivals that never started", () => {
  const run = () => summarize([neverStarting(400)], { slos: [...DEFAULT_SLOS, "e2e_scheduled<5s", "goodput>=50%"] });

  test("are failed units of the one denominator, and samples of the latencies from the scheduled start", async () => {
    const { counts, metrics } = await run();
    expect(counts).toEqual({
      ...{ offered: 600, started: 400, not_started: 200, completed: 400, unfinished: 0, ok: 400, failed: 200 },
      outcomes: { ok: 400, not_started: 200 },
    });
    expect(metrics["error_rate"]).toMatchObject({ count: 600, value: 200 / 600 });
    expect(metrics["goodput_share"]).toMatchObject({ count: 600, value: 400 / 600 });
    expect(metrics["e2e"]).toMatchObject({ count: 400, p95: expect.any(Number) });
    expect(metrics["e2e"]).not.toHaveProperty("atLeast");
    expect(metrics["e2e_scheduled"]).toMatchObject({ count: 600, notStarted: 200, p50: expect.any(Number) });
    expect(Object.keys(metrics["e2e_scheduled"]?.atLeast ?? {})).toEqual(["mean", "min", "p50", "p90", "p95", "max"]);
  });

  test("are counted in the seconds and steps in which they were due", async () => {
    const { windows } = await run();
    expect(windows.slice(22, 32).every(({ due, notStarted }) => due === 20 && notStarted === 20)).toBe(true);
    expect(windows.slice(2, 22).every(({ due, notStarted }) => due === 20 && notStarted === undefined)).toBe(true);
  });

  test("that no line tells of are still counted, as the load generator did", async () => {
    const { records, client } = neverStarting(400);
    const { counts } = await summarize([{ records: records.filter((line) => !line.startsWith('{"arrival"')), client }]);
    expect(counts).toMatchObject({
      offered: 600,
      not_started: 200,
      failed: 200,
      outcomes: { ok: 400, not_started: 200 },
    });
  });

  test("a record that lacks arrivals which started is damaged", async () => {
    const { records, client } = neverStarting(400);
    const { validity } = await summarize([
      {
        records: records.filter((_, index) => index !== 100),
        client: client.map((line) => line.replace('"records":440', '"records":439')),
      },
    ]);
    expect(validity).toMatchObject({ verdict: "INVALID" });
    expect(validity.reasons).toContain(
      "the record is damaged: 400 arrivals of the measured time started, but the records have 399",
    );
  });
});

test("a closed loop has no latencies from a scheduled start", async () => {
  const { records, client } = makeRun({ change: ({ lag: _, slot_wait: __, ...record }) => record });
  const [header = "", ...lines] = records;
  const run = await summarize([{ records: [header.replace('"rate":20', '"vus":6'), ...lines], client }]);
  for (const name of ["ttft_scheduled", "e2e_scheduled"]) {
    expect(run.metrics).not.toHaveProperty(name);
    expect(run.charts?.groups[0]?.series).not.toHaveProperty(name);
    for (const view of [loadTerminal(run, { colour: false }), loadMarkdown(run), loadHtml(run)])
      expect(view).not.toContain(name);
  }
  expect(run.charts?.groups[0]?.series).toHaveProperty("ttft");
});

group("a mixed load", () => {
  const workloads = ["chat-stream", "embeddings"].map((name) => ({ name, operation: name, weight: 1, settings: {} }));
  const settings = `"scenario":"mixed","workload":${JSON.stringify({ title: "mixed", workloads })}`;
  const run = (change: NonNullable<RunOptions["change"]>, slos: readonly string[]) => {
    const { records, client } = makeRun({ change });
    const [header = "", ...lines] = records.map((line) => line.replace('"scenario":"chat-stream"', settings));
    return summarize([{ records: [header, ...lines], client }], { slos, scenario: "mixed" });
  };

  test("is judged part by part: the vectors do not dilute the chats", async () => {
    const { parts, slos, metrics } = await run(
      (record, index) => (index % 10 === 0 ? httpError(record) : { ...record, op: "embeddings", items: 1 }),
      ["error_rate<15%", "chat-stream.error_rate<15%", "embeddings.error_rate<15%"],
    );
    expect(metrics["error_rate"]?.value).toBe(0.1);
    expect(slos.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(parts?.["chat-stream"]?.counts).toMatchObject({ offered: 60, failed: 60 });
    expect(parts?.["embeddings"]?.metrics["embedding_items_per_s"]?.value).toBe(18);
  });

  test("with a scenario file holds what comes after its first request to the bounds too", async () => {
    const workloads = [
      { name: "agents", scenario: "agent.ts", weight: 1, settings: {} },
      { name: "batches", operation: "embeddings", weight: 1, settings: {} },
    ];
    const settings = `"scenario":"load","workload":${JSON.stringify({ title: "load", workloads })}`;
    const { records, client } = makeRun({
      change: (record, index) => {
        const of = { ...record, arrival: index >> 1, workload: index % 4 < 2 ? "agents" : "batches" };
        const isChat = index % 4 === 1;
        return isChat ? of : { ...of, op: "embeddings", items: 1, ttft: undefined, gaps_us: undefined };
      },
    });
    const [header = "", ...lines] = records.map((line) => line.replace('"scenario":"chat-stream"', settings));
    const { parts } = await summarize([{ records: [header, ...lines], client }], {
      ...{ slos: ["ttft<0.001ms", "agents.goodput>=50%", "batches.goodput>=50%"], scenario: "load" },
    });
    expect(parts?.["agents"]?.metrics["goodput_share"]?.value).toBe(0);
    expect(parts?.["agents"]?.counts.offered).toBe(parts?.["batches"]?.counts.offered);
  });
});
