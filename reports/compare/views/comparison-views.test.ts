import { beforeAll, describe, expect, test } from "vitest";
import { type ComparedMetric, type CompareResult, compareJson, compareResult } from "../../../formats/compare.ts";
import { comparedRun, variedRun } from "../../../tests/support/results/compared-runs.ts";
import { HOSTILE } from "../../../tests/support/results/verdict-lines.ts";
import { compareSides } from "../compare-sides.ts";
import type { FirstRuns } from "./both-strips.ts";
import { comparisonPlots, shiftPlot } from "./comparison-plots.ts";
import { comparisonTitle } from "./comparison-rows.ts";
import { compareHtml } from "./html.ts";
import { intervalBar, intervalSpan } from "./interval-bars.ts";
import { compareJunit } from "./junit.ts";
import { compareMarkdown } from "./markdown.ts";
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
  await expect(compareHtml(worse, first)).toMatchFileSnapshot(golden("worse.html"));
  await expect(compareJunit(worse)).toMatchFileSnapshot(golden("worse.junit.xml"));
  expect(compareResult.parse(JSON.parse(compareJson(worse)))).toEqual(worse);
});

test("the page shows the intervals, and both distributions of each latency over each other", () => {
  const html = compareHtml(worse);
  expect(html).toContain('<th scope="col">verdict</th><th scope="col">how much worse</th><th scope="col">base</th>');
  expect(html.match(/<span class="worse"/g)).toHaveLength(
    worse.metrics.filter(({ interval }) => interval?.some((end) => end !== null)).length,
  );
  expect(html.match(/<figure class="plot"/g)).toHaveLength(5);
  for (const title of ["Inter-chunk latency", "Time to first token, from scheduled start"]) {
    expect(html).toContain(`<figcaption>${title}`);
  }
  expect(html.split("</main>")[0]).not.toMatch(/<(script|img|link)|href="http/);
});

test("a distribution has a line and a band of each side, and ends with its samples", () => {
  const curves: CompareResult["curves"] = {
    ttft: {
      base: [
        [0, 10, null, null],
        [0.5, 20, 19, 21],
        [0.9, 30, 28, null],
      ],
      new: [
        [0, 12, null, null],
        [0.5, 25, 24, 26],
      ],
    },
    icl: { base: [[0, 1, null, null]], new: [] },
  };
  const { shift: _, ...rest } = worse;
  const [plot, ...others] = comparisonPlots({ ...rest, curves });
  expect(others).toEqual([]);
  const top = plot?.y.to;
  expect(plot?.layers.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["band ", "line base", "band ", "line new"]);
  expect(plot?.layers[0]).toMatchObject({ points: [null, [0.5, 19, 21], [0.9, 28, top]] });
  expect(plot?.table.rows.at(-1)).toEqual([0.9, 30, 28, null, null, null, null]);
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
  const span = intervalSpan(metrics);
  const barOf = (name: string): string => {
    const found = metrics.find((each) => each.name === name);
    return found === undefined ? "" : intervalBar(found, span).text;
  };

  test("has a bar for each metric of which an end is known, and a page names what is not compared", () => {
    for (const { name } of metrics.slice(0, 7)) expect(barOf(name)).toContain('class="ends"');
    for (const { name } of metrics.slice(7)) expect(barOf(name)).toBe("-");
    expect(compareHtml({ ...worse, metrics, notCompared: [{ name: "icl_p50", reason: "too few gaps" }] })).toContain(
      "Not compared: icl_p50 (too few gaps).",
    );
    expect(metrics.map(({ name }) => barOf(name)).join("")).not.toContain("NaN");
  });

  test("lies right of zero where it is worse, whether lower or higher is better", () => {
    const at = (name: string, part: string): number =>
      Number(new RegExp(`class="${part}" style="left:([\\d.]+)%`).exec(barOf(name))?.[1]);
    expect(at("ttft_p50", "value")).toBeGreaterThan(at("ttft_p50", "zero"));
    expect(at("error_rate", "ends")).toBeGreaterThan(at("goodput_share", "ends"));
  });

  test("has an arrow where an interval goes on, and an axis that shows the shorter ones", () => {
    const arrows = metrics.map(({ name }) => [barOf(name).includes("on left"), barOf(name).includes("on right")]);
    expect(arrows.flat().filter(Boolean)).toHaveLength(3);
    expect(span[1]).toBeLessThanOrEqual(120);
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
