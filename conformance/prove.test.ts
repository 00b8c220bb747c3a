/**
 * Proof that each clause can fail: every fault of the mock is caught by the clauses that name it, and breaks no other.
 * `ASSAY_PROVE=all` (`npm run prove`) runs every fault, the ordinary test a fixed part of them.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadFaults } from "../mock-server/catalogue.ts";
import { FAILING_PROMPT, type Mock, startMock } from "../mock-server/index.ts";
import { loadClauses } from "./catalogue.ts";
import { startRun } from "./run.ts";
import { runSettings } from "./run-settings.ts";
import type { Ruling, Verdict } from "./verdict.ts";

const KEY = "a-key-for-the-mock";
const clauses = await loadClauses();
const faults = await loadFaults();
const named = new Set(clauses.flatMap(({ provenBy }) => provenBy));
const proving = faults.filter(({ name }) => named.has(name));
/** Every so many faults are run by the ordinary test. */
const STRIDE = process.env["ASSAY_PROVE"] === "all" ? 1 : 8;

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ timing: "instant", apiKeys: [KEY] });
});
afterAll(() => mock.stop());

async function judge(faultNames: readonly string[]): Promise<ReadonlyMap<string, Ruling>> {
  mock.reset();
  mock.setFaults(faultNames);
  const settings = runSettings({
    ASSAY_TARGET: mock.url,
    ASSAY_API_KEY: KEY,
    ASSAY_VIDEO: "true",
    ASSAY_MAX_VIDEO_JOBS: "60",
    ASSAY_POLL_INTERVAL: "10ms",
    ASSAY_DEADLINE: "4s",
    ASSAY_FAILING_PROMPT: FAILING_PROMPT,
  });
  return (await startRun({ ...settings, timeoutMs: 1_000 })).finished;
}

const BAD: readonly Verdict[] = ["FAIL", "WARN", "HARNESS-ERROR"];
const badOnes = (rulings: ReadonlyMap<string, Ruling>): string[] =>
  [...rulings]
    .filter(([, { verdict }]) => BAD.includes(verdict))
    .map(([id, { verdict, reason }]) => `${id} ${verdict} ${reason}`);

describe("the faultless mock", () => {
  test("passes every clause that can be judged", async () => {
    const rulings = await judge([]);
    const verdicts = new Set([...rulings.values()].map(({ verdict }) => verdict));
    expect(badOnes(rulings)).toEqual([]);
    expect([...verdicts].sort()).toEqual(["OBSERVED", "PASS"]);
    expect(mock.tasks().filter(({ state }) => state === "processing")).toEqual([]);
  });
});

describe("provenBy", () => {
  test("names only faults that the mock has", () => {
    const known = new Set(faults.map(({ name }) => name));
    expect([...named].filter((name) => !known.has(name)).sort()).toEqual([]);
  });
});

describe("each fault is caught by the clauses that name it, and breaks no other", () => {
  for (const { name, breaks } of proving.filter((_, i) => i % STRIDE === 0)) {
    test(name, { timeout: 20_000 }, async () => {
      const rulings = await judge([name]);
      const catchers = clauses.filter(({ provenBy }) => provenBy.includes(name));
      const wanted = catchers.map(({ id, level }) => `${id} ${level === "recommended" ? "WARN" : "FAIL"}`);
      expect(catchers.map(({ id }) => `${id} ${rulings.get(id)?.verdict}`)).toEqual(wanted);
      const expected = new Set([...breaks, ...catchers.map(({ id }) => id)]);
      const strays = badOnes(rulings).filter((line) => !expected.has(line.split(" ")[0] ?? ""));
      expect(strays).toEqual([]);
    });
  }
});
