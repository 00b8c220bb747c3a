import { expect, test } from "vitest";
import { type chatRecord, makeRun } from "../../tests/support/results/load-run.ts";
import { summarize, summarizeRun } from "../../tests/support/results/summarize-run.ts";
import { type RepeatedRun, summarizeRepeats } from "./summarize-repeats.ts";
import { repeatTerminal } from "./views/repeat-views.ts";

const faster = (ms: number) => (record: ReturnType<typeof chatRecord>) => ({
  ...record,
  ttft_scheduled: (record.ttft_scheduled ?? 0) - ms,
});
const runs = (...changes: number[]): Promise<RepeatedRun[]> =>
  Promise.all(
    changes.map(async (ms, index) => ({ dir: `run-${index + 1}`, run: await summarizeRun({ change: faster(ms) }) })),
  );
const STATE = { asked: 3, ended: false, tool: "assay" };

test("the spread of a metric has every run, and the median and range of those that are VALID and whole", async () => {
  const result = summarizeRepeats(await runs(0, 10, 20), STATE);
  const ttft = result.metrics.find(({ name }) => name === "ttft_scheduled_p50");
  const [first = 0, second = 0, third = 0] = ttft?.values.map(Number) ?? [];
  expect([first - second, second - third].map(Math.round)).toEqual([10, 10]);
  expect(ttft).toMatchObject({ median: second, min: third, max: first });
  expect(result).toMatchObject({ exitCode: 0, conclusion: "all objectives met in 3 runs", interrupted: false });
  expect(repeatTerminal(result, { colour: false })).toMatch(
    /ttft_scheduled_p50 +95\.\d\d ms +85\.\d\d ms +105\.\d ms +2\d% /,
  );
});

test("a failed run decides before an inconclusive one, and is named", async () => {
  const [first, second] = await runs(0, 0);
  const missed = await summarizeRun({}, { slos: ["ttft_p50<1ms"] });
  const unsure = await summarizeRun({}, { slos: ["ttft_p99.9<1s"] });
  if (first === undefined || second === undefined) throw new Error("There are no runs.");
  const withRun = (run: RepeatedRun["run"]) => [first, { dir: "run-2", run }, { dir: "run-3", run: unsure }];
  expect(summarizeRepeats(withRun(missed), STATE)).toMatchObject({
    exitCode: 1,
    conclusion: expect.stringMatching(
      /^1 of 3 runs failed: run-2 \(missed: ttft_p50<1ms\); 1 of 3 runs without a result: run-3 \(undecided/,
    ),
  });
  expect(summarizeRepeats(withRun(second.run), STATE).exitCode).toBe(2);
  const both = summarizeRepeats([first, { dir: "run-2", run: unsure }, { dir: "run-3", run: unsure }], STATE);
  expect(repeatTerminal(both, { colour: false })).toMatch(
    /^INCONCLUSIVE {2}2 of 3 runs without a result: run-2, run-3 \(undecided: ttft_p99\.9<1s\)\n/,
  );
});

test("an interrupted repetition is inconclusive, and an interrupted run is no sample", async () => {
  const { records, client } = makeRun();
  const cut = await summarize([{ records: records.slice(0, 300), client: client.slice(0, 15) }]);
  const [first] = await runs(0);
  if (first === undefined) throw new Error("There is no run.");
  const result = summarizeRepeats([first, { dir: "run-2", run: cut }], STATE);
  expect(result).toMatchObject({ exitCode: 2, interrupted: true, conclusion: "interrupted in or after run 2 of 3" });
  const ttft = result.metrics.find(({ name }) => name === "ttft_scheduled_p50");
  expect([ttft?.min, ttft?.max]).toEqual([ttft?.values[0], ttft?.values[0]]);
});

test("a run that Assay itself ended decides as it does alone", async () => {
  const [first] = await runs(0);
  if (first === undefined) throw new Error("There is no run.");
  const aborted = { atS: 5, phase: "measure", reason: "the target was gone" };
  const gone = { ...first.run, interrupted: true, aborted, exitCode: 1 as const, conclusion: "the target was gone" };
  expect(summarizeRepeats([first, { dir: "run-2", run: gone }], STATE)).toMatchObject({
    exitCode: 1,
    interrupted: false,
    conclusion: "1 of 2 runs failed: run-2 (the target was gone)",
  });
});
