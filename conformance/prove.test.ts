/**
 * Proof that each clause can fail: every fault of the mock is caught by the clauses that name it, and breaks no other.
 * `ASSAY_PROVE=all` (`npm run prove`) runs every fault, the ordinary test a fixed part of them.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LEDGER } from "../contract/ledger.ts";
import { FAILING_PROMPT, type Mock, startMock } from "../mock-server/index.ts";
import { loadBehaviours, loadFaults } from "../mock-server/variants/load-variants.ts";
import { badOnes, type ClauseVerdicts, counted, judgeTarget, KEY } from "../tests/support/judge-target.ts";
import { loadClauses } from "./engine/load-clauses.ts";
import { unproven } from "./model/coverage-page.ts";

const clauses = await loadClauses();
const faults = await loadFaults();
const behaviours = await loadBehaviours();
const named = new Set(clauses.flatMap(({ provenBy }) => provenBy));
const proving = faults.filter(({ name }) => named.has(name));
/** Every so many faults are run by the ordinary test. */
const STRIDE = process.env["ASSAY_PROVE"] === "all" ? 1 : 8;
const TIMEOUT = 30_000;
/** Long enough that a busy machine still finds a task processing. */
const WORK_MS = 100;

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ timing: "instant", workMs: WORK_MS, apiKeys: [KEY] });
});
afterAll(() => mock.stop());

async function judge(faultNames: readonly string[], profile = "service"): Promise<ClauseVerdicts> {
  mock.reset();
  mock.setFaults(faultNames);
  return judgeTarget(mock.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_PROFILE: profile });
}

describe("the faultless mock", () => {
  test.each(["service", "openai"])(
    "passes every clause of the profile %s, and no task is left open",
    async (profile) => {
      const rulings = await judge([], profile);
      expect(badOnes(rulings)).toEqual([]);
      expect(Object.keys(counted(rulings)).sort()).toEqual(["OBSERVED", "PASS"]);
      expect(mock.tasks().filter(({ state }) => state === "processing")).toEqual([]);
    },
  );
});

describe("provenBy", () => {
  test("names only faults that the mock has", () => {
    const known = new Set(faults.map(({ name }) => name));
    expect([...named].filter((name) => !known.has(name)).sort()).toEqual([]);
  });
  test("names a fault for every clause that can fail", () => {
    expect(unproven(clauses).map(({ id }) => id)).toEqual([]);
  });
});

describe("each fault is caught by the clauses that name it, and breaks no other", () => {
  for (const { name, breaks } of proving.filter((_, i) => i % STRIDE === 0)) {
    test(name, { timeout: TIMEOUT }, async () => {
      const catchers = clauses.filter(({ provenBy }) => provenBy.includes(name));
      const rulings = await judge([name], catchers.find(({ profile }) => profile !== undefined)?.profile);
      const wanted = catchers.map(({ id, level }) => `${id} ${level === "recommended" ? "WARN" : "FAIL"}`);
      expect(catchers.map(({ id }) => `${id} ${rulings.get(id)?.verdict}`)).toEqual(wanted);
      const expected = new Set([...breaks, ...catchers.map(({ id }) => id)]);
      const strays = badOnes(rulings).filter((line) => !expected.has(line.split(" ")[0] ?? ""));
      expect(strays).toEqual([]);
    });
  }
});

/** Runs of one target that must agree; the ordinary test takes a few of them. */
const JITTERED_RUNS = process.env["ASSAY_PROVE"] === "all" ? 20 : 3;

test(`${JITTERED_RUNS} runs of a target of uneven latencies come to the same verdicts`, {
  timeout: TIMEOUT,
}, async () => {
  const uneven = { ttftMs: "lognormal:8ms,1", itlMs: "lognormal:1ms,1", workMs: "lognormal:120ms,0.4" };
  const runs: Record<string, string>[] = [];
  for (let seed = 1; seed <= JITTERED_RUNS; seed += 1) {
    const jittered = await startMock({ timing: "fast", ...uneven, outputTokens: 6, apiKeys: [KEY], seed });
    const rulings = await judgeTarget(jittered.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT });
    await jittered.stop();
    runs.push(Object.fromEntries([...rulings].map(([id, { verdict }]) => [id, verdict])));
  }
  const flipped = Object.keys(runs[0] ?? {}).filter((id) => runs.some((run) => run[id] !== runs[0]?.[id]));
  expect(flipped.map((id) => `${id}: ${runs.map((run) => run[id]).join(" ")}`)).toEqual([]);
  expect(new Set(Object.values(runs[0] ?? {}))).toEqual(new Set(["PASS", "OBSERVED"]));
});

describe("no clause fails on what the document leaves open", () => {
  const watched = clauses.filter(({ level }) => level === "observed");
  /** What each of them saw. */
  const seen = new Map<string, Set<string>>();
  for (const { name } of behaviours) {
    test(name, { timeout: TIMEOUT }, async () => {
      const free = await startMock({ timing: "instant", workMs: WORK_MS, apiKeys: [KEY], behaviour: name });
      const rulings = await judgeTarget(free.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT });
      await free.stop();
      expect(badOnes(rulings)).toEqual([]);
      for (const { id } of watched) {
        const reason = rulings.get(id)?.reason.replace(/ \(exchange.*\)$/, "") ?? "";
        // What is open about a form is its body; of everything else, whether it was served.
        const point = id.includes("form") ? reason : reason.replace(/(answered \d+):.*/s, "$1");
        seen.set(id, (seen.get(id) ?? new Set()).add(point));
      }
    });
  }

  test("each open point is met by more than one choice", () => {
    const open = LEDGER.filter(({ level }) => level === "observed").map(({ id }) => id);
    const varied = watched.filter(({ id }) => (seen.get(id)?.size ?? 0) > 1).flatMap(({ rows }) => rows);
    expect(open.filter((row) => !varied.includes(row))).toEqual([]);
  });
});
