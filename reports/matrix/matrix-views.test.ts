import { beforeAll, describe, expect, test } from "vitest";
import { type ConformanceMatrix, conformanceMatrix, conformanceMatrixJson } from "../../formats/conformance-matrix.ts";
import type { VerdictLine } from "../../formats/verdicts.ts";
import { pageOutline } from "../../tests/support/results/page-outline.ts";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { readExchanges, summarizeConformance } from "../conformance/conformance-result.ts";
import { conformanceHtml } from "../conformance/html.ts";
import { buildMatrix, type MatrixSource } from "./build-matrix.ts";
import { matrixHtml } from "./html.ts";
import { matrixJunit } from "./junit.ts";
import { matrixMarkdown } from "./markdown.ts";
import { matrixSpecificationHtml } from "./specification-columns.ts";
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

beforeAll(async () => {
  const good = LINES.map(passed);
  sources = await Promise.all([
    resultOf("a", "https://a.example", good),
    resultOf("b", "https://b.example", LINES),
    resultOf("a-openai", "https://a.example", [...good, compatible], "openai"),
  ]);
  matrix = buildMatrix(sources, "assay 0.1.0");
});

describe("three targets", () => {
  const golden = (end: string) => `./golden/three.${end}`;
  test("on a terminal", () => expect(matrixTerminal(matrix, { colour: false })).toMatchFileSnapshot(golden("txt")));
  test("as Markdown", () => expect(matrixMarkdown(matrix)).toMatchFileSnapshot(golden("md")));
  test("as HTML", () => expect(pageOutline(matrixHtml(matrix))).toMatchFileSnapshot(golden("outline.txt")));
  test("as the annotated specification", () =>
    expect(
      pageOutline(
        matrixSpecificationHtml(
          matrix,
          sources.map(({ result }) => result),
        ),
      ),
    ).toMatchFileSnapshot(golden("specification.txt")));
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

test("each verdict is a link to its clause in the report of its target, which has that anchor, and the page has no evidence", async () => {
  const page = matrixHtml(matrix);
  const links = [...page.matchAll(/ href="([^"]+)\/conformance\.html#([^"]+)"/g)].map(([, folder, id]) => ({
    folder,
    id,
  }));
  expect(links).toHaveLength(matrix.clauses.flatMap(({ cells }) => cells.filter((cell) => cell !== null)).length);
  for (const [index, { result }] of sources.entries()) {
    const report = conformanceHtml(result, await readExchanges(EXCHANGES, result));
    const ids = links.filter(({ folder }) => folder === matrix.targets[index]?.folder).map(({ id }) => id);
    expect(ids.filter((id) => !report.includes(` id="${id}"`))).toEqual([]);
  }
  expect(page).not.toContain("curl -i");
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
