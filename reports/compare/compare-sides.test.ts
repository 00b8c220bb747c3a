import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../formats/records.ts";
import { comparedRun, neverStarted, varied, variedRun } from "../../tests/support/results/compared-runs.ts";
import {
  httpError,
  makeRun,
  unanswered,
  withInterruption,
  withLateWakes,
} from "../../tests/support/results/load-run.ts";
import { lineOfLoad } from "../history/history-line.ts";
import { compareSides } from "./compare-sides.ts";
import type { GateRequest } from "./gates.ts";
import type { SideRun } from "./side-samples.ts";
import { compareTerminal } from "./views/terminal.ts";

const USUAL: GateRequest = { metrics: [], limits: [] };

const compare = (base: readonly SideRun[], next: readonly SideRun[], request: GateRequest = USUAL) =>
  compareSides({ base: { runs: base }, new: { runs: next } }, request, "assay");

/** The comparison of two runs of 600 requests, the second of which may be slower. */
const pair = async (slower: number, request?: GateRequest) =>
  compare([await comparedRun(variedRun(1))], [await comparedRun(variedRun(2, slower))], request);

const verdicts = ({ metrics }: Awaited<ReturnType<typeof compare>>) =>
  Object.fromEntries(metrics.map(({ name, verdict }) => [name, verdict]));

group("a comparison", () => {
  test("of two runs of one system finds the usual metrics the same, and says what one run per side cannot know", async () => {
    const result = await pair(1);
    expect(verdicts(result)).toEqual({
      ttft_scheduled_p50: "same",
      ttft_scheduled_p95: "same",
      icl_p50: "same",
      icl_p95: "same",
      e2e_scheduled_p50: "same",
      e2e_scheduled_p95: "same",
      error_rate: "same",
      requests_per_s: "same",
    });
    expect(result).toMatchObject({ exitCode: 0, runToRun: false });
    expect(result.notes.join()).toContain("one run per side");
  });

  test("finds a slowdown, with an interval that contains it, and ends with 1", async () => {
    const result = await pair(1.2);
    expect(result.exitCode).toBe(1);
    for (const { name, interval, decision, verdict, change } of result.metrics.slice(0, 6)) {
      expect([name, decision, verdict]).toEqual([name, "regression", "worse"]);
      expect(interval?.[0], name).toBeLessThan(0.2);
      expect(interval?.[1], name).toBeGreaterThan(0.2);
      expect(change, name).toBeGreaterThan(0.15);
    }
    expect(result.conclusion).toMatch(/^worse than allowed: ttft_scheduled_p50 \(\+1\d% to \+2\d%, 5% allowed\), /);
  });

  test("allows what is worse by less than the limit, and says that it is worse", async () => {
    const limits = [{ share: 0.5 }, { metric: "error_rate", share: 0.05 }];
    const result = await pair(1.2, { metrics: [], limits });
    expect(result.exitCode).toBe(0);
    expect(verdicts(result)["ttft_scheduled_p50"]).toBe("worse");
  });

  test("of one run per side says how much more data would tell, or what else where that is more than 100 times as much", async () => {
    const noteAt = async (share: number) =>
      (await pair(1, { metrics: ["ttft_scheduled_p50"], limits: [{ share }] })).metrics[0]?.note;
    expect(await noteAt(0.01)).toMatch(/^needs about \d+ times more data$/);
    expect(await noteAt(0.0001)).toBe(
      "one run per side cannot tell: repeat both (--repeat 5), or make the target steadier",
    );
  });

  test("of two runs per side that differ much says how many runs would tell, as Student's t has it", async () => {
    const run = (seed: number, slower: number) => comparedRun(variedRun(seed, slower));
    const base = [await run(1, 1), await run(2, 1.05)];
    const next = [await run(3, 1.01), await run(4, 1.06)];
    const { metrics } = await compare(base, next, { metrics: ["e2e_p50"], limits: [] });
    const runs = Number(/^about (\d+) runs on each side would tell/.exec(metrics[0]?.note ?? "")?.[1]);
    expect(metrics[0]?.decision).toBe("undecided");
    // A spread of 3.5% between runs: the half interval of n runs per side, 0.035 sqrt(2 / n) t(2n - 2), is 5% with 6 or 7.
    expect(runs).toBeGreaterThanOrEqual(5);
    expect(runs).toBeLessThanOrEqual(9);
    const wild = await compare([await run(1, 1), await run(2, 3)], [await run(3, 1), await run(4, 3)], {
      metrics: ["e2e_p50"],
      limits: [],
    });
    expect(wild.metrics[0]?.note).toContain("that 50 would not tell");
    expect(compareTerminal(wild, { colour: false })).toMatch(/ over 11x /);
  });

  test("finds an improvement", async () => {
    const result = await pair(0.8, { metrics: ["ttft_p50"], limits: [] });
    expect(result.metrics).toMatchObject([{ name: "ttft_p50", verdict: "better", decision: "allowed" }]);
    expect(result.exitCode).toBe(0);
  });

  test("does not decide where the interval holds the limit", async () => {
    const result = await pair(1.05, { metrics: ["ttft_p50"], limits: [] });
    expect(result.metrics).toMatchObject([{ verdict: "worse", decision: "undecided" }]);
    expect(result).toMatchObject({ exitCode: 2, conclusion: expect.stringMatching(/^undecided: ttft_p50/) });
  });

  test("has the same result each time", async () => {
    expect(await pair(1.1)).toEqual(await pair(1.1));
  });

  test("is undecided about a percentile that was asked for and has too few samples; another is left out, which is said", async () => {
    const asked = await pair(1, { metrics: ["ttft_p99"], limits: [] });
    expect(asked.metrics).toMatchObject([{ decision: "undecided", note: "too few samples: 600 of 1000" }]);
    expect(asked.exitCode).toBe(2);
    const short = async (seed: number) => comparedRun(variedRun(seed, 1, { durationS: 5 }));
    const usual = await compare([await short(1)], [await short(2)]);
    expect(usual.metrics.map(({ name }) => name)).not.toContain("ttft_scheduled_p95");
    expect(usual.notes).toContain("ttft_scheduled_p95 is not compared: too few samples: 100 of 200");
  });

  test("looks at the metrics that limits name in addition to the usual ones", async () => {
    const result = await pair(1, { metrics: [], limits: [{ metric: "tpot_p90", share: 0.1 }] });
    expect(result.metrics.find(({ name }) => name === "tpot_p90")).toMatchObject({ limit: 0.1, verdict: "same" });
  });

  test.each([["ttft_mean"], ["schedule_lag_p50"], ["output_tokens_p50"], ["ok"], ["ttft"], ["tfft_p50"]])(
    "refuses %s",
    async (name) => {
      await expect(pair(1, { metrics: [name], limits: [] })).rejects.toThrow(new RegExp(name));
    },
  );
});

group("failures", () => {
  const failing =
    (every: number, seed: number, slower = 1) =>
    (record: RequestRecord, index: number) => {
      const whole = varied(seed, slower)(record, index);
      return whole !== undefined && index % every === 0 ? { ...httpError(whole), arrival: index } : whole;
    };
  const run = (every: number, seed: number, slower = 1) =>
    comparedRun(makeRun({ change: failing(every, seed, slower) }));

  test("that become more are worse, by points", async () => {
    const { metrics } = await compare([await run(100, 1)], [await run(5, 2)]);
    expect(metrics.find(({ name }) => name === "error_rate")).toMatchObject({
      scale: "points",
      base: 0.01,
      new: 0.2,
      verdict: "worse",
      decision: "regression",
    });
  });

  test("that one side has beyond the other may have been slow: a latency is not better for them", async () => {
    const request = { metrics: ["e2e_p90"], limits: [] };
    const better = await compare([await run(1e9, 1)], [await run(1e9, 2, 0.8)], request);
    expect(better.metrics[0]?.verdict).toBe("better");
    const failed = await compare([await run(1e9, 1)], [await run(5, 2, 0.8)], request);
    expect(failed.metrics[0]).toMatchObject({ verdict: "too-noisy", interval: [expect.any(Number), null] });
  });
});

test("failures that the base has beyond the other side hide no slowdown that is clear whatever they were", async () => {
  const change = varied(1);
  const failing = (record: RequestRecord, index: number) => {
    const whole = change(record, index);
    return whole !== undefined && index % 50 === 0 ? { ...httpError(whole), arrival: index } : whole;
  };
  const request = { metrics: ["ttft_p50", "e2e_p50"], limits: [] };
  const result = await compare(
    [await comparedRun(makeRun({ change: failing }))],
    [await comparedRun(variedRun(2, 1.5))],
    request,
  );
  for (const metric of result.metrics) {
    expect(metric).toMatchObject({ base: null, change: null, verdict: "worse", decision: "regression" });
    expect(metric.note).toBeUndefined();
    const [least = 0, most = null] = metric.bounds?.base ?? [];
    expect(least).toBeLessThan(most ?? 0);
  }
  expect(result.exitCode).toBe(1);
});

test("arrivals that never started leave a percentile beyond them open, and one below them measured", async () => {
  const base = await comparedRun(variedRun(1));
  const next = await comparedRun(neverStarted(variedRun(2, 1.3), 60));
  const request = { metrics: ["ttft_scheduled_p50", "ttft_scheduled_p95"], limits: [] };
  const [median, p95] = (await compare([base], [next], request)).metrics;
  expect(median).toMatchObject({ verdict: "worse", decision: "regression" });
  expect(p95).toMatchObject({ new: null, change: null, interval: [expect.any(Number), null], detectable: null });
});

group("runs that cannot be compared", () => {
  const fine = () => comparedRun(variedRun(1), undefined, "good");

  test("because one was interrupted are not, and the exit code is 2", async () => {
    const { records, client } = variedRun(2);
    const stopped = await comparedRun(
      { records: records.slice(0, 300), client: client.slice(0, 15) },
      undefined,
      "cut",
    );
    for (const result of [await compare([await fine()], [stopped]), await compare([stopped], [await fine()])]) {
      expect(result).toMatchObject({ exitCode: 2, metrics: [] });
      expect(result.conclusion).toContain("cut was interrupted");
    }
  });

  test("because one is damaged are not", async () => {
    const { records, client } = variedRun(2);
    const damaged = await comparedRun({ records: records.toSpliced(50, 1, "{"), client }, undefined, "bad");
    const result = await compare([await fine()], [damaged]);
    expect(result).toMatchObject({ exitCode: 2, metrics: [] });
    expect(result.conclusion).toMatch(/nothing is compared: bad is INVALID: .*line 51/);
  });

  test("because one is CLIENT-LIMITED are compared by what does not depend on timing", async () => {
    const { records, client } = variedRun(2, 2);
    const late = records.map((line) => line.replace(/"lag":[\d.]+/, '"lag":80'));
    const limited = await comparedRun({ records: late, client }, undefined, "late");
    const result = await compare([await fine()], [limited]);
    expect(limited.run.validity.verdict).toBe("CLIENT-LIMITED");
    expect(result.metrics.map(({ name }) => name)).toEqual(["error_rate"]);
    expect(result).toMatchObject({ exitCode: 2, conclusion: expect.stringContaining("late is CLIENT-LIMITED") });
  });
});

test("several runs per side show the variance from run to run: what one run calls worse is too noisy", async () => {
  const side = (factors: readonly number[], seed: number) =>
    Promise.all(factors.map((factor, index) => comparedRun(variedRun(seed + index, factor))));
  const request = { metrics: ["ttft_p50"], limits: [] };
  const [base, next] = [await side([1, 1.15, 0.9], 10), await side([1.1, 0.95, 1.2], 20)];
  const single = await compare(base.slice(0, 1), next.slice(0, 1), request);
  const all = await compare(base, next, request);
  expect([single.metrics[0]?.verdict, all.metrics[0]?.verdict]).toEqual(["worse", "too-noisy"]);
  expect(all).toMatchObject({
    runToRun: true,
    metrics: [{ runs: { base: [expect.any(Number), expect.any(Number), expect.any(Number)] } }],
  });
});

test("what an ok request cost on each side is said, and is a value of a history", async () => {
  const priced = async (perOk: number, currency = "EUR") => {
    const { run, ...of } = await comparedRun(variedRun(1));
    return { ...of, run: { ...run, cost: { currency, total: 1, measured: 1, perOk } } };
  };
  const notesOf = async (...currency: string[]) =>
    (await compare([await priced(0.0002)], [await priced(0.00021, ...currency)])).notes.join();
  const said = "an ok request cost 0.0002 EUR in the base and 0.00021 EUR in the new runs on average, 5% more";
  expect(await notesOf()).toContain(said);
  expect(await notesOf("USD")).not.toContain("cost");
  expect(lineOfLoad((await priced(0.0002)).run).values.at(-1)).toEqual({
    ...{ name: "cost_per_ok", unit: "EUR", better: "lower", value: 0.0002 },
  });
});

test("other work than before is said", async () => {
  const longer = varied(2);
  const next = makeRun({ change: (record, index) => ({ ...record, ...longer(record, index), output_tokens: 20 }) });
  const { notes } = await compare([await comparedRun(variedRun(1))], [await comparedRun(next)]);
  expect(notes.join()).toContain("output tokens per request differ: 10 in the base, 20 in the new runs");
});

test("a change below the timing error of the load generator is not the target's", async () => {
  const tiny = (seed: number, slower: number) => {
    const change = varied(seed, slower);
    return makeRun({
      change: (record, index) => {
        const whole = change(record, index);
        return whole && { ...whole, gaps_us: (whole.gaps_us ?? []).map((gap) => Math.round(gap / 1_000)) };
      },
    });
  };
  const request = { metrics: ["icl_p50"], limits: [] };
  const result = await compare([await comparedRun(tiny(1, 1))], [await comparedRun(tiny(2, 1.5))], request);
  expect(result.metrics).toMatchObject([
    { verdict: "too-noisy", decision: "undecided", note: expect.stringContaining("wake-up latency") },
  ]);
});

group("what a load generator can have caused of a change", () => {
  const late = (lines: ReturnType<typeof variedRun>) => ({
    ...lines,
    client: lines.client.map((line) => withLateWakes(line, 9)),
  });
  const request = { metrics: ["ttft_p50"], limits: [] };
  const decided = async (base: ReturnType<typeof variedRun>, next: ReturnType<typeof variedRun>, asked = request) => {
    const { metrics, exitCode } = await compare([await comparedRun(base)], [await comparedRun(next)], asked);
    return { decision: metrics[0]?.decision, verdict: metrics[0]?.verdict, note: metrics[0]?.note, exitCode };
  };

  test("that was late in the new run alone is no regression, and in the base alone is no clearance", async () => {
    const undecided = { decision: "undecided", verdict: "too-noisy", exitCode: 2 };
    expect(await decided(variedRun(1), late(variedRun(2, 1.2)))).toMatchObject(undecided);
    expect(await decided(late(variedRun(1)), variedRun(2))).toMatchObject({
      ...undecided,
      note: expect.stringMatching(/^the load generators can have caused up to [\d.]+ ms of the change: one/),
    });
  });

  test("that was late in both runs alike is a regression, and a clearance, as without", async () => {
    expect(await decided(late(variedRun(1)), late(variedRun(2, 2)))).toMatchObject({ decision: "regression" });
    expect(await decided(late(variedRun(1)), late(variedRun(2)))).toMatchObject({ decision: "allowed" });
  });

  test("whose failures an interruption can have caused is no regression of the error rate", async () => {
    const asked = { metrics: ["error_rate"], limits: [] };
    const stalled = (record: RequestRecord, index: number): RequestRecord =>
      index >= 100 && index < 600 && index % 4 === 0
        ? { ...unanswered(record, "stalled"), status: 200, ttfb: 40, e2e: 900 }
        : record;
    const failing = makeRun({ change: stalled });
    const stopped = { ...failing, client: withInterruption(failing.client, 4.3, 26) };
    expect(await decided(variedRun(1), failing, asked)).toMatchObject({ decision: "regression", exitCode: 1 });
    expect(await decided(variedRun(1), stopped, asked)).toMatchObject({ decision: "undecided", exitCode: 2 });
    expect(await decided(stopped, variedRun(1), asked)).toMatchObject({ verdict: "too-noisy" });
  });
});

group("sides that were not equally warm", () => {
  const USED = { requests: 600, distinct: 600, repeated: 0 };
  const withInputs = async (
    seed: number,
    inputs: NonNullable<SideRun["run"]["inputs"]>,
    factor?: number,
  ): Promise<SideRun> => {
    const run = await comparedRun(variedRun(seed, factor));
    return { ...run, run: { ...run.run, inputs } };
  };

  test("are not compared by what depends on timing", async () => {
    const result = await compare([await withInputs(1, USED)], [await withInputs(2, { ...USED, repeated: 300 })]);
    expect(Object.keys(verdicts(result))).toEqual(["error_rate"]);
    expect(result.exitCode).toBe(2);
    expect(result.conclusion).toBe(
      "what depends on timing is not compared: 0% of the requests of the base and 50% of the new ones sent an input that was sent before in their run",
    );
    expect(result.notCompared?.[0]?.reason).toBe("the sides were not equally warm");
  });

  test("because the new runs sent what the base had sent are named, and not compared where a cache shows", async () => {
    const again = { earlier: { from: "base", repeated: 540, begunAlike: 540 } };
    const said = "90% of the requests of a new run sent an input that the base had sent to the same target";
    const unseen = await compare([await withInputs(1, USED)], [await withInputs(2, { ...USED, ...again })]);
    expect(unseen.exitCode).toBe(0);
    expect(unseen.notes.join()).toContain(said);
    const better = await compare([await withInputs(1, USED)], [await withInputs(2, { ...USED, ...again }, 0.5)]);
    expect(better.exitCode).toBe(2);
    expect(better.conclusion).toContain(`better, which may be the work of a cache: ${said}`);
    const cached = (share: number) => ({ ...USED, cached: { requests: 600, share } });
    const seen = await compare([await withInputs(1, cached(0))], [await withInputs(2, { ...cached(0.8), ...again })]);
    expect(seen.exitCode).toBe(2);
    expect(seen.conclusion).toContain(said);
    expect(seen.notes.join()).toContain(
      "a cache of the target had 0% of the input tokens in the base and 80% in the new runs",
    );
    const times = { freshMs: 200, repeatedMs: 20, sooner: true };
    const shown = await withInputs(2, { ...USED, earlier: { ...again.earlier, times } });
    expect((await compare([await withInputs(1, USED)], [shown])).exitCode).toBe(2);
    const elsewhere = await withInputs(2, { ...USED, ...again });
    const other = { ...elsewhere, run: { ...elsewhere.run, target: "http://other" } };
    expect((await compare([await withInputs(1, USED)], [other])).notes.join()).not.toContain(said);
  });

  test("are compared where the cache is what changed", async () => {
    const cached = (share: number) => ({ ...USED, cached: { requests: 600, share } });
    const result = await compare([await withInputs(1, cached(0))], [await withInputs(2, cached(0.8))]);
    expect(result.exitCode).toBe(0);
    expect(result.notes.join()).toContain("a cache of the target had 0%");
  });
});

group("how far the percentiles of the first latency moved", () => {
  test("is the difference in milliseconds, within its interval, as far as the samples allow", async () => {
    const { shift } = await compare([await comparedRun(variedRun(1))], [await comparedRun(variedRun(2, 1.5))]);
    expect(shift).toMatchObject({ metric: "ttft_scheduled", confidence: 0.95 });
    const points = shift?.points ?? [];
    expect(points.map(([share]) => share)).toEqual([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95]);
    for (const [, moved, low, high] of points) {
      expect(low).toBeLessThanOrEqual(moved ?? Number.NaN);
      expect(high).toBeGreaterThanOrEqual(moved ?? Number.NaN);
      expect(low).toBeGreaterThan(0);
    }
    const { metrics } = await compare([await comparedRun(variedRun(1))], [await comparedRun(variedRun(2, 1.5))]);
    const { base, new: next } = metrics.find(({ name }) => name === "ttft_scheduled_p50") ?? {};
    expect(points[3]?.[1]).toBeCloseTo((next ?? 0) - (base ?? 0), 5);
  });

  test("has no bound where arrivals never started, and is wider with several runs that differ", async () => {
    const open = await compare([await comparedRun(variedRun(1))], [await comparedRun(neverStarted(variedRun(2), 60))]);
    expect(open.shift?.points.at(-1)).toEqual([0.95, null, expect.any(Number), null]);
    const runs = async (...slower: number[]) =>
      Promise.all(slower.map(async (each, index) => comparedRun(variedRun(index + 3, each))));
    const { shift } = await compare(await runs(1, 1.4), await runs(1.4, 1));
    const [, , low, high] = shift?.points.find(([share]) => share === 0.5) ?? [];
    expect((high ?? 0) - (low ?? 0)).toBeGreaterThan(40);
  });

  test("is absent where no latency is compared", async () => {
    const request = { metrics: ["error_rate"], limits: [] };
    expect(
      await compare([await comparedRun(variedRun(1))], [await comparedRun(variedRun(2))], request),
    ).not.toHaveProperty("shift");
  });
});
