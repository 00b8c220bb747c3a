import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SearchStep } from "../../formats/search.ts";
import { steadyRate } from "../../settings/load/rates.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { estimateSearch } from "./estimate-search.ts";
import { planSearch } from "./plan-search.ts";
import { searchPreview } from "./search-preview.ts";

const plan = (flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  planSearch("chat-stream", { target: "http://127.0.0.1:9", slo: "ttft_p95<800ms", ...flags }, { env });

describe("a search that makes no sense is refused", () => {
  test.each([
    [{ slo: "" }, "is not an SLO"],
    [{ rate: "1..5" }, "changes, and a search tries constant rates"],
    [{ rate: "10", max: "5" }, "is above --max 5"],
    [{ vus: "2", max: "5.5" }, "--max 5.5 is not a whole number of virtual users"],
    [{ arrival: "trace:x" }, "Cannot search with a trace"],
    [{ probeDuration: "2m" }, "is longer than --duration"],
    [{ tolerance: "0" }, "--tolerance is 0"],
  ])("%j", (flags, reason) => expect(() => plan(flags)).toThrow(reason));

  test("such as one without an objective", () => {
    expect(() => planSearch("chat", { target: "http://127.0.0.1:9" }, { env: {} })).toThrow(
      "Name at least one objective",
    );
  });
});

describe("the runs of a search", () => {
  test("are no longer than the last one", () => {
    const lengths = (duration: string) =>
      (["bracket", "confirm"] as const).map((purpose) => plan({ duration }).lengthOf(100, purpose, []));
    expect(lengths("15s")).toEqual([15_000, 15_000]);
    expect(lengths("40s")).toEqual([20_000, 40_000]);
  });
  test("have the load, length and seed of their own, and its other settings", () => {
    const { run } = plan({ maxTokens: "7", seed: "3", noDefaultSlos: "true", abortOn: "ok<1 over 5s" });
    const { settings } = run(12.34, 20_000, 4);
    expect(settings).toMatchObject({
      duration: 20_000,
      maxTokens: { kind: "fixed", value: 7 },
      seed: 7,
      noDefaultSlos: true,
    });
    expect([steadyRate(settings.rate ?? []), settings.slo, settings.abortOn]).toEqual([
      12.34,
      ["ttft_p95<800ms"],
      ["ok<1 over 5s"],
    ]);
    expect(plan({ vus: "4" }).run(8, 20_000, 0).settings).toMatchObject({ vus: 8 });
  });

  test("send other prompts than the runs before and than another search, unless a seed is given", () => {
    const of = (run: ReturnType<typeof plan>["run"], number: number) => run(5, 20_000, number).settings.promptSeed;
    const [one, other, seeded, resumed] = [plan({}), plan({}), plan({ seed: "3" }), plan({ promptSeed: "70" })];
    const first = of(one.run, 0) ?? Number.NaN;
    expect(first).toBeGreaterThanOrEqual(0);
    expect(of(one.run, 0)).toBe(first);
    expect(of(one.run, 2)).toBe(first + 2);
    expect(one.texts["promptSeed"]).toBe(String(first));
    expect(of(other.run, 0)).not.toBe(first);
    expect([of(seeded.run, 0), of(seeded.run, 2)]).toEqual([undefined, undefined]);
    expect([of(resumed.run, 0), of(resumed.run, 1)]).toEqual([70, 71]);
  });

  test("take no setting of a load from the environment that the search does not have", () => {
    const { run } = plan({}, { ASSAY_MAX_REQUESTS: "3", ASSAY_API_KEY: "key" });
    expect(run(5, 20_000, 0).settings.maxRequests).toBeUndefined();
    expect(run(5, 20_000, 0).keys).toEqual({ ASSAY_API_KEY: "key" });
  });

  test("are as short as they may be, but that which confirms has the samples that the objectives need", () => {
    const { lengthOf } = plan({});
    // error_rate<1% needs 299 requests, and a p95 223.
    expect([lengthOf(1, "bracket", []), lengthOf(1, "bisect", []), lengthOf(1, "confirm", [])]).toEqual([
      20_000, 20_000, 314_000,
    ]);
    expect([lengthOf(100, "bisect", []), lengthOf(100, "confirm", [])]).toEqual([20_000, 60_000]);
    const short = plan({ rate: "2", probeDuration: "6s" });
    expect(short.lengthOf(2, "bracket", [])).toBe(6_000);
  });

  test("are longer after one that could not be decided, with the samples that its percentiles need", () => {
    const { lengthOf } = plan({});
    const undecided = (rate: number, purpose: SearchStep["purpose"] = "bisect") =>
      ({ rate, purpose, verdict: "undecided" }) as SearchStep;
    expect(lengthOf(100, "bisect", [undecided(100)])).toBe(40_000);
    expect(lengthOf(2, "bisect", [undecided(2)])).toBe(118_000);
    expect(lengthOf(2, "bisect", [undecided(2), undecided(2)])).toBe(236_000);
    expect(lengthOf(2, "bisect", [undecided(4)])).toBe(20_000);
    expect(lengthOf(100, "confirm", [undecided(100)])).toBe(60_000);
    expect(lengthOf(100, "confirm", [undecided(100, "confirm")])).toBe(120_000);
    const users = plan({ vus: "4", noDefaultSlos: "true", slo: "ttft_p99<1s" });
    const step = { vus: 4, verdict: "met", throughput: 10 } as SearchStep;
    expect([users.lengthOf(8, "bisect", [step]), users.lengthOf(8, "confirm", [step])]).toEqual([20_000, 61_000]);
    expect(users.lengthOf(2, "confirm", [step])).toBe(241_000);
  });

  test("begin with one user alone, with what a closed loop has, no longer than a minute", () => {
    const { atFloor, lengthOf, space } = plan({
      ...{ rate: "2", slo: "ttft_scheduled_p90<500ms,requests_per_s>=1", arrival: "poisson" },
      ...{ abortOn: "requests_per_s<1 over 5s", probeDuration: "60s" },
    });
    expect(space.floor).toBe(true);
    const { settings } = atFloor(20_000, 1);
    expect(settings).toMatchObject({ vus: 1, duration: 20_000, abortOn: [] });
    expect(settings.slo).toEqual(["ttft_p90<500ms", "requests_per_s>=1"]);
    const after = (verdict: SearchStep["verdict"], throughput: number) =>
      lengthOf(1, "floor", [{ vus: 1, purpose: "floor", verdict, throughput } as SearchStep]);
    expect([lengthOf(1, "floor", []), after("missed", 2), after("undecided", 0.1)]).toEqual([30_000, 30_000, 60_000]);
    expect(plan({ vus: "1" }).space.floor).toBe(false);
    // Of a workload of its own, an objective from the scheduled start stays what it is.
    const file = join(newFolder(), "workloads.yaml");
    const of = (slo: string) => {
      writeFileSync(file, `workloads:\n  - name: a\n    operation: chat-stream\n    weight: 1\n    slo: [${slo}]\n`);
      return planSearch(
        undefined,
        { target: "http://127.0.0.1:9", slo: "ok>=1", workload: file, rate: "2" },
        { env: {} },
      ).space;
    };
    expect([of("ttft_p95<800ms").floor, of("ttft_scheduled_p95<800ms").floor]).toEqual([true, false]);
  });

  test("may be resumed with the same settings, out of what is saved", () => {
    const first = plan({ rate: "8", max: "100", header: "x-a=A" }, { A: "secret-value", ASSAY_WARMUP: "3s" });
    expect(JSON.stringify(first.texts)).not.toContain("secret-value");
    const again = planSearch("chat-stream", first.texts, { env: { A: "secret-value" } });
    expect([again.texts, again.space, again.warmup]).toEqual([first.texts, first.space, 3_000]);
  });
});

test("what a search may cost is told before, from the first rate to the highest", () => {
  const { runs, seconds, arrivals = [0, 0] } = estimateSearch(plan({ rate: "20", max: "200" }));
  expect(runs[0]).toBeGreaterThan(3);
  expect(runs[1]).toBeLessThanOrEqual(30);
  expect(seconds[1]).toBeGreaterThan(seconds[0]);
  expect(arrivals[1]).toBeGreaterThan(arrivals[0]);
  const preview = searchPreview(plan({ rate: "20", max: "200", maxArrivals: "5000", abortOn: "ok<1 over 15s" }));
  expect(preview).toContain(
    "20/s first, from 1.25/s to 200/s and never more; before, one user alone, as fast as the target serves it",
  );
  expect(preview).toMatch(/arrivals, about +[\d,]+ to [\d,]+, at most 5,000/);
  expect(searchPreview(plan({ vus: "2" }))).toContain("as many as the target responds to");
  const prices = '{"currency":"EUR","output":1}';
  expect(searchPreview(plan({ rate: "20", max: "200", prices }))).toMatch(/ at most.* +[\d.]+ EUR to [\d.]+ EUR\n/);
  expect(searchPreview(plan({ vus: "2", prices }))).toMatch(/cost, about.* 0\.000256 EUR per arrival/);
});

test("the estimate has the runs as they are: short ones, one that confirms, and longer ones where a short one decides nothing", () => {
  const { seconds, runs } = estimateSearch(plan({ rate: "2", max: "4", probeDuration: "6s", warmup: "0s" }));
  // All objectives met by one user, at 2/s and 4/s: three short runs, and the 299 units of error_rate<1% at 4/s.
  expect([runs[0], seconds[0]]).toEqual([4, 6 + 6 + 6 + Math.ceil((299 * 1.05) / 4)]);
  // Undecided with 12 samples of a p95, then with all 200 that it needs, twice.
  expect(seconds[1]).toBeGreaterThan(2 * 105);
  expect(searchPreview(plan({ rate: "2", probeDuration: "6s" }))).toMatch(
    /time, about +[\d.smin ]+ to [\d.smin ]+ of load, and some/,
  );
});
