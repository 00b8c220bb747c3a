/** Known failures: what an entry excuses, when it stops doing so, and which entries are refused. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Mock, startMock } from "../../mock-server/index.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { KEY, quickSettings } from "../../tests/support/targets/judge-target.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { applyBaseline, readBaseline, staleEntries } from "./baseline.ts";
import { startRun } from "./conformance-run.ts";
import { loadClauses } from "./load-clauses.ts";
import { fileSink } from "./run-files.ts";

const rethrow = (error: unknown): never => {
  throw error;
};

const clauses = await loadClauses();
const folder = newFolder();
let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ timing: "instant", apiKeys: [KEY], faults: ["chat-201"] });
});
afterAll(() => mock.stop());

function written(yaml: string): string {
  const file = join(folder, "baseline.yaml");
  writeFileSync(file, yaml);
  return file;
}

const LISTED = { clause: "chat.status", reason: "being fixed", expires: "2026-11-30" };
const DAY = "2026-11-30T23:59:59.000Z";
const NEXT = "2026-12-01T00:00:00.000Z";
const ruled = (verdict: ClauseVerdict["verdict"], more: Partial<ClauseVerdict> = {}): ClauseVerdict => ({
  verdict,
  reason: "seen",
  evidence: [3],
  ...more,
});

test("a listed failure is KNOWN to the last day of its entry, with both reasons, and keeps its evidence", () => {
  expect(applyBaseline([LISTED], DAY, "chat.status", ruled("FAIL"))).toEqual({
    verdict: "KNOWN",
    reason: "being fixed (known until 2026-11-30): seen",
    evidence: [3],
  });
  expect(applyBaseline([LISTED], NEXT, "chat.status", ruled("FAIL"))).toEqual(ruled("FAIL"));
  expect(applyBaseline([LISTED], DAY, "chat.minimal", ruled("FAIL"))).toEqual(ruled("FAIL"));
  expect(applyBaseline([LISTED], DAY, "chat.status", ruled("INCONCLUSIVE"))).toEqual(ruled("INCONCLUSIVE"));
});

test("a listed clause that is blocked is KNOWN only when what blocks it is listed too", () => {
  const blocked = ruled("BLOCKED", { blockedBy: "chat.minimal" });
  const minimal = { ...LISTED, clause: "chat.minimal" };
  expect(applyBaseline([LISTED], DAY, "chat.status", blocked).verdict).toBe("BLOCKED");
  expect(applyBaseline([LISTED, minimal], DAY, "chat.status", blocked).verdict).toBe("KNOWN");
});

test("an entry whose clause passes, or that has expired, is named", () => {
  const seen = (verdict: ClauseVerdict["verdict"]) => new Map([["chat.status", ruled(verdict)]]);
  expect(staleEntries([LISTED], DAY, seen("KNOWN"))).toEqual([]);
  expect(staleEntries([LISTED], DAY, seen("NOT-RUN"))).toEqual([]);
  expect(staleEntries([LISTED], DAY, seen("PASS"))).toEqual(["chat.status passes now; take it out of the baseline"]);
  expect(staleEntries([LISTED], NEXT, seen("FAIL"))).toEqual([
    "chat.status is excused no longer: its entry expired on 2026-11-30",
  ]);
});

test.each([
  [
    "no clause",
    "- { clause: chat.statsu, reason: r, expires: 2027-01-01 }",
    /"chat\.statsu".*Did you mean "chat\.status"/,
  ],
  [
    "nothing near",
    "- { clause: zebra-crossing-at-night, reason: r, expires: 2027-01-01 }",
    /not a clause\. assay conformance --list/,
  ],
  ["what cannot fail", "- { clause: chat.refusal.form, reason: r, expires: 2027-01-01 }", /can never fail/],
  ["no reason", '- { clause: chat.status, reason: " ", expires: 2027-01-01 }', /reason[\s\S]*such as: - \{ clause/],
  ["no day", "- { clause: chat.status, reason: r, expires: soon }", /expires/],
  ["a day that does not exist", "- { clause: chat.status, reason: r, expires: 2027-02-30 }", /expires/],
  ["a typo of a key", "- { clause: chat.status, reason: r, expiry: 2027-01-01 }", /expiry/],
  ["a clause twice", "- &a { clause: chat.status, reason: r, expires: 2027-01-01 }\n- *a", /"chat\.status" twice/],
  ["no YAML", "- { clause", /Cannot read the baseline/],
])("an entry that names %s is refused with the file's name", (_, yaml, message) => {
  const file = written(yaml);
  expect(() => readBaseline(file, clauses)).toThrow(UsageError);
  expect(() => readBaseline(file, clauses)).toThrow(message);
  expect(() => readBaseline(file, clauses)).toThrow(file);
});

test("a file that is not there is refused; an empty one and none at all list nothing", () => {
  expect(() => readBaseline(join(folder, "nowhere.yaml"), clauses)).toThrow(/Cannot read the baseline/);
  expect(readBaseline(written(""), clauses)).toEqual([]);
  expect(readBaseline(undefined, clauses)).toEqual([]);
});

test("a run writes KNOWN and what is out of date into its verdicts", async () => {
  const baseline = written(
    "- { clause: chat.status, reason: r, expires: 2100-01-01 }\n- { clause: chat.minimal, reason: r, expires: 2100-01-01 }",
  );
  const settings = quickSettings(mock.url, { ASSAY_ONLY: "chat", ASSAY_BASELINE: baseline });
  const run = await startRun(settings, { sink: fileSink(folder, rethrow) });
  const { verdicts: now, staleBaseline } = await run.finished;
  expect(now.get("chat.status")?.verdict).toBe("KNOWN");
  expect(staleBaseline).toEqual([expect.stringContaining("chat.minimal passes now")]);
  const verdicts = readFileSync(join(folder, "verdicts.jsonl"), "utf8");
  expect(verdicts).toMatch(/"baseline":\[\{"clause":"chat\.status"/);
  expect(verdicts).toMatch(/"id":"chat\.status".*"verdict":"KNOWN"/);
  expect(verdicts).toMatch(/"staleBaseline":\["chat\.minimal passes now/);
});
