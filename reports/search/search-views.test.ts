/** What a search says of its runs, and how it is shown. */

import { describe, expect, test } from "vitest";
import type { SearchResult, SearchStep } from "../../formats/search.ts";
import { httpError, makeRun, type RunOptions, unanswered } from "../../tests/support/results/load-run.ts";
import { summarize, summarizeRun } from "../../tests/support/results/summarize-run.ts";
import { concludeSearch, type SearchEnd } from "./conclude-search.ts";
import { searchHtml } from "./search-html.ts";
import { searchMarkdown } from "./search-markdown.ts";
import { searchPlots } from "./search-plots.ts";
import { stepOf } from "./search-step.ts";
import { searchTerminal } from "./search-terminal.ts";
import { stepRemark } from "./step-rows.ts";

const PLANNED = { rate: 20, purpose: "bisect", seconds: 30, run: "run-03" } as const;

describe("a run of a search", () => {
  const verdict = async (options: Parameters<typeof summarizeRun>[0], slos: readonly string[]) =>
    stepOf(await summarizeRun(options, { slos }), PLANNED).verdict;
  const slower = (ms: number) => ({
    change: (record: Parameters<typeof httpError>[0], index: number) => ({
      ...record,
      ttft: (record.ttft ?? 0) + index * ms,
      e2e: (record.e2e ?? 0) + index * ms,
    }),
  });

  test("meets its objectives, misses them, or leaves them undecided", async () => {
    expect(await verdict({}, ["ttft_p50<1s"])).toBe("met");
    expect(await verdict({}, ["ttft_p50<1ms"])).toBe("missed");
    const confirm = async (slo: string) =>
      stepOf(await summarizeRun({}, { slos: [slo] }), { ...PLANNED, purpose: "confirm" }).verdict;
    expect([await confirm("ttft_p99.9<1s"), await confirm("ttft_p50<1s")]).toEqual(["undecided", "met"]);
  });

  test("that is to confirm says whether only chance left its objectives undecided", async () => {
    const confirm = async (slo: string, options = {}) =>
      stepOf(await summarizeRun(options, { slos: [slo] }), { ...PLANNED, purpose: "confirm" });
    const some = {
      change: (record: Parameters<typeof httpError>[0], index: number) => ({
        ...record,
        ttft: index % 21 === 0 ? 900 : (record.ttft ?? 0),
      }),
    };
    expect(await confirm("ttft_p95<500ms", some)).toMatchObject({ verdict: "undecided", byChance: true });
    expect(await confirm("ttft_p95<500ms")).not.toHaveProperty("byChance");
    expect(await confirm("icl_p95<500ms", { change: () => undefined })).not.toHaveProperty("byChance");
  });

  const failing = (every: number) => (record: Parameters<typeof httpError>[0], index: number) =>
    index % every === 0 ? httpError(record) : record;

  describe("that is short, before the one that confirms", () => {
    const short = { rate: 2, warmupS: 0, durationS: 6 };
    test.each<[string, SearchStep["verdict"], readonly string[]]>([
      ["ttft_p95<1s", "met", ["ttft_p95<1s"]],
      ["ttft_p95<50ms", "missed", []],
      ["ttft_p95<105ms", "undecided", []],
      ["error_rate<1%", "met", ["error_rate<1%"]],
    ])("decides %s by what it has: %s", async (slo, expected, leftOpen) => {
      const step = stepOf(await summarizeRun(short, { slos: [slo] }), PLANNED);
      expect([step.verdict, step.leftOpen ?? []]).toEqual([expected, leftOpen]);
      if (leftOpen.length > 0) expect(step.reason).toContain(`undecided: ${slo}`);
    });

    test("says that its figures miss what chance might have exceeded", async () => {
      const slow: RunOptions["change"] = (record, index) => ({ ...record, ttft: index % 9 < 5 ? 900 : 100 });
      const step = stepOf(
        await summarizeRun({ ...short, durationS: 15, change: slow }, { slos: ["ttft_p50<500ms"] }),
        PLANNED,
      );
      const reason = "the figures of this short run miss ttft_p50<500ms";
      expect(step).toMatchObject({ verdict: "missed", objectives: [{ ok: null }], reason });
      expect(stepRemark(step)).toBe(reason);
    });

    test("takes one failure among a few for chance, and half of them for a miss", async () => {
      expect(await verdict({ ...short, change: failing(12) }, ["error_rate<1%"])).toBe("met");
      expect(await verdict({ ...short, change: failing(2) }, ["error_rate<1%"])).toBe("missed");
    });
  });

  test("of one user alone says what more users cannot change, and ends a search only where chance does not explain it", async () => {
    const floor = async (slos: readonly string[], options = {}) =>
      stepOf(await summarizeRun({ rate: 2, warmupS: 0, durationS: 20, ...options }, { slos }), {
        ...{ vus: 1, purpose: "floor", seconds: 20, run: "run-01" },
      });
    expect(await floor(["ttft_p90<1s", "requests_per_s>=50", "ok>=100"])).toMatchObject({
      verdict: "met",
      objectives: [{ expr: "ttft_p90<1s" }],
    });
    expect((await floor(["ttft_p90<50ms"])).verdict).toBe("missed");
    // One of four is beyond the bound, where a tenth may be; then one of eight, which may be chance.
    const slow = (every: number) => ({
      change: (record: Parameters<typeof httpError>[0], index: number) => ({
        ...record,
        ttft: index % every === 0 ? 900 : (record.ttft ?? 0),
      }),
    });
    expect((await floor(["ttft_p90<500ms"], slow(4))).verdict).toBe("missed");
    expect((await floor(["ttft_p90<500ms"], slow(8))).verdict).toBe("undecided");
    const never = (record: Parameters<typeof httpError>[0]) => ({ ...unanswered(record, "timeout"), reused: false });
    expect((await floor(["ttft_p90<1s"], { change: never })).verdict).toBe("missed");
    // A limit of requests per second refuses one user who is faster than it.
    const limited = { change: failing(2) };
    expect(await floor(["error_rate<1%", "ttft_p90<1s"], limited)).toMatchObject({
      verdict: "undecided",
      reason: expect.stringMatching(/; one user alone may be faster than the target allows$/),
    });
    expect((await floor(["error_rate<1%", "ttft_p90<50ms"], limited)).verdict).toBe("missed");
  });

  test("has the cost of its run", async () => {
    const run = await summarizeRun();
    const cost = { currency: "EUR", total: 2, perOk: 0.5, per1000Good: 600 };
    expect(stepOf({ ...run, cost: { ...cost, measured: 1, openTasks: 1 } }, PLANNED).cost).toEqual(cost);
    expect(stepOf(run, PLANNED)).not.toHaveProperty("cost");
  });

  test("shows the statistic that an objective names", async () => {
    const latency = async (...slos: string[]) => stepOf(await summarizeRun({}, { slos }), PLANNED).latency;
    expect(await latency("error_rate<1%", "e2e_p90<1s")).toMatchObject({ name: "e2e", statistic: "p90" });
    expect(await latency("error_rate<1%")).not.toHaveProperty("statistic");
  });

  test("whose target was saturated has missed them, whatever it says so far", async () => {
    const step = stepOf(await summarizeRun(slower(10), { slos: ["ttft_p50<1m"] }), PLANNED);
    expect(step).toMatchObject({ verdict: "missed", saturated: true, reason: "the queue of the target grew" });
  });

  test("without a response says nothing of the load", async () => {
    expect(await verdict({ change: (record) => unanswered(record) }, ["ok>=1"])).toBe("invalid");
    expect(await verdict({ change: (record) => httpError(record, 401) }, ["ok>=1"])).toBe("invalid");
  });

  test("that was limited by its load generator counts only where timing does not matter", async () => {
    const { records, client } = makeRun({ change: (record, index) => (index % 9 === 0 ? httpError(record) : record) });
    const busy = client.map((line) => JSON.stringify({ ...JSON.parse(line), cpu: 2 }));
    const of = async (slo: string) =>
      stepOf(await summarize([{ records, client: busy }], { slos: [slo] }), PLANNED).verdict;
    expect([await of("ttft_p50<1ms"), await of("error_rate<1%")]).toEqual(["client-limited", "missed"]);
  });

  test("says which objectives no response has a value for, whatever else it says", async () => {
    const empty = (record: Parameters<typeof httpError>[0]) => {
      const { ttft, ttft_scheduled: _, gaps_us: __, ...others } = record;
      return { ...others, ...(ttft && { ttft_any: ttft }), flags: ["empty" as const] };
    };
    const slos = ["ttft_p95<1s", "e2e_p95<1s"];
    const never = stepOf(await summarizeRun({ change: empty }, { slos }), PLANNED);
    expect(never).toMatchObject({ verdict: "undecided", neverMeasured: ["ttft_p95<1s"] });
    expect(never.reason).toContain("which held reasoning alone");
    const some = (record: Parameters<typeof httpError>[0], index: number) => (index === 50 ? record : empty(record));
    expect(stepOf(await summarizeRun({ change: some }, { slos }), PLANNED)).not.toHaveProperty("neverMeasured");
    const few = { rate: 1, warmupS: 0, durationS: 9, change: empty };
    expect(stepOf(await summarizeRun(few, { slos }), PLANNED)).not.toHaveProperty("neverMeasured");
    const conclusion = concludeSearch({ why: "never-measured" }, { ...FOUND, steps: [never] });
    expect(conclusion).toMatchObject({ exitCode: 2, found: null });
    expect(conclusion.conclusion).toMatch(
      /^ttft_p95<1s cannot be decided at any load: no response has a value for it; undecided: ttft_p95<1s; no content in 600 of 600 ok responses, which held reasoning alone/,
    );
  });

  test("says whether a load generator that lacked CPU time hardly used any", async () => {
    const late = async (cpu: number) => {
      const { records, client } = makeRun();
      const lines = client.map((line) => {
        const { wakes_us, ...others } = JSON.parse(line);
        return JSON.stringify(
          wakes_us === undefined ? others : { ...others, cpu, wakes_us: wakes_us.map(() => 30_000) },
        );
      });
      return stepOf(await summarize([{ records, client: lines }]), PLANNED);
    };
    expect(await late(0.1)).toMatchObject({ verdict: "client-limited", starved: true });
    const busy = await late(0.9);
    expect(busy.verdict).toBe("client-limited");
    expect(busy).not.toHaveProperty("starved");
  });

  test("that was interrupted does not count", async () => {
    const { records, client } = makeRun();
    const stopped = client.map((line, index) =>
      index === client.length - 1 ? JSON.stringify({ ...JSON.parse(line), stopped: "interrupted" }) : line,
    );
    expect(stepOf(await summarize([{ records, client: stopped }]), PLANNED).verdict).toBe("interrupted");
  });
});

const step = (rate: number, verdict: SearchStep["verdict"], more: Partial<SearchStep> = {}): SearchStep => ({
  rate,
  purpose: "bisect",
  seconds: 20,
  verdict,
  reason: verdict === "met" ? "all objectives met: ttft_p95<800ms" : "missed: ttft_p95<800ms",
  validity: "VALID",
  saturated: false,
  objectives: [{ expr: "ttft_p95<800ms", observed: rate * 20, ok: verdict === "met" }],
  arrivals: rate * 20,
  throughput: Math.min(rate, 50),
  errorRate: 0,
  latency: { name: "ttft_scheduled", p50: 100 + rate, p95: verdict === "met" ? 200 + rate : 2_000 + 40 * rate },
  run: `run-${rate}`,
  ...more,
});

const STEPS = [
  step(20, "met", { purpose: "bracket" }),
  step(40, "met", { purpose: "bracket" }),
  step(80, "missed", { purpose: "bracket", saturated: true }),
  step(56.57, "missed"),
  step(47.57, "met"),
  step(47.57, "met", { purpose: "confirm", seconds: 60, run: "run-06" }),
];

function made(end: SearchEnd, bracket: SearchResult["bracket"] = { met: 47.57, missed: 48.76 }): SearchResult {
  const known = {
    unit: "rate",
    range: { first: 20, min: 1.25, max: 200, tolerance: 0.025 },
    steps: STEPS,
    bracket,
  } as const;
  return {
    schema: "assay.search/1",
    tool: "assay 0.1.0",
    target: "http://127.0.0.1:8080",
    scenario: "chat-stream",
    startedAt: "2026-01-02T03:04:05.000Z",
    settings: { rate: "20", slo: "ttft_p95<800ms" },
    slos: ["ttft_p95<800ms"],
    ...known,
    steps: STEPS,
    ...concludeSearch(end, known),
  };
}

const FOUND = made({ why: "confirmed", found: 47.57, limitedBy: "target" }, { met: 47.57, missed: 56.57 });

describe("a search", () => {
  test("that lower loads would not have helped says who takes the CPUs", () => {
    const limited = [1, 2].map(() => step(20, "client-limited", { starved: true }));
    const bracket = { met: null, missed: null, clientLimited: 20 };
    const { conclusion, exitCode } = concludeSearch({ why: "client" }, { ...FOUND, steps: limited, bracket });
    expect(exitCode).toBe(2);
    expect(conclusion).toMatch(/^at 20\/s .*; no load was met; other processes take the CPUs/);
  });

  test.each<[SearchEnd, SearchResult["exitCode"], RegExp]>([
    [
      { why: "confirmed", found: 47.57, limitedBy: "target" },
      0,
      /^47\.57\/s is the highest load that meets the objectives/,
    ],
    [
      { why: "confirmed", found: 200, limitedBy: "range" },
      0,
      /^all objectives are met at 200\/s, .* the limit is higher$/,
    ],
    [{ why: "lowest-missed" }, 1, /^the objectives are missed at 1\.25\/s, the lowest load to try/],
    [
      { why: "client" },
      2,
      /^the load generator was the limit and the target could not be measured there; the limit lies between 47\.57\/s and 48\.76\/s; split/,
    ],
    [
      { why: "undecided", at: 56.57 },
      2,
      /^the objectives could not be decided at 56\.57\/s: missed: ttft_p95<800ms; the limit lies/,
    ],
    [{ why: "invalid", at: 80 }, 2, /^nothing valid was measured at 80\/s/],
    [{ why: "budget", budget: "--max-runs 6" }, 2, /--max-runs 6; the limit lies between 47\.57\/s and 48\.76\/s$/],
    [{ why: "interrupted" }, 2, /^the search was interrupted; the limit lies between/],
    [{ why: "running" }, 2, /^the search has not ended/],
  ])("%j", (end, exitCode, conclusion) => {
    const search = made(end);
    expect(search.exitCode).toBe(exitCode);
    expect(search.conclusion).toMatch(conclusion);
    expect(search.found === null).toBe(exitCode !== 0);
  });

  test("whose runs differ in how much they repeat is inconclusive, unless repetition was asked for", () => {
    const end = { why: "confirmed", found: 47.57, limitedBy: "target" } as const;
    const of = (repeated: readonly number[], more: Partial<SearchStep> = {}, repeatsAsked = false) =>
      concludeSearch(end, {
        ...FOUND,
        steps: repeated.map((share) => step(47.57, "met", { repeated: share, ...more })),
        repeatsAsked,
      });
    expect(of([0, 0])).toEqual(of([]));
    expect(of([0, 0.009]).conclusion).not.toContain("sent before");
    const differing = of([0.2, 0.9]);
    expect(differing).toMatchObject({ found: null, limitedBy: null, exitCode: 2 });
    expect(differing.conclusion).toMatch(
      /^47\.57\/s met the objectives, but 20% to 90% of what its runs sent had been sent before: the limit may be that of a cache; send each prompt once/,
    );
    expect(of([0.9, 0.9])).toMatchObject({
      exitCode: 0,
      conclusion: expect.stringMatching(/; 90% of .* sent before$/),
    });
    const shown = of([0.9, 0.9], { cacheAnswers: true });
    expect(shown).toMatchObject({ exitCode: 2, conclusion: expect.stringContaining("and was answered sooner") });
    expect(of([0.2, 0.9], { cacheAnswers: true }, true)).toMatchObject({
      ...{ found: { rate: 47.57 }, exitCode: 0 },
      conclusion: expect.stringMatching(
        /; 20% to 90% of what its runs sent had been sent before, and was answered sooner$/,
      ),
    });
  });

  test("that the load generator ended names its load, and no limit of the target", () => {
    const search = made({ why: "client" }, { met: 40, missed: null, clientLimited: 56.57 });
    expect(search).toMatchObject({ limitedBy: "client", found: null, exitCode: 2 });
    expect(search.conclusion).toBe(
      "at 56.57/s the load generator is the limit, not the target; 40/s meets the objectives; the limit above is not known; split the load over more machines, or give this one more CPUs",
    );
    const within = made({ why: "client" }, { met: 40, missed: 80, clientLimited: 56.57 });
    expect(within.limitedBy).toBeNull();
    expect(within.conclusion).toMatch(
      /^the load generator was the limit at 56\.57\/s and the target could not be measured there.* between 40\/s and 80\/s/,
    );
  });

  test("that was interrupted says what a short run left open, and no limit of a run that was not decided", () => {
    const leftOpen = ["error_rate<1%"];
    const conclusion = (steps: readonly SearchStep[], bracket: SearchResult["bracket"]) =>
      concludeSearch({ why: "interrupted" }, { ...FOUND, steps: [...steps], bracket }).conclusion;
    expect(conclusion([step(20, "met", { leftOpen })], { met: 20, missed: null })).toBe(
      "the search was interrupted; 20/s met what a short run can decide, but not error_rate<1%",
    );
    expect(conclusion([step(20, "met", { leftOpen }), step(40, "missed")], { met: 20, missed: 40 })).toMatch(
      /; the limit lies below 40\/s; 20\/s met what a short run can decide/,
    );
    expect(conclusion([step(20, "met", { leftOpen }), step(20, "met")], { met: 20, missed: null })).toBe(
      "the search was interrupted; 20/s meets the objectives",
    );
    expect(conclusion([step(20, "interrupted")], { met: null, missed: null })).toBe(
      "the search was interrupted; no limit found",
    );
  });

  test("whose runs at a load do not agree says so", () => {
    const steps = [step(40, "met"), step(40, "missed"), step(40, "client-limited")];
    const known = { ...FOUND, steps, bracket: { met: null, missed: null } };
    expect(concludeSearch({ why: "undecided", at: 40 }, known).conclusion).toBe(
      "the objectives could not be decided at 40/s: its runs do not agree (1 met, 1 missed, 1 client-limited); no limit found",
    );
  });

  test("on a terminal", async () => {
    await expect(searchTerminal(FOUND, { colour: false, folder: "out/s" })).toMatchFileSnapshot("golden/search.txt");
    expect(searchTerminal(made({ why: "interrupted" }), { colour: false, folder: "out/s" })).toContain(
      "to go on: repeat its command with --resume out/s",
    );
  });

  test.each<[SearchEnd, boolean]>([
    [{ why: "running" }, true],
    [{ why: "budget", budget: "--max-runs 6" }, true],
    [{ why: "undecided", at: 40 }, false],
    [{ why: "client" }, false],
    [{ why: "never-measured" }, false],
  ])("on a terminal says how to go on only where it would: %j", (end, goesOn) => {
    const text = searchTerminal(made(end), { colour: false, folder: "out/s" });
    expect(text.includes("to go on")).toBe(goesOn);
  });

  test("draws and lists the statistic that an objective names; a run without it shows its median, and says so", () => {
    const latency = { name: "ttft", statistic: "p90", p50: 100 } as const;
    const steps = [
      step(1, "met", { purpose: "floor", vus: 1, rate: undefined, throughput: 5, latency }),
      step(20, "met", { latency: { ...latency, p90: 300 } }),
    ];
    const text = searchTerminal({ ...FOUND, steps }, { colour: false, folder: "out/s" });
    expect(text).toMatch(/ttft p90 in ms over the load.*\n +1 user +p50 100\.0 .*\n +20\/s +300\.0 /);
    expect(text).toMatch(/run-1 +1 user +floor .* 100\.0 +- +- +- +met/);
    expect(text).toMatch(/p50 ms +p90 ms +p95 ms/);
    const [plot] = searchPlots({ ...FOUND, steps });
    expect(plot?.dots?.map(({ x, y }) => [x, y])).toEqual([
      [5, 100],
      [20, 100],
      [20, 300],
    ]);
    expect(plot?.layers).toMatchObject([{ points: [[20, 100]] }, { points: [[20, 300]] }]);
    expect(plot?.caption).toContain("off the line: one user alone");
    const [alone] = searchPlots({ ...FOUND, steps: steps.slice(0, 1) });
    expect(alone?.layers).toMatchObject([{ name: "p50", points: [] }]);
    const missed = { ...FOUND, steps: steps.map((one) => ({ ...one, verdict: "missed" as const })) };
    expect(concludeSearch({ why: "floor-missed" }, missed)).toMatchObject({
      ...{ exitCode: 1, limitedBy: "target", found: null },
      conclusion:
        "no rate meets the objectives: one user alone does not, because all objectives met: ttft_p95<800ms (20 requests, ttft p50 100.0 ms)",
    });
  });

  test("with a price list says what 1,000 requests of each run cost: ok ones, or good ones where a run tells them", () => {
    const cost = (more: object) => ({ cost: { currency: "EUR", total: 2, ...more } });
    const steps = [step(20, "met", cost({ perOk: 0.0125 })), step(40, "missed", cost({})), step(80, "invalid")];
    const text = searchTerminal({ ...FOUND, steps }, { colour: false, folder: "out/s" });
    expect(text).toMatch(/error rate +EUR per 1,000 ok +p50 ms/);
    expect(text).toMatch(/run-20 .* 0% +12\.50 .*\n +run-40 .* 0% +- .*\n +run-80 .* 0% +- /);
    expect(text).toMatch(/cost +4\.00 EUR/);
    const good = { ...FOUND, steps: [...steps, step(10, "met", cost({ perOk: 1, per1000Good: 3 }))] };
    expect(searchMarkdown(good)).toMatch(/EUR per 1,000 good \|.*\n.*\n.*\| - \|.*\n.*\n.*\n.* 3\.00 \|/);
  });

  test("as Markdown", async () => {
    await expect(searchMarkdown(FOUND)).toMatchFileSnapshot("golden/search.md");
  });

  test("as HTML, with its curves and a link to every run", async () => {
    const page = searchHtml(FOUND);
    await expect(page).toMatchFileSnapshot("golden/search.html");
    for (const { run } of STEPS) expect(page).toContain(`href="${run}/run.html"`);
    expect(page.match(/<svg /g)).toHaveLength(2);
  });
});
