import { beforeAll, expect, test } from "vitest";
import { type CompareResult, compareJson, compareResult } from "../../../formats/compare.ts";
import { comparedRun, variedRun } from "../../../tests/support/compared-runs.ts";
import { HOSTILE } from "../../../tests/support/verdict-lines.ts";
import { compareSides } from "../compare-sides.ts";
import { compareHtml } from "./html.ts";
import { compareJunit } from "./junit.ts";
import { compareMarkdown } from "./markdown.ts";
import { compareTerminal } from "./terminal.ts";

let worse: CompareResult;
let nothing: CompareResult;

beforeAll(async () => {
  const folder = `out/${HOSTILE}`;
  const run = async (seed: number, slower: number) => comparedRun(variedRun(seed, slower), undefined, folder);
  const request = { metrics: [], limits: [{ metric: "ttft_p99", share: 0.1 }] };
  const base = await Promise.all([run(1, 1), run(2, 1)]);
  worse = compareSides({ base: { runs: base }, new: { runs: [await run(3, 1.3)] } }, request, "assay 0.1.0");
  const { records, client } = variedRun(4);
  const cut = await comparedRun({ records: records.slice(0, 300), client: client.slice(0, 15) }, undefined, folder);
  nothing = compareSides({ base: { runs: base }, new: { runs: [cut] } }, request, "assay 0.1.0");
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
  expect(html.match(/<figure>/g)).toHaveLength(5);
  for (const title of [
    "How much worse, with intervals",
    "Inter-chunk latency",
    "Time to first token, from scheduled start",
  ]) {
    expect(html).toContain(`<figcaption>${title}`);
  }
  expect(html).toMatch(/<i style="--key:var\(--s6\)">base<\/i><i style="--key:var\(--s1\)">new<\/i>/);
  expect(html).not.toMatch(/<(script|img|link)|href="http/);
});

test("no text from elsewhere is markup, and none drives the terminal", () => {
  for (const result of [worse, nothing]) {
    expect(compareHtml(result)).not.toContain("<script");
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
