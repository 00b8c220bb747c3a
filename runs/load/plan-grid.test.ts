import { describe, expect, test } from "vitest";
import { compareRuns } from "../../reports/runs/compare-runs.ts";
import { gridPreview } from "./load-preview.ts";
import { planGrid, readAxes, requireSameGrid } from "./plan-grid.ts";

const COMMON = { target: "http://127.0.0.1:9", duration: "10s", config: undefined };
const plan = (grid: readonly string[], flags: Readonly<Record<string, unknown>> = {}) =>
  planGrid("chat-stream", { ...COMMON, ...flags, grid }, false);
const namesOf = async (...of: Parameters<typeof plan>) => (await plan(...of)).cells.map(({ name }) => name);

describe("the values of a grid", () => {
  test("are separated by commas, or by semicolons where they have commas", () => {
    expect(readAxes(["rate=5, 10", "input-tokens=uniform:1,9;uniform:1,99"], {})).toEqual([
      { key: "rate", setting: "rate", values: ["5", "10"] },
      { key: "input-tokens", setting: "inputTokens", values: ["uniform:1,9", "uniform:1,99"] },
    ]);
  });

  test.each([
    [["rte=5"], {}, /over rte: it is not a setting that runs can differ in\. Did you mean "rate"\?/],
    [["repeat=1,2"], {}, /over repeat: it is not a setting/],
    [["rate"], {}, /over rate: a value is missing, or is given twice/],
    [["rate=5,"], {}, /a value is missing/],
    [["rate=5,5"], {}, /given twice/],
    [["rate=5"], { rate: "10" }, /over rate: it is given twice/],
    [["rate=5", "rate=6"], {}, /over rate: it is given twice/],
  ])("%j with %j are refused", (grids, flags, message) => {
    expect(() => readAxes(grids, flags)).toThrow(message);
  });
});

describe("a grid", () => {
  test("has all combinations once, in an order that the seed draws, each with seeds of its own", async () => {
    const grids = ["rate=5,10,20", "max-tokens=64,256"];
    const { cells, grid } = await plan(grids);
    expect(grid).toMatchObject({ cells: 6, command: { scenario: "chat-stream", duration: "10s", seed: "1" } });
    expect(cells.map(({ plan: { settings } }) => settings.seed)).toEqual([1, 2, 3, 4, 5, 6]);
    const names = cells.map(({ name }) => name);
    expect(new Set(names).size).toBe(6);
    expect(names).not.toEqual(names.toSorted());
    expect(await namesOf(grids)).toEqual(names);
    const others = await namesOf(grids, { seed: "7" });
    expect(others).not.toEqual(names);
    expect(others.toSorted()).toEqual(names.toSorted());
    const [first] = cells;
    expect(first?.name).toBe(`rate=${first?.texts[0]} max-tokens=${first?.texts[1]}`);
    expect(first?.plan.settings).toMatchObject({ maxTokens: { value: Number(first?.texts[1]) } });
  });

  test("of seeds has these", async () => {
    const { cells } = await plan(["seed=4,9"]);
    expect(cells.map(({ plan: { settings } }) => settings.seed).toSorted()).toEqual([4, 9]);
  });

  test.each([
    [["rate=5,x"], {}, /^Cannot run rate=x of the grid\. Cannot read --rate: /],
    [["rate=5,6"], { vus: "3" }, /^Cannot run rate=5 of the grid\. /],
    [
      ["batch-sizes=1,8"],
      {},
      /^Cannot run batch-sizes=1 of the grid\. Cannot use --set batch-sizes with chat-stream: it is for embeddings\./,
    ],
    [["rate=5,6"], { segment: "1/2" }, /^Cannot run rate=5 of the grid\. Cannot run the load 2 times: --segment/],
    [["rate=5,6"], { repeat: "2" }, /or seed=1,2,3 to repeat each combination/],
    [
      ["rate=1,2,3,4,5,6,7,8", "max-tokens=1,2,3,4,5,6,7,8", "seed=1,2,3,4,5,6,7,8"],
      {},
      /512 combinations are more than 500/,
    ],
  ])("%j with %j is refused before anything runs, by name", async (grids, flags, message) => {
    await expect(plan(grids, flags)).rejects.toThrow(message);
  });

  test("is resumed by the same command only; where its key is may change", async () => {
    const before = await plan(["rate=5,10"]);
    const saved = compareRuns([], { tool: "assay", grid: before.grid });
    const refusal = async (...of: Parameters<typeof plan>) => {
      const now = await plan(...of);
      return () => requireSameGrid("out", saved, now);
    };
    expect(await refusal(["rate=5,10"], { apiKeyEnv: "ASSAY_OTHER" })).not.toThrow();
    expect(await refusal(["rate=5,20"])).toThrow("its --grid rate is 5;10, and 5;20 is given.");
    expect(await refusal(["rate=5,10"], { duration: "20s" })).toThrow("its duration is 10s, and 20s is given.");
    expect(await refusal(["rate=5,10", "seed=1"])).toThrow("Cannot resume the grid in out: its seed is 1");
    const { grid: _, ...ofFolders } = saved;
    const same = await plan(["rate=5,10"]);
    expect(() => requireSameGrid("out", ofFolders, same)).toThrow("it holds a report on other folders");
  });

  test("shows what each combination sends and costs, and the time of all", async () => {
    const prices = '{"currency":"EUR","output":100}';
    const { cells } = await plan(["max-tokens=64,256"], { rate: "2", prices, warmup: "0", repeatPause: "5s" });
    const text = gridPreview(["max-tokens"], cells);
    expect(text).toMatch(/^ +64 +20 +[\d,]+ +1,280 +0 +10 s +0\.128 EUR$/m);
    expect(text).toMatch(/^ +256 +20 +[\d,]+ +5,120 +0 +10 s +0\.512 EUR$/m);
    expect(text).toMatch(/time in all +25 s, pauses included\n.* 4 min 25 s\n.*0\.64 EUR\n$/);
    const users = await plan(["vus=1,2"]);
    expect(gridPreview(["vus"], users.cells)).toMatch(/^ +1 +- +- +- +- +15 s$/m);
  });
});
