import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { isBinding, LEVELS, VERDICTS } from "../../formats/verdicts.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { HOSTILE } from "../../tests/support/results/verdict-lines.ts";
import { badgeWords, conformanceBadge, hasBadge } from "./badge.ts";
import { publishableSummary } from "./publishable.ts";

fc.configureGlobal({ seed: 1 });

const clause = (
  id: string,
  verdict: ClauseResult["verdict"],
  level: ClauseResult["level"] = "required",
): ClauseResult => clauseOf(id, { verdict, level, reason: HOSTILE, selected: verdict !== "NOT-RUN" });

const PASS = clause("chat.status", "PASS");

test.each<[string, ConformanceResult, string, string, string]>([
  ["conforms", resultOfClauses([PASS, clause("video.submit", "NOT-RUN")]), "good", "conforms", "chat; video not run"],
  [
    "conforms with warnings",
    resultOfClauses([PASS, clause("chat.x", "WARN", "recommended")]),
    "good",
    "conforms",
    "chat; 1 warning",
  ],
  ["fails", resultOfClauses([PASS, clause("chat.x", "FAIL")]), "bad", "1 required failed", "chat"],
  [
    "fails at both levels",
    resultOfClauses([clause("chat.x", "FAIL"), clause("chat.y", "FAIL", "compatible")]),
    "bad",
    "1 required and 1 compatible failed",
    "chat",
  ],
  [
    "is not decided",
    resultOfClauses([PASS, clause("chat.x", "INCONCLUSIVE")]),
    "unsure",
    "inconclusive: 1 required not verified",
    "chat",
  ],
  [
    "fails and is excused",
    resultOfClauses([PASS, clause("chat.x", "KNOWN")]),
    "unsure",
    "1 clause known to fail",
    "chat",
  ],
  [
    "was interrupted",
    resultOfClauses([PASS], { exitCode: 2, finishedAt: undefined }),
    "unsure",
    "inconclusive",
    "chat",
  ],
  [
    "fails on warnings",
    resultOfClauses([PASS, clause("chat.x", "WARN", "recommended")], { exitCode: 1, settings: { failOn: "warn" } }),
    "bad",
    "failed on warnings",
    "chat; 1 warning",
  ],
  ["has an outdated baseline", resultOfClauses([PASS], { exitCode: 1 }), "bad", "baseline out of date", "chat"],
  ["could not be checked", resultOfClauses([PASS], { exitCode: 3 }), "bad", "internal error", "chat"],
  ["is nothing", resultOfClauses([], { exitCode: 0 }), "unsure", "inconclusive", ""],
])("the badge of a target that %s says so", (_, result, tone, state, about) => {
  expect(badgeWords(result)).toMatchObject({ tone, state, scope: about });
});

/** Mostly passed, so that one bad clause among good ones is common. */
const anyVerdict = fc.oneof({ weight: 12, arbitrary: fc.constant("PASS" as const) }, fc.constantFrom(...VERDICTS));
const anyClauses = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("chat.a", "chat.b", "embeddings.c", "video.d", "auth.key.chat"),
      anyVerdict,
      fc.constantFrom(...LEVELS),
      fc.boolean(),
    )
    .map(([id, verdict, level, selected]) => ({ ...clause(id, verdict, level), selected })),
  { selector: ({ id }) => id },
);

test("a badge is green only when all that was run has passed, whatever else the result claims", () => {
  fc.assert(
    fc.property(
      anyClauses,
      fc.constantFrom(0, 0, 1, 2, 3),
      fc.boolean(),
      fc.boolean(),
      (clauses, exitCode, finished, lies) => {
        const claimed = resultOfClauses(clauses, {
          exitCode,
          ...(finished ? {} : { finishedAt: undefined }),
          ...(lies ? { summary: resultOfClauses([PASS]).summary } : {}),
        });
        const { tone } = badgeWords(claimed);
        const binding = clauses.filter(({ level, selected }) => selected && isBinding(level));
        const isClean = binding.every(({ verdict }) => verdict === "PASS" || verdict === "NOT-APPLICABLE");
        const somethingPassed = binding.some(({ verdict }) => verdict === "PASS");
        const isExcused = clauses.some(({ verdict }) => verdict === "KNOWN");
        const green = [exitCode === 0, isClean, somethingPassed, finished, !isExcused];
        if (tone === "good") expect(green).toEqual([true, true, true, true, true]);
        expect(conformanceBadge(claimed)?.includes("#12734a") ?? false).toBe(tone === "good");
      },
    ),
    { numRuns: 1000 },
  );
});

test("a badge of one line says profile, date and version in its title, loads nothing, and shows a target as text", () => {
  const svg = conformanceBadge(resultOfClauses([PASS], { target: 'http://t/<script>"&' })) ?? "";
  expect(svg).toContain(
    '<title id="title">API conformance of http://t/&lt;script&gt;&quot;&amp;: conforms (chat); profile service · 2026-01-02; assay 0.1.0</title>',
  );
  expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title">/);
  expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/href|@import|<script|<style|src=/);
  for (const shown of [">API conformance<", ">conforms (chat)<"]) expect(svg).toContain(shown);
  expect(svg).toMatch(/^<svg [^>]* height="20"/);
});

test("there is no badge of a run that decided nothing, and its summary shows none", () => {
  const idle = resultOfClauses([clause("chat.minimal", "INCONCLUSIVE"), clause("chat.status", "BLOCKED")], {
    exitCode: 2,
  });
  expect(conformanceBadge(idle)).toBeUndefined();
  expect(publishableSummary(idle)).not.toContain("![");
  expect(hasBadge(resultOfClauses([clause("chat.minimal", "FAIL")]).summary)).toBe(true);
});

test("a summary names clauses and hashes, and quotes neither a reason nor a setting nor a problem", () => {
  const secret = "sk-0123456789";
  const result = resultOfClauses([PASS, { ...clause("chat.x", "FAIL"), reason: `it said ${secret}` }], {
    settings: { profile: "openai", header: secret },
    problems: [`verdicts.jsonl, line 3: not JSON (it starts with ${secret})`],
    conclusion: `because ${secret}`,
    evidence: [{ file: "exchanges.jsonl", bytes: 1234, sha256: "ab".repeat(32) }],
  });
  const summary = publishableSummary(result);
  expect(summary).not.toContain(secret);
  expect(summary).toContain(`| exchanges.jsonl | 1,234 | \`${"ab".repeat(32)}\` |`);
  expect(summary).toContain("| FAIL | required | `chat.x` | a statement |");
});
