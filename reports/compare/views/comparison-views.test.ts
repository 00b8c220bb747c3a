import { beforeAll, describe, expect, test } from "vitest";
import { type ComparedMetric, type CompareResult, compareJson, compareResult } from "../../../formats/compare.ts";
import { comparedRun, variedRun } from "../../../tests/support/results/compared-runs.ts";
import { HOSTILE } from "../../../tests/support/results/verdict-lines.ts";
import { figure } from "../../page/chart.ts";
import { compareSides } from "../compare-sides.ts";
import type { FirstRuns } from "./both-strips.ts";
import { comparisonTitle } from "./comparison-rows.ts";
import { compareHtml } from "./html.ts";
import { intervalCharts } from "./interval-chart.ts";
import { compareJunit } from "./junit.ts";
import { compareMarkdown } from "./markdown.ts";
import { shiftPlot } from "./shift-plot.ts";
import { compareTerminal } from "./terminal.ts";

let worse: CompareResult;
let nothing: CompareResult;
let first: Required<FirstRuns>;

beforeAll(async () => {
  const folder = `out/${HOSTILE}`;
  const run = async (seed: number, slower: number) => comparedRun(variedRun(seed, slower), undefined, folder);
  const request = { metrics: [], limits: [{ metric: "ttft_p99", share: 0.1 }] };
  const base = await Promise.all([run(1, 1), run(2, 1)]);
  const next = await run(3, 1.3);
  worse = await compareSides({ base: { runs: base }, new: { runs: [next] } }, request, "assay 0.1.0");
  first = { base: base[0]?.run, new: next.run };
  const { records, client } = variedRun(4);
  const cut = await comparedRun({ records: records.slice(0, 300), client: client.slice(0, 15) }, undefined, folder);
  nothing = await compareSides({ base: { runs: base }, new: { runs: [cut] } }, request, "assay 0.1.0");
});

test("a regression in every format", async () => {
  const golden = (name: string) => `./golden/${name}`;
  await expect(compareTerminal(worse, { colour: false })).toMatchFileSnapshot(golden("worse.txt"));
  await expect(compareMarkdown(worse)).toMatchFileSnapshot(golden("worse.md"));
  await expect(compareJunit(worse)).toMatchFileSnapshot(golden("worse.junit.xml"));
  expect(compareResult.parse(JSON.parse(compareJson(worse)))).toEqual(worse);
});

test("the page shows the intervals, and both distributions of each latency in one picture", () => {
  const html = compareHtml(worse);
  expect(html).toContain('<th scope="col">verdict</th><th scope="col">base</th>');
  expect(html.match(/<figure>/g)).toHaveLength(5);
  for (const title of [
    "How much worse, with intervals",
    "Inter-chunk latency",
    "Time to first token, from scheduled start",
  ]) {
    expect(html).toContain(`<figcaption>${title}`);
  }
  expect(html).toMatch(/<i style="--key:var\(--s6\)">base<\/i><i style="--key:var\(--s1\)">new<\/i>/);
  expect(html.split("</main>")[0]).not.toMatch(/<(script|img|link)|href="http/);
});

test("the page begins with the first run of each side over time, on the same axes", () => {
  const html = compareHtml(worse, first);
  const strips = [...html.matchAll(/<figure class="plot strip" id="(.*?)" (data-x=".*?" data-y=".*?")/g)];
  expect(strips.map(([, id]) => id)).toEqual(["strip", "strip-new"]);
  expect(strips[0]?.[2]).toBe(strips[1]?.[2]);
  const [top = ""] = html.split("<h2>Metrics");
  const scales = [...top.matchAll(/<div class="y" aria-hidden="true">(.*?)<\/div>/g)].map(([, labels]) => labels);
  expect(scales).toHaveLength(2);
  expect(scales[0]).toBe(scales[1]);
  expect(html).toMatch(/<h3>base: .*, the first of 2 runs<\/h3>/);
  expect(html.indexOf("<h3>new: ")).toBeLessThan(html.indexOf("<h2>Metrics"));
  expect(html.match(/id="strip-failed"/g)).toHaveLength(1);
  expect(compareHtml(worse)).not.toContain("<h2>Over time");
});

describe("how far each percentile moved", () => {
  const shift = (points: NonNullable<CompareResult["shift"]>["points"]) =>
    shiftPlot({ ...worse, shift: { metric: "ttft", confidence: 0.95, points } });

  test("is a line with a band around zero, with its data below", () => {
    const html = compareHtml(worse);
    expect(html).toMatch(/<figure class="plot" id="plot-shift"[^>]*data-y="linear -/);
    expect(html).not.toMatch(/id="plot-shift"[^>]*data-low/);
    expect(html).toContain('<th scope="col">new less base ms');
  });

  test("reaches the edge where the data sets no bound, and has no line where nothing is measurable", () => {
    const plot = shift([
      [0.5, 10, 8, 12],
      [0.95, null, 20, null],
    ]);
    const { y, layers } = plot ?? {};
    expect(y?.to).toBeGreaterThan(20);
    expect(y?.from).toBeLessThan(0);
    expect(layers?.find(({ kind }) => kind === "band")).toMatchObject({
      points: [
        [0.5, 8, 12],
        [0.95, 20, y?.to],
      ],
    });
    expect(layers?.at(-1)).toMatchObject({
      points: [
        [0.5, 10],
        [0.95, null],
      ],
    });
    expect(shift([[0.5, 10, 8, 12]])).toBeUndefined();
  });
});

describe("the picture of the intervals", () => {
  const metric = (name: string, more: Partial<ComparedMetric>): ComparedMetric => ({
    ...{ name, unit: "ms", better: "lower", base: 100, new: 110, scale: "relative", change: 0.1 },
    ...{ interval: [0.05, 0.15], confidence: 0.95, detectable: 0.1, limit: 0.05, verdict: "worse" },
    decision: "undecided",
    ...more,
  });
  const metrics = [
    metric("ttft_p50", {}),
    metric("ttft_p95", { base: null, change: null, interval: [0.42, null] }),
    metric("e2e_p95", { new: null, change: null, interval: [null, 0.2] }),
    metric("error_rate", { scale: "points", unit: "share", interval: [-0.01, 0.02] }),
    metric("goodput_share", { scale: "points", unit: "share", better: "higher", interval: [-0.01, 0.02] }),
    metric("icl_p95", { interval: [0.1, 45] }),
    metric("requests_per_s", { unit: "1/s", better: "higher", change: null, interval: [-0.5, null] }),
    metric("e2e_p50", { change: null, interval: [null, null] }),
    metric("ttft_p99", { change: null, interval: null, note: "too few samples: 600 of 1000" }),
  ];
  const [chart, ...others] = intervalCharts({ metrics, notCompared: [{ name: "icl_p50", reason: "too few gaps" }] });
  const svg = chart === undefined ? "" : figure(chart).text;

  test("has a line for each metric of which an end is known, and names the others with the reason", () => {
    expect(others).toEqual([]);
    for (const { name } of metrics.slice(0, 7)) expect(svg).toMatch(new RegExp(`<text[^>]*>${name}(, points)?</text>`));
    expect(chart?.caption).toContain(
      "Not drawn: e2e_p50 (the data sets no bound), ttft_p99 (too few samples: 600 of 1000), icl_p50 (too few gaps)",
    );
    expect(svg).not.toContain("NaN");
  });

  test("has an arrow where an interval goes on, and an axis that shows the shorter ones", () => {
    expect(JSON.stringify(chart?.option).match(/"triangle"/g)).toHaveLength(3);
    const axis = chart?.option.xAxis;
    expect(axis).toMatchObject({ max: expect.any(Number) });
    expect(Number(Reflect.get(axis ?? {}, "max"))).toBeLessThanOrEqual(120);
  });

  test("has a second part where the rows are many, so that no name is left out", () => {
    const many = Array.from({ length: 15 }, (_, index) => metric(`m${index}`, {}));
    const drawn = intervalCharts({ metrics: many })
      .map((each) => figure(each).text)
      .join("");
    for (const { name } of many) expect(drawn).toContain(`>${name}</text>`);
  });
});

test("the title names what was compared with what", () => {
  const { base: _, new: __, ...rest } = worse;
  const title = (base: string[], next: string[]) => comparisonTitle({ ...rest, base, new: next });
  expect(title(["out/main"], ["out/branch"])).toBe("branch (new) compared with main (base)");
  expect(title(["a/run"], ["b/run"])).toBe("b/run (new) compared with a/run (base)");
  expect(title(["out/main", "out/main-2"], ["out/re/run-1", "out/re/run-2"])).toBe(
    "re (new) compared with main and 1 more (base)",
  );
  expect(compareHtml({ ...worse, base: ["out/main"], new: ["out/branch"] })).toContain(
    "<title>REGRESSION: branch (new) compared with main (base)",
  );
});

test("no text from elsewhere is markup, and none drives the terminal", () => {
  for (const result of [worse, nothing]) {
    expect(compareHtml(result).split("</main>")[0]).not.toContain("<script");
    expect(compareTerminal(result, { colour: false })).not.toContain("\u001b");
    expect(compareMarkdown(result)).not.toContain("<script");
  }
});

test("runs that cannot be compared have the reason, and no metrics", () => {
  expect(nothing.metrics).toEqual([]);
  expect(compareTerminal(nothing, { colour: false })).toMatch(
    /^INCONCLUSIVE {2}nothing is compared: out\/.* was interrupted/,
  );
  expect(compareHtml(nothing)).toContain("was interrupted");
  expect(compareJunit(nothing)).toContain('<error message="nothing is compared');
});
