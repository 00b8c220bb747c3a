import { describe, expect, test } from "vitest";
import type { LoadLine } from "../../formats/history.ts";
import { historySummary, historySummaryJson } from "../../formats/history-summary.ts";
import { madeLine, wobble } from "../../tests/support/results/made-history.ts";
import { HOSTILE } from "../../tests/support/results/verdict-lines.ts";
import { buildHistory, hasTags } from "./build-history.ts";
import { historyHtml } from "./history-html.ts";
import { historyTerminal } from "./history-terminal.ts";

const days = (count: number, more: (day: number) => Partial<LoadLine> = () => ({}), factor = (_: number) => 1) =>
  Array.from({ length: count }, (_, day) =>
    madeLine({ day, ttft: 200 * factor(day) * (1 + 0.01 * wobble(day)), more: more(day) }),
  );
const slowerFrom = (at: number) => (day: number) => (day < at ? 1 : 1.3);
const TOOL = "assay 0.1.0";

test("a change has its place, its size and what else changed then; what became worse comes first", () => {
  const lines = days(
    40,
    (day) => (day < 20 ? {} : { tool: "assay 0.2.0", target: "http://u" }),
    (day) => (day < 20 ? 1 : day < 30 ? 1.3 : 0.9),
  );
  const { summary } = buildHistory(lines.toReversed(), TOOL);
  expect(summary.results.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
  expect(summary.changes.map(({ metric, at, verdict }) => [metric, at, verdict])).toEqual([
    ["ttft_p95", lines[20]?.id, "worse"],
    ["ttft_p95", lines[30]?.id, "better"],
  ]);
  expect(summary.changes[0]?.change).toBeCloseTo(0.3, 1);
  expect(summary.changes[0]?.differences).toEqual(["assay 0.1.0 → assay 0.2.0"]);
  expect(historySummary.parse(JSON.parse(historySummaryJson(summary)))).toEqual(summary);
});

describe("results are one series", () => {
  const otherRate = {
    settings: { scenario: "chat-stream", target: "http://t", rate: 40, duration: 30_000, warmup: 0 },
  };

  test("without a name if their loads are the same", () => {
    const { series } = buildHistory(
      days(8, (day) => (day % 2 === 0 ? {} : otherRate)),
      TOOL,
    );
    expect(series.map(({ points }) => points.length)).toEqual([4, 4]);
  });

  test("with a name whatever their loads, and no change is looked for between two loads", () => {
    const lines = days(40, (day) => ({ name: "nightly", ...(day >= 20 && otherRate) }), slowerFrom(20));
    const { series, summary } = buildHistory(lines, TOOL);
    expect(series.map(({ name, points }) => [name, points.length])).toEqual([["nightly", 40]]);
    expect(series[0]?.points[20]).toMatchObject({ isNewLoad: true, differences: ["--rate 20 → 40"] });
    expect(summary.changes).toEqual([]);
  });
});

test("values that say nothing of the target make no change", () => {
  const lines = days(30, () => ({}), slowerFrom(20)).map((line, day) =>
    day < 20 ? line : { ...line, values: line.values.map((value) => ({ ...value, unusable: true as const })) },
  );
  expect(buildHistory(lines, TOOL).summary.changes).toEqual([]);
});

test("--tag takes results that have one of its values for each name", () => {
  const line = madeLine({ day: 1, more: { tags: { branch: "main", team: "search" } } });
  expect(hasTags(line, [])).toBe(true);
  expect(hasTags(line, [{ branch: "next" }, { branch: "main" }])).toBe(true);
  expect(hasTags(line, [{ branch: "main" }, { team: "chat" }])).toBe(false);
});

describe("the page", () => {
  test("has a chart per metric, the verdicts, the changes and what could not be read, and loads nothing", () => {
    const lines = days(
      40,
      (day) => ({ name: "nightly", tags: { branch: day < 20 ? "main" : "next" } }),
      slowerFrom(20),
    );
    const history = buildHistory(lines, TOOL, ["Cannot read the result in out/x/run.json: it is not JSON."]);
    const page = historyHtml(history);
    expect(page.match(/<figure class="plot"/g)).toHaveLength(2);
    expect(page.match(/<i class="good"/g)).toHaveLength(40);
    expect(page).toContain("out/x/run.json: it is not JSON.");
    expect(page).toContain('data-verdict="branch=main"');
    expect(page).toContain('data-verdict="name=nightly"');
    expect(page).toContain("+30%");
    expect(page).not.toMatch(/<(img|link)|href="http|src=/);
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  test("of one result has no trends, and its list is open", () => {
    const page = historyHtml(buildHistory(days(1), TOOL));
    expect(page).not.toContain("<figure");
    expect(page).toContain('<details class="card rows" open>');
  });

  test("of 200 results with eight metrics stays below a megabyte", () => {
    const names = ["ttft_p50", "ttft_p95", "icl_p50", "icl_p95", "e2e_p50", "e2e_p95", "error_rate", "requests_per_s"];
    const lines = days(200).map((line) => ({
      ...line,
      values: names.flatMap((name) => line.values.slice(0, 1).map((value) => ({ ...value, name }))),
    }));
    expect(historyHtml(buildHistory(lines, TOOL)).length).toBeLessThan(1 << 20);
  });

  test("and the terminal make what results say harmless", () => {
    const lines = days(3, () => ({ name: HOSTILE, target: HOSTILE, conclusion: HOSTILE, tags: { a: HOSTILE } }));
    const history = buildHistory(lines, TOOL, [HOSTILE]);
    expect(historyHtml(history)).not.toContain(HOSTILE);
    expect(historyTerminal(history, { colour: false })).not.toContain("\u001b");
  });
});
