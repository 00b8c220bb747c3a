import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClauseResult, ConformanceResult, EvidenceFile } from "../../formats/conformance.ts";
import { LEVELS, VERDICTS } from "../../formats/verdicts.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { contradictions, type Rejudged, verifyPublished } from "./verify-published.ts";

fc.configureGlobal({ seed: 1 });

const EVIDENCE: readonly EvidenceFile[] = [
  { file: "exchanges.jsonl", bytes: 10, sha256: "aa" },
  { file: "verdicts.jsonl", bytes: 20, sha256: "bb" },
];
const RESULT = resultOfClauses(
  [clauseOf("chat.a"), clauseOf("chat.b", { verdict: "FAIL", reason: "wrong", evidence: [1] })],
  { evidence: [...EVIDENCE] },
);
const same = (result: ConformanceResult, more: Partial<Rejudged> = {}): Rejudged => ({
  recorded: result,
  again: result,
  notJudged: new Set(),
  evidence: EVIDENCE,
  tools: [result.tool],
  views: [],
  otherRun: undefined,
  ...more,
});

const anyClauses = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("chat.a", "chat.b", "embeddings.c", "video.d"),
      fc.constantFrom(...VERDICTS),
      fc.constantFrom(...LEVELS),
    )
    .map(([id, verdict, level]) => clauseOf(id, { verdict, level })),
  { selector: ({ id }) => id, minLength: 1 },
);

test("a result that nobody touched is reproduced", () => {
  fc.assert(
    fc.property(anyClauses, (clauses) => {
      const result = resultOfClauses(clauses, { evidence: [...EVIDENCE] });
      const decided = clauses.filter(({ verdict }) => verdict !== "NOT-RUN").length;
      expect(contradictions(result)).toEqual([]);
      expect(verifyPublished(result, same(result))).toEqual({
        differences: [],
        reproduced: decided,
        standing: 0,
        hashed: true,
      });
    }),
  );
});

test("a headline that the clauses do not bear out is found", () => {
  const forged = { ...RESULT, headline: "118 of 118 required verified" };
  expect(contradictions(forged)).toEqual([
    'its headline is "118 of 118 required verified", and its clauses give 1 of 2 required verified',
  ]);
});

test("another tool, a badge and a summary of another result are found", () => {
  const forged = { ...RESULT, tool: "assay 99.0.0" };
  expect(verifyPublished(forged, { ...same(forged), tools: [RESULT.tool, "assay 0.0.1"] }).differences).toEqual([
    `tool is "assay 99.0.0" in conformance.json; the record is of ${RESULT.tool} or assay 0.0.1`,
  ]);
  const views = [
    { file: "publish/badge.svg", found: "<svg/>", made: undefined },
    { file: "publish/summary.md", found: "# ok", made: "# ok" },
  ];
  expect(verifyPublished(RESULT, same(RESULT, { views })).differences).toEqual([
    "publish/badge.svg is not what conformance.json gives",
  ]);
});

test("a verdict that was edited is found, alone or with all that follows from it", () => {
  fc.assert(
    fc.property(anyClauses, fc.nat(), fc.constantFrom(...VERDICTS), fc.boolean(), (clauses, at, verdict, whole) => {
      const index = at % clauses.length;
      fc.pre(clauses[index]?.verdict !== verdict);
      const edited = clauses.map((clause, i) => (i === index ? { ...clause, verdict } : clause));
      const result = resultOfClauses(clauses, { evidence: [...EVIDENCE] });
      const published = whole ? resultOfClauses(edited, { evidence: [...EVIDENCE] }) : { ...result, clauses: edited };
      const { differences } = verifyPublished(published, same(result));
      expect(differences.join("\n")).toContain(
        `${clauses[index]?.id} is ${verdict} in conformance.json; the evidence gives ${clauses[index]?.verdict}`,
      );
    }),
  );
});

const edit = (change: (clause: ClauseResult) => ClauseResult): ConformanceResult => ({
  ...RESULT,
  clauses: RESULT.clauses.map((clause) => (clause.id === "chat.b" ? change(clause) : clause)),
});

test.each<[string, ConformanceResult, Partial<Rejudged>, RegExp]>([
  [
    "evidence that was changed",
    RESULT,
    { evidence: EVIDENCE.map((file) => ({ ...file, sha256: "cc" })) },
    /^exchanges\.jsonl was changed: its SHA-256 is cc, and conformance\.json gives aa$/m,
  ],
  [
    "evidence that is missing",
    RESULT,
    { evidence: EVIDENCE.slice(1) },
    /^exchanges\.jsonl is missing; conformance\.json gives its SHA-256, aa$/m,
  ],
  ["files of two runs", RESULT, { otherRun: "startedAt" }, /are not of one run: startedAt of their headers differs/],
  [
    "a clause that was left out",
    { ...RESULT, clauses: RESULT.clauses.slice(0, 1) },
    {},
    /^chat\.b is not in conformance\.json; the evidence gives FAIL$/m,
  ],
  [
    "a clause that was made up",
    { ...RESULT, clauses: [...RESULT.clauses, clauseOf("chat.c")] },
    {},
    /^chat\.c is PASS in conformance\.json, and the record has no such clause$/m,
  ],
  [
    "a reason that was edited",
    edit((clause) => ({ ...clause, reason: "a detail" })),
    {},
    /^reason of chat\.b is "a detail" in conformance\.json; verdicts\.jsonl gives "wrong"$/m,
  ],
  [
    "a level that was edited",
    edit((clause) => ({ ...clause, level: "recommended" })),
    {},
    /^level of chat\.b is "recommended" in conformance\.json; verdicts\.jsonl gives "required"$/m,
  ],
  ["another target", { ...RESULT, target: "http://u" }, {}, /^target is "http:\/\/u" in conformance\.json; /m],
  ["another time", { ...RESULT, startedAt: "2027-01-02T03:04:05.000Z" }, {}, /^startedAt is /m],
  ["another headline", { ...RESULT, headline: "all verified" }, {}, /^headline is "all verified" in /m],
  [
    "an exit code that was edited",
    { ...RESULT, exitCode: 0 },
    {},
    /^conformance\.json contradicts itself: its exit code is 0, and its list of verdicts does not confirm it$/m,
  ],
  [
    "a verdict in words that was edited",
    { ...RESULT, verdict: "CONFORMS (chat)" },
    {},
    /^conformance\.json contradicts itself: its verdict is "CONFORMS \(chat\)", and its clauses and exit code give DOES NOT CONFORM$/m,
  ],
  [
    "a clause that is listed twice",
    resultOfClauses([clauseOf("chat.a"), clauseOf("chat.a", { verdict: "WARN" })], { evidence: [...EVIDENCE] }),
    {},
    /^conformance\.json contradicts itself: it lists chat\.a twice$/m,
  ],
  [
    "counts that were edited",
    { ...RESULT, summary: { ...RESULT.summary, required: { total: 2, verified: 2, failed: 0, unverified: 0 } } },
    {},
    /^conformance\.json contradicts itself: its summary does not count the required clauses that it lists$/m,
  ],
])("%s is found", (_, published, more, sentence) => {
  expect(verifyPublished(published, same(RESULT, more)).differences.join("\n")).toMatch(sentence);
});

test("verdicts that could not be made again are counted apart", () => {
  expect(verifyPublished(RESULT, same(RESULT, { notJudged: new Set(["chat.b"]) }))).toMatchObject({
    differences: [],
    reproduced: 1,
    standing: 1,
  });
});

test("what a later version words otherwise is no difference", () => {
  const earlier = { ...RESULT, tool: "assay 0.0.9", headline: "1 of 2", conclusion: "one failed" };
  expect(verifyPublished(earlier, same(RESULT, { tools: [RESULT.tool, earlier.tool] })).differences).toEqual([]);
});
