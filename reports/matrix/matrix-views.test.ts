import { beforeAll, describe, expect, test } from "vitest";
import { type ConformanceMatrix, conformanceMatrix, conformanceMatrixJson } from "../../formats/conformance-matrix.ts";
import type { VerdictLine } from "../../formats/verdicts.ts";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/verdict-lines.ts";
import { type ExchangesById, readExchanges, summarizeConformance } from "../conformance/conformance-result.ts";
import { buildMatrix, type MatrixSource } from "./build-matrix.ts";
import { matrixHtml } from "./html.ts";
import { matrixJunit } from "./junit.ts";
import { matrixMarkdown } from "./markdown.ts";
import { matrixTerminal } from "./terminal.ts";

const passed = (line: VerdictLine): VerdictLine =>
  line.level === "observed" ? line : { ...line, verdict: "PASS", reason: "as the specification says" };

const compatible: VerdictLine = {
  id: "chat.compatible.object",
  area: "chat.compatible",
  level: "compatible",
  text: "object of a completion is chat.completion",
  specification: [],
  verdict: "PASS",
  reason: "object was chat.completion",
  evidence: [1],
};

/** A result as if it were of another target. */
async function resultOf(folder: string, target: string, lines: readonly VerdictLine[], profile = "service") {
  const result = await summarizeConformance({ verdicts: verdictsOf(lines), tool: "assay 0.1.0" });
  const source: MatrixSource = {
    result: { ...result, target, settings: { ...result.settings, profile } },
    source: folder,
    path: `/results/${folder}`,
  };
  return source;
}

let matrix: ConformanceMatrix;
let sources: readonly MatrixSource[];
let exchanges: readonly ExchangesById[];

beforeAll(async () => {
  const good = LINES.map(passed);
  sources = await Promise.all([
    resultOf("a", "https://a.example", good),
    resultOf("b", "https://b.example", LINES),
    resultOf("a-openai", "https://a.example", [...good, compatible], "openai"),
  ]);
  exchanges = await Promise.all(sources.map(({ result }) => readExchanges(EXCHANGES, result)));
  matrix = buildMatrix(sources, "assay 0.1.0");
});

describe("three targets", () => {
  const golden = (end: string) => `./golden/three.${end}`;
  test("on a terminal", () => expect(matrixTerminal(matrix, { colour: false })).toMatchFileSnapshot(golden("txt")));
  test("as Markdown", () => expect(matrixMarkdown(matrix)).toMatchFileSnapshot(golden("md")));
  test("as HTML", () => expect(matrixHtml(matrix, exchanges)).toMatchFileSnapshot(golden("html")));
  test("as JUnit XML", () =>
    expect(
      matrixJunit(
        matrix,
        sources.map(({ result }) => result),
      ),
    ).toMatchFileSnapshot(golden("junit.xml")));
  test("as JSON, which reads back as the same", async () => {
    expect(conformanceMatrix.parse(JSON.parse(conformanceMatrixJson(matrix)))).toEqual(matrix);
    await expect(conformanceMatrixJson(matrix)).toMatchFileSnapshot(golden("json"));
  });
});

test("the page shows the evidence of every verdict that differs, in a panel of a button, and ids occur once", () => {
  const page = matrixHtml(matrix, exchanges);
  const targets = [...page.matchAll(/popovertarget="([^"]+)"/g)].map(([, id]) => id);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  const cells = matrix.clauses.flatMap(({ cells }) => cells.filter((cell) => cell !== null));
  expect(new Set(targets).size).toBe(cells.length);
  expect(page).toContain("curl -i -X POST &#39;http://127.0.0.1:8080/v1/chat/completions&#39;");
});

test("targets that agree in everything have no difference, and none that fails is hidden", async () => {
  const twice = buildMatrix(
    await Promise.all(["x", "y"].map((folder) => resultOf(folder, "http://t", LINES))),
    "assay 0.1.0",
  );
  expect(twice.conclusion).toBe("0 of 2 targets conform; no clause differs");
  expect(twice.targets.map(({ name }) => name)).toEqual(["t (x)", "t (y)"]);
  expect(twice.exitCode).toBe(1);
  const lines = matrixTerminal(twice, { colour: false });
  expect(lines).toMatch(/^No target passes +1 +2\nchat\.temperature\.over +FAIL +FAIL$/m);
  expect(lines).toContain("  all: 2.1 should be refused");
});
