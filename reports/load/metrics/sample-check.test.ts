import { expect, test } from "vitest";
import type { ClauseResult, ConformanceResult } from "../../../formats/conformance.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { Verdict } from "../../../formats/verdicts.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { conclude } from "../validity/conclude.ts";
import { checkedText, sampleCheckOf, uncheckedIn, violationsIn } from "./sample-check.ts";

const clause = (id: string, verdict: Verdict, count?: number): ClauseResult => ({
  ...{ id, area: "chat", level: verdict === "WARN" ? "recommended" : "required", text: id, specification: [] },
  ...{ verdict, reason: `${id} is ${verdict}`, evidence: [], selected: true },
  ...(count !== undefined && { share: { count, of: 40, kind: "completions" } }),
});

const NONE = { requests: 0, judged: 0, clientLeft: 0, unchecked: 0, unrecorded: 0 };

function checked(
  counts: Partial<typeof NONE & { cached: number }>,
  ...clauses: readonly ClauseResult[]
): ConformanceResult {
  const tally = { total: 0, verified: 0, failed: 0, unverified: 0 };
  return {
    schema: "assay.conformance/1",
    ...{ target: "http://h", startedAt: "", tool: "assay", settings: {}, exitCode: 0, verdict: "", conclusion: "" },
    ...{ headline: "", problems: [], clauses: [...clauses] },
    summary: { required: tally, compatible: tally, recommended: tally, observed: 0 },
    traffic: { ...NONE, ...counts, statements: { total: 0, exercised: 0, never: [] } },
  };
}

const VALID: RunResult["validity"] = { verdict: "VALID", reasons: [], lateness: [] };
const LIMITED: RunResult["validity"] = { ...VALID, verdict: "CLIENT-LIMITED" };
const slos = [parseSlo("ok>=1")];
const met = [{ expr: "ok>=1", observed: 40, ok: true }];
const concluded = (check: ReturnType<typeof sampleCheckOf>, validity = VALID) =>
  conclude({ interrupted: false, validity, slos: met, outages: [], check }, slos);

const violated = sampleCheckOf(0.01, [
  {
    folder: "a",
    result: checked(
      { judged: 40, clientLeft: 2 },
      clause("one", "PASS"),
      clause("two", "WARN", 3),
      clause("three", "FAIL", 8),
    ),
  },
]);

test("a violated clause fails a run that met its objectives, and one that the load generator limited", () => {
  expect(violationsIn(violated)).toEqual(["violates the specification: three (8 of 40 completions)"]);
  expect(concluded(violated)).toMatchObject({ exitCode: 1, conclusion: expect.stringContaining("three (8 of 40") });
  expect(concluded(violated, LIMITED)).toMatchObject({ exitCode: 1 });
  expect(violated.findings.map(({ id }) => id)).toEqual(["three", "two"]);
  expect(checkedText(violated)).toBe(
    "40 exchanges of 1% of the arrivals, 2 not judged, as the load ended them: 1 clause verified, 1 violated, 1 warning",
  );
});

test("a warning does not fail a run", () => {
  const warned = sampleCheckOf(1, [{ folder: "a", result: checked({ judged: 1 }, clause("two", "WARN", 3)) }]);
  expect(concluded(warned)).toMatchObject({ exitCode: 0 });
});

test("a run of which nothing was checked, although that was asked for, is inconclusive", () => {
  const none = sampleCheckOf(0.01, []);
  expect(uncheckedIn(none)).toHaveLength(1);
  expect(concluded(none)).toMatchObject({
    exitCode: 2,
    conclusion: expect.stringContaining("no exchange was checked"),
  });
});

test("the checks of shards are joined: a clause that one of them violates is not verified", () => {
  const joined = sampleCheckOf(0.5, [
    { folder: "a", result: checked({ judged: 10 }, clause("one", "PASS"), clause("three", "FAIL", 8)) },
    { folder: "b", result: checked({ judged: 20 }, clause("one", "PASS"), clause("three", "PASS")) },
  ]);
  expect(joined.exchanges.judged).toBe(30);
  expect(joined.verified).toBe(1);
  expect(joined.findings).toMatchObject([{ id: "three", folder: "a" }]);
});

test("exchanges that a cache returned are told, of all shards", () => {
  const of = (folder: string, cached?: number) => ({
    folder,
    result: checked({ judged: 20, ...(cached !== undefined && { cached }) }),
  });
  const check = sampleCheckOf(0.5, [of("a", 12), of("b")]);
  expect(check.exchanges.cached).toBe(12);
  expect(checkedText(check)).toContain(
    "40 exchanges of 50% of the arrivals, 12 returned by a cache, by their headers: ",
  );
  expect(sampleCheckOf(0.5, [of("b")]).exchanges).not.toHaveProperty("cached");
});

test("a run most of whose responses had no content says so in its first line", () => {
  const of = (empty: number) =>
    conclude(
      { interrupted: false, validity: VALID, slos: met, outages: [], flags: { empty }, counts: { ok: 40 } },
      slos,
    ).conclusion;
  expect(of(40)).toBe("all objectives met: ok>=1; no content in 40 of 40 ok responses");
  expect(of(19)).toBe("all objectives met: ok>=1");
});

test("where responses without content held reasoning, the first line says so, and what to do", () => {
  const of = (...counts: readonly [any: number, content: number]) => {
    const [ttft_any, ttft] = counts.map((count) => ({ unit: "ms", count }) as const);
    return conclude(
      {
        ...{ interrupted: false, validity: VALID, slos: met, outages: [], flags: { empty: 30 }, counts: { ok: 40 } },
        metrics: { ...(ttft_any && { ttft_any }), ...(ttft && { ttft }) },
      },
      slos,
    ).conclusion;
  };
  const none = "all objectives met: ok>=1; no content in 30 of 40 ok responses";
  const advice = "held reasoning alone: raise --max-tokens for content, or measure it by ttft_any";
  expect(of(40, 10)).toBe(`${none}, which ${advice}`);
  expect(of(30, 10)).toBe(`${none}; 20 of these ${advice}`);
  expect(of(0, 10)).toBe(none);
});

test("a run most of whose responses a cache returned says so in its first line", () => {
  const of = (replayed: number) =>
    conclude(
      {
        ...{ interrupted: false, validity: VALID, slos: met, outages: [], counts: { ok: 40 } },
        inputs: { requests: 40, repeated: 39, distinct: 1, replayed },
      },
      slos,
    ).conclusion;
  expect(of(38)).toBe("all objectives met: ok>=1; 38 of 40 ok responses had the id of an earlier one, as from a cache");
  expect(of(19)).toBe("all objectives met: ok>=1");
});
