import { expect, test } from "vitest";
import { planSearches, runSearches } from "./search-grid.ts";
import { searchGridPreview } from "./search-preview.ts";

const COMMON = { target: "http://127.0.0.1:9", config: undefined, rate: "5", max: "20", slo: "ttft_p95<800ms" };
const plan = (grid: readonly string[], more: Readonly<Record<string, unknown>> = {}) =>
  planSearches("chat-stream", { ...COMMON, ...more, grid }, false);

test("a grid has a search for each combination, none of which sends what another one sends", async () => {
  const { cells, grid } = await plan(["max-tokens=16,64", "input-tokens=100,500"], { seed: "7" });
  expect(grid).toMatchObject({ axes: ["max-tokens", "input-tokens"], cells: 4, command: { rate: "5", max: "20" } });
  expect(cells.map(({ texts }) => texts.join(" "))).toEqual(["16 100", "16 500", "64 100", "64 500"]);
  expect(cells.map(({ plan: { search } }) => search.texts["maxTokens"])).toEqual(["16", "16", "64", "64"]);
  const seeds = cells.map(({ plan: { search } }) => search.run(5, 1_000, 0).settings.promptSeed);
  expect(seeds).toEqual([undefined, 1007, 2007, 3007]);
  const random = (await plan(["max-tokens=16,64"])).cells.map(({ plan: { search } }) => search.texts["promptSeed"]);
  expect(new Set(random).size).toBe(2);
});

test.each([
  [["rate=5,10"], /over rate: it is what the search finds/],
  [["vus=5,10"], /over vus: it is what the search finds/],
  [["repeat=1,2"], /over repeat: it is not a setting/],
  [["max-tokens=16,0"], /Cannot run max-tokens=0 of the grid\./],
  [["probe-duration=1s,10m"], /Cannot run probe-duration=10m of the grid\. .*longer than --duration/],
])("%j is refused before anything runs", async (grid, message) => {
  await expect(plan(grid)).rejects.toThrow(message);
});

test("--resume is refused: the command itself resumes", async () => {
  await expect(runSearches("chat-stream", { grid: ["max-tokens=16"], resume: "x" })).rejects.toThrow(
    "Cannot resume a grid with --resume.",
  );
});

test("its cost is that of each search, and the sum", async () => {
  const { cells } = await plan(["max-tokens=16,64"]);
  const text = searchGridPreview(cells.map(({ name, plan: { search } }) => ({ name, plan: search })));
  const runs = [...text.matchAll(/about (\d+) to (\d+) runs/g)].map(([, least, most]) => [Number(least), Number(most)]);
  const [one = [], , all] = runs;
  expect(runs).toEqual([one, one, all]);
  expect(all).toEqual(one.map((count) => 2 * count));
  expect(text).toContain("max-tokens=16");
});
