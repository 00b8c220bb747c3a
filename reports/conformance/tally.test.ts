import { expect, describe as group, test } from "vitest";
import { type Level, type Verdict, type VerdictLine, verdictHeader } from "../../formats/verdicts.ts";
import { LINES, VIDEO, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { summarizeConformance } from "./conformance-result.ts";
import { conformanceHtml } from "./html.ts";
import { conformanceJunit } from "./junit.ts";
import { conformanceMarkdown } from "./markdown.ts";
import { conformanceTerminal } from "./terminal.ts";

const clauses = (...wanted: string[]): VerdictLine[] =>
  wanted.map((want, index) => {
    const [level = "", verdict = ""] = want.split(" ");
    return {
      id: `chat.c${index}`,
      area: "chat",
      level: level as Level,
      text: "says something",
      specification: [],
      verdict: verdict as Verdict,
      reason: "seen",
      evidence: [],
    };
  });

const judge = (wanted: string[], finished = true) =>
  summarizeConformance({ verdicts: verdictsOf(clauses(...wanted), finished), tool: "assay" });

test("the headline says what the verdicts rest on, and how long it took, in every view", async () => {
  const basis = { chats: 24, streams: 1, embeddings: 35, tasks: 0, refusals: 60 };
  const [header = "", ...lines] = verdictsOf(clauses("required PASS"), false);
  const { startedAt } = verdictHeader.parse(JSON.parse(header));
  const finishedAt = new Date(Date.parse(startedAt) + 3_100).toISOString();
  const outages = [{ invalidRequests: 12, status: 503, ms: 19_500 }];
  const end = JSON.stringify({ finishedAt, basis, outages, interference: { cut: 3, whole: 2 } });
  const result = await summarizeConformance({ verdicts: [header, ...lines, end], tool: "assay" });
  const words = "24 chats, 1 stream, 35 embeddings, 60 refusals in 4 s";
  const seen =
    "the target stopped serving (503) after 12 invalid requests, for 20 s; 3 responses were cut while another request was open, and 2 of them whole when sent again on their own: requests went one at a time from then on";
  expect(result.headline.endsWith(`; ${words}; ${seen}`)).toBe(true);
  const views = [
    conformanceTerminal(result, { colour: false }),
    conformanceMarkdown(result),
    conformanceHtml(result, new Map()),
  ];
  for (const view of views) expect(view).toContain(words);
});

test("the headline names the endpoints that serve requests without a valid key", async () => {
  const of = (id: string, verdict: Verdict): VerdictLine[] =>
    clauses(`recommended ${verdict}`).map((one) => ({ ...one, id, area: "auth" }));
  const lines = [
    ...of("auth.missing.chat", "WARN"),
    ...of("auth.missing.embeddings", "WARN"),
    ...of("auth.wrong.chat", "WARN"),
    ...of("auth.wrong.embeddings", "PASS"),
    ...of("auth.key.header-case", "WARN"),
  ];
  const { headline } = await summarizeConformance({ verdicts: verdictsOf(lines, true), tool: "assay" });
  expect(headline).toMatch(
    /; requests are served without a key \(chat, embeddings\) and with an invalid key \(chat\)$/,
  );
});

test.each([
  [{ refusals: 40 }, "no required clause was verified: the target refused all 40 requests"],
  [{ refusals: 1 }, "no required clause was verified: the target refused the only request"],
  [{ refusals: 0 }, "no required clause was verified: there was no response of the service"],
  [{ refusals: 3, streams: 1 }, "no required clause was verified"],
])("what was verified of the interface alone is no evidence: %j", async (seen, words) => {
  const basis = { chats: 0, streams: 0, embeddings: 0, tasks: 0, ...seen };
  const end = JSON.stringify({ finishedAt: "2026-11-21T09:00:02.000Z", basis });
  const verdicts = [...verdictsOf(clauses("required NOT-APPLICABLE", "compatible PASS"), false), end];
  expect((await summarizeConformance({ verdicts, tool: "assay" })).conclusion).toBe(words);
});

group("exit code", () => {
  test.each<[number, string[]]>([
    [0, ["required PASS", "recommended PASS"]],
    [0, ["required PASS", "required NOT-APPLICABLE", "required KNOWN"]],
    [0, ["required PASS", "recommended WARN", "observed OBSERVED", "recommended BLOCKED"]],
    [0, ["required PASS", "observed INCONCLUSIVE"]],
    [1, ["required FAIL"]],
    [1, ["required PASS", "compatible FAIL"]],
    [1, ["required FAIL", "required BLOCKED", "required INCONCLUSIVE"]],
    [2, ["required PASS", "required BLOCKED"]],
    [2, ["required PASS", "required INCONCLUSIVE"]],
    [2, ["required PASS", "required NOT-RUN"]],
    [2, ["required PASS", "compatible INCONCLUSIVE"]],
    [2, ["required NOT-APPLICABLE"]],
    [2, ["required NOT-APPLICABLE", "compatible PASS"]],
    [0, ["compatible PASS"]],
    [2, ["required KNOWN"]],
    [2, ["recommended PASS"]],
    [2, []],
    [3, ["required PASS", "observed HARNESS-ERROR"]],
    [3, ["required FAIL", "required HARNESS-ERROR"]],
    [3, ["compatible FAIL", "observed HARNESS-ERROR", "required INCONCLUSIVE"]],
  ])("is %i for %j", async (code, wanted) => {
    expect((await judge(wanted)).exitCode).toBe(code);
  });

  test("is 2 for a run without its end, and clauses without a verdict are NOT-RUN", async () => {
    const whole = verdictsOf(clauses("required PASS", "required PASS"), false);
    const result = await summarizeConformance({ verdicts: whole.slice(0, -1), tool: "assay" });
    expect(result.exitCode).toBe(2);
    expect(result.clauses[1]).toMatchObject({
      verdict: "NOT-RUN",
      reason: "the run was interrupted before this clause",
    });
    expect((await judge(["required PASS"], false)).conclusion).toMatch(/^the run was interrupted: 1 of 1 /);
    expect((await judge(["required FAIL"], false)).exitCode).toBe(1);
  });

  test("is 1 for a baseline that is out of date", async () => {
    const stale = ["chat.c0 passes now"];
    const end = JSON.stringify({ finishedAt: "2026-11-21T09:00:02.000Z", staleBaseline: stale });
    const verdicts = [...verdictsOf(clauses("required PASS"), false), end];
    expect(await summarizeConformance({ verdicts, tool: "assay" })).toMatchObject({
      exitCode: 1,
      problems: stale,
    });
  });

  test("is 2 for a damaged record", async () => {
    const [header = "", ...rest] = verdictsOf(clauses("required PASS"));
    const result = await summarizeConformance({ verdicts: [header, "{oops", ...rest], tool: "assay" });
    expect(result.exitCode).toBe(2);
    expect(result.conclusion).toMatch(/damaged: verdicts\.jsonl, line 2/);
    expect((await summarizeConformance({ verdicts: [], tool: "assay" })).exitCode).toBe(2);
  });
});

test("an internal error hides no failure: neither in the conclusion nor in any view", async () => {
  const result = await judge(["required PASS", "required HARNESS-ERROR", "required FAIL", "observed HARNESS-ERROR"]);
  expect(result.conclusion).toBe(
    "1 required clause failed; 2 clauses could not be checked because of an internal error",
  );
  expect(result.headline).toContain("1 of 3 required verified, 1 failed, 1 not checked because of an internal error");
  const terminal = conformanceTerminal(result, { colour: false });
  expect(terminal).toMatch(/^DOES NOT CONFORM /);
  expect(terminal.indexOf("FAIL  chat.c2")).toBeLessThan(terminal.indexOf("HARNESS-ERROR  chat.c1"));
  expect(conformanceHtml(result, new Map())).toContain("DOES NOT CONFORM");
  expect(conformanceMarkdown(result)).toContain("DOES NOT CONFORM");
  const xml = conformanceJunit(result);
  expect(xml).toContain('failures="1" errors="3"');
  expect(xml).toMatch(/<testcase classname="assay" name="conclusion"><error message="DOES NOT CONFORM/);
});

group("what fails a run", () => {
  const judgeWith = (settings: object, ...wanted: string[]) => {
    const [header = "", ...rest] = verdictsOf(clauses(...wanted));
    const lines = [JSON.stringify({ ...JSON.parse(header), settings }), ...rest];
    return summarizeConformance({ verdicts: lines, tool: "assay" });
  };

  test("warnings do where the user says so, in the exit code, the verdict and JUnit", async () => {
    const wanted = ["required PASS", "recommended WARN"];
    expect(await judgeWith({}, ...wanted)).toMatchObject({
      exitCode: 0,
      verdict: "CONFORMS (chat; video not run; 1 warning)",
    });
    const strict = await judgeWith({ failOn: "warn" }, ...wanted);
    expect(strict).toMatchObject({
      exitCode: 1,
      verdict: "FAILED ON WARNINGS (chat; video not run; 1 warning)",
      conclusion: "1 warning, which --fail-on warn makes fail",
    });
    expect(conformanceJunit(strict)).toMatch(/failures="2"/);
  });

  test("a part that had to be checked and was not run makes it inconclusive", async () => {
    expect((await judgeWith({ require: ["chat"] }, "required PASS")).exitCode).toBe(0);
    expect(await judgeWith({ require: ["chat", "video"] }, "required PASS")).toMatchObject({
      exitCode: 2,
      conclusion: "--require asks for video: some of its clauses did not run",
    });
  });

  test("required and compatible clauses are counted apart", async () => {
    const result = await judge(["required FAIL", "required FAIL", "compatible FAIL", "required PASS"]);
    expect(result.conclusion).toBe("2 required and 1 compatible clauses failed");
    expect(result.headline).toMatch(
      /^1 of 3 required verified, 0 of 1 compatible verified, 2 required and 1 compatible failed,/,
    );
  });

  test("what could not be verified is explained by the clause that blocks the most", async () => {
    const lines = clauses("required INCONCLUSIVE", "required INCONCLUSIVE", "required BLOCKED").map((line, i) => ({
      ...line,
      reason: `reason ${i}`,
      ...(i === 2 && { blockedBy: "chat.c1" }),
    }));
    const { conclusion } = await summarizeConformance({ verdicts: verdictsOf(lines), tool: "assay" });
    expect(conclusion).toBe("3 required clauses could not be verified: chat.c1 is INCONCLUSIVE, reason 1");
  });
});

group("headline", () => {
  test("counts what is selected, applies and is not known", async () => {
    const { headline, summary } = await summarizeConformance({ verdicts: verdictsOf(LINES), tool: "assay" });
    expect(headline).toBe(
      "2 of 5 required verified, 1 failed, 1 blocked, 1 inconclusive, 1 not applicable, 1 known, 2 video not run",
    );
    expect(summary).toEqual({
      required: { total: 5, verified: 2, failed: 1, unverified: 2 },
      compatible: { total: 0, verified: 0, failed: 0, unverified: 0 },
      recommended: { total: 1, verified: 0, failed: 1, unverified: 0 },
      observed: 1,
    });
  });

  test("names the compatible clauses where they were asked for", async () => {
    const { headline } = await judge(["required PASS", "compatible PASS", "compatible BLOCKED"]);
    expect(headline).toBe(
      `1 of 1 required verified, 1 of 2 compatible verified, 1 compatible blocked, ${VIDEO.length} video not run`,
    );
  });
});
