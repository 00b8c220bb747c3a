import { expect, test } from "vitest";
import type { SearchResult, SearchStep } from "../../formats/search.ts";
import { searchesJson, searchesResult } from "../../formats/searches.ts";
import { compareSearches, type NamedSearch } from "./compare-searches.ts";
import { searchesHtml, searchesMarkdown, searchesPlot, searchesTerminal } from "./searches-views.ts";

const GRID = { command: { scenario: "chat-stream" }, axes: ["max-tokens", "input-tokens"], cells: 4 };

/** A search that found this rate, or that its target missed the objectives at the lowest one. */
function searched(index: number, texts: readonly string[], rate: number | null, more: Partial<SearchResult> = {}) {
  const step: SearchStep = {
    verdict: rate === null ? "missed" : "met",
    ...{ rate: rate ?? 1, purpose: "confirm", seconds: 60, reason: "", validity: "VALID", saturated: false },
    ...{ objectives: [], arrivals: 600, run: "run-01" },
    latency: { name: "ttft_scheduled", statistic: "p95", p95: 512.3 },
    cost: { currency: "EUR", total: 1, perOk: 0.002 },
  };
  const search: SearchResult = {
    ...{ schema: "assay.search/1", tool: "assay 0.1.0", target: "https://inference.example", scenario: "chat-stream" },
    ...{ startedAt: `2026-01-02T03:0${index}:00.000Z`, unit: "rate", settings: {}, slos: ["ttft_p95<800ms"] },
    range: { first: 5, min: 0.3125, max: 40, tolerance: 0.1 },
    steps: [
      { ...step, rate: 40, purpose: "bracket", verdict: "missed", latency: { name: "ttft_scheduled", p95: 9_000 } },
      step,
    ],
    found: rate === null ? null : { rate },
    bracket: { met: rate, missed: 40 },
    ...{ limitedBy: "target", state: "ended", exitCode: rate === null ? 1 : 0, conclusion: "a conclusion" },
    ...more,
  };
  const cell = texts.map((text, axis) => `${GRID.axes[axis]}=${text}`).join(" ");
  return { dir: `search-0${index}`, cell, texts, search } satisfies NamedSearch;
}

const compare = (...named: readonly NamedSearch[]) => compareSearches(named, { tool: "assay 0.1.0", grid: GRID });
const FOUR = [
  searched(1, ["64", "100"], 10),
  searched(2, ["64", "500"], null),
  searched(3, ["16", "100"], 20.5, { limitedBy: "range" }),
  searched(4, ["16", "500"], 8),
] as const;
const open = { found: null, limitedBy: null, exitCode: 2 } as const;

test("a search states its highest load, and the latency and cost of the run that confirmed it", () => {
  const [found, failed] = compare(...FOUR).searches;
  expect(found).toMatchObject({
    ...{ values: { "max-tokens": 64, "input-tokens": 100 }, found: { rate: 10 }, limitedBy: "target" },
    ...{ latency: { name: "ttft_scheduled p95", ms: 512.3 }, costPer1000Ok: 2, currency: "EUR" },
  });
  expect(failed).not.toHaveProperty("latency");
  expect(failed).not.toHaveProperty("costPer1000Ok");
});

test("the highest load is drawn over the first numeric setting, a line per combination of the others, without what was not found", () => {
  const plot = searchesPlot(compare(...FOUR));
  expect(plot?.title).toBe("Highest rate by max-tokens");
  expect(plot?.layers.map((layer) => (layer.kind === "line" ? [layer.name, layer.points] : []))).toEqual([
    [
      "input-tokens 100",
      [
        [16, 20.5],
        [64, 10],
      ],
    ],
    ["input-tokens 500", [[16, 8]]],
  ]);
  expect(plot?.dots?.[0]?.href).toBe("search-03/search.html");
  const text = [searched(1, ["64", "uniform:1,9"], 10), searched(2, ["constant:3", "5"], 10)];
  expect(searchesPlot(compare(...text))).toBeUndefined();
});

test("the exit code is 1 when a search failed, else 2 when one is inconclusive or left", () => {
  const [found, failed, least, other] = FOUR;
  const third = searched(2, ["64", "500"], 3);
  expect(compare(...FOUR)).toMatchObject({
    exitCode: 1,
    conclusion: "3 of 4 searches found a load that meets the objectives, 1 failed",
  });
  expect(compare(found, third, least, other).exitCode).toBe(0);
  expect(compare(found, third, least).exitCode).toBe(2);
  expect(compare(found, failed).exitCode).toBe(1);
  expect(compare(found, third, least, searched(4, ["16", "500"], null, open)).exitCode).toBe(2);
  const interrupted = searched(4, ["16", "500"], null, { ...open, state: "interrupted" });
  expect(compare(found, third, least, interrupted)).toMatchObject({
    exitCode: 2,
    conclusion: expect.stringMatching(/, 1 inconclusive or not complete, 3 ended$/),
  });
});

test("as JSON that is read again, as a page, as Markdown and on a terminal; also before any ended", async () => {
  const four = compare(...FOUR);
  expect(searchesResult.parse(JSON.parse(searchesJson(four)))).toEqual(four);
  await expect(searchesHtml(four)).toMatchFileSnapshot("golden/searches.html");
  await expect(searchesMarkdown(four)).toMatchFileSnapshot("golden/searches.md");
  await expect(searchesTerminal(four, { colour: false })).toMatchFileSnapshot("golden/searches.txt");
  expect(searchesHtml(compare())).toContain("INCONCLUSIVE");
});
