import { beforeAll, expect, describe as group, test } from "vitest";
import { type ConformanceResult, conformanceJson, conformanceResult } from "../../formats/conformance.ts";
import { pageOutline } from "../../tests/support/results/page-outline.ts";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { conformanceBadge } from "./badge.ts";
import { type ExchangesById, readExchanges, summarizeConformance } from "./conformance-result.ts";
import { curl } from "./evidence.ts";
import { conformanceHtml } from "./html.ts";
import { conformanceJunit } from "./junit.ts";
import { conformanceMarkdown } from "./markdown.ts";
import { publishableSummary } from "./publishable.ts";
import { specificationHtml } from "./specification-html.ts";
import { conformanceTerminal } from "./terminal.ts";

const RUNS = {
  mixed: verdictsOf(LINES),
  green: verdictsOf(LINES.filter(({ verdict }) => verdict === "PASS" || verdict === "OBSERVED")),
  interrupted: verdictsOf(LINES, false).slice(0, 3),
};

group.each(Object.entries(RUNS))("the %s run", (name, verdicts) => {
  let result: ConformanceResult;
  let exchanges: ExchangesById;
  beforeAll(async () => {
    result = await summarizeConformance({ verdicts, tool: "assay 0.1.0" });
    exchanges = await readExchanges(EXCHANGES, result);
  });
  const golden = (end: string) => `./golden/${name}.${end}`;

  test("on a terminal", () =>
    expect(conformanceTerminal(result, { colour: false, exchanges })).toMatchFileSnapshot(golden("txt")));
  test("as Markdown", () => expect(conformanceMarkdown(result)).toMatchFileSnapshot(golden("md")));
  test("as JUnit XML", () => expect(conformanceJunit(result)).toMatchFileSnapshot(golden("junit.xml")));
  test("as HTML", () =>
    expect(pageOutline(conformanceHtml(result, exchanges))).toMatchFileSnapshot(golden("outline.txt")));
  test("every link between its pages leads to an anchor", () => {
    const pages: Record<string, string> = {
      "conformance.html": conformanceHtml(result, exchanges),
      "specification.html": specificationHtml(result, exchanges),
    };
    const links = Object.values(pages).flatMap((page) => [...page.matchAll(/href="(\w+\.html)#([^"]+)"/g)]);
    expect(new Set(links.map(([, page]) => page)).size).toBe(2);
    expect(links.filter(([, page = "", anchor]) => !pages[page]?.includes(` id="${anchor}"`))).toEqual([]);
  });
  test("as a badge", () => expect(conformanceBadge(result)).toMatchFileSnapshot(golden("badge.svg")));
  test("as a summary to publish", () => expect(publishableSummary(result)).toMatchFileSnapshot(golden("summary.md")));
  test("as JSON, which reads back as the same", async () => {
    expect(conformanceResult.parse(JSON.parse(conformanceJson(result)))).toEqual(result);
    await expect(conformanceJson(result)).toMatchFileSnapshot(golden("json"));
  });
});

test("the annotated specification says the verdict of each statement", async () => {
  const result = await summarizeConformance({ verdicts: RUNS.mixed, tool: "assay 0.1.0" });
  const page = specificationHtml(result, await readExchanges(EXCHANGES, result));
  await expect(pageOutline(page)).toMatchFileSnapshot("./golden/mixed.specification.txt");
  const rowOf = (id: string): string => page.split(` id="${id}" `)[1]?.split("</tr>")[0] ?? "";
  expect(rowOf("limits.temperature")).toMatch(
    /^class="row lacking"[\s\S]*tag bad">FAIL<.*href="conformance\.html#chat\.temperature\.over".*href="conformance\.html#exchange-2">/,
  );
  expect(rowOf("endpoints.chat")).toMatch(/^class="row ".*tag good">PASS<.*href="conformance\.html#chat\.status"/);
  expect(rowOf("events")).toMatch(/^class="row open".*Nothing is stated that could be checked/);
  expect(rowOf("auth.bearer")).toContain("this result has no clause for it");
  expect(rowOf("made.up")).toContain("a third statement");
  expect(page).not.toContain("<script>");
});

test("only exchanges that a clause cites are kept, and one that is missing is said", async () => {
  const result = await summarizeConformance({
    verdicts: verdictsOf(LINES.filter(({ id }) => id === "chat.temperature.over")),
    tool: "a",
  });
  expect([...(await readExchanges(EXCHANGES, result)).keys()]).toEqual([2]);
  expect(conformanceHtml(result, new Map())).toContain("exchange 2 is not in the record");
});

test("a curl line sends the request again, with the key from the environment and its text quoted", () => {
  const request = {
    method: "POST",
    url: "http://t/v1/x?a='b'",
    headers: {
      authorization: "Bearer sk-secret",
      "content-length": "9",
      "x-team": "it's",
      "content-type": "application/json",
    },
    body: `{"a":"it's $HOME"}`,
  };
  expect(curl({ request })).toBe(
    [
      `curl -i -X POST 'http://t/v1/x?a='\\''b'\\'''`,
      `-H "Authorization: Bearer $ASSAY_API_KEY"`,
      `-H 'x-team: it'\\''s'`,
      "-H 'content-type: application/json'",
      `--data-raw '{"a":"it'\\''s $HOME"}'`,
    ].join(" \\\n  "),
  );
});

test("a curl line repeats what was left out or wrong on purpose", () => {
  const url = "http://t/v1/x";
  const wrong = { method: "GET", url, headers: { authorization: "Bearer nobody's" }, key: "wrong" } as const;
  expect(curl({ request: wrong })).toBe(`curl -i -X GET '${url}' \\\n  -H 'Authorization: Bearer nobody'\\''s'`);
  expect(curl({ request: { method: "GET", url, headers: {}, key: "none" } })).toBe(`curl -i -X GET '${url}'`);
  const untyped = { method: "POST", url, headers: {}, body: "{}" };
  expect(curl({ request: untyped })).toMatch(/-H 'Content-Type:' \\\n {2}--data-raw '\{\}'$/);
});
