import { expect, test, vi } from "vitest";
import { runJson } from "../../formats/run.ts";
import { formatInstant } from "../../settings/instants.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { summarizeLoad } from "../../tests/support/results/summarize-shards.ts";
import * as stages from "./metrics/rate-stages.ts";
import { loadHtml } from "./views/html.ts";
import { loadTerminal } from "./views/terminal.ts";
import { withoutUnwritable } from "./whole-result.ts";

const BASE = { slos: [], target: "http://host", shape: "20/s", tool: "assay", scenario: "chat-stream" };

/** Readings of a target that tells this value. */
function scrapes(value: number): string[] {
  const source = { name: "a", url: "http://a/metrics" };
  const at = formatInstant(Date.UTC(2026, 0, 2));
  return [
    JSON.stringify({ schema: "assay.scrapes/1", intervalMs: 1_000, sources: [source] }),
    ...[0, 1].map(() => JSON.stringify({ at, source: "a", tookMs: 1, values: { up: value, tgi_queue_size: value } })),
  ];
}

test.each([1e308, -1e308, 1e-300])("a target that tells %d of itself has a whole report", async (value) => {
  const run = await summarizeLoad({ ...BASE, shards: [{ ...makeRun({ durationS: 2 }), scrapes: scrapes(value) }] });
  expect(run.unmade).toBeUndefined();
  expect(run.targetMetrics?.[0]?.series.map(({ mean }) => mean)).toEqual([value, value]);
  expect(runJson(run)).toContain('"targetMetrics"');
  expect(loadHtml(run)).not.toMatch(/NaN|Infinity/);
});

test("a part that throws is named in every view, and the rest is there", async () => {
  const broken = vi.spyOn(stages, "stepsOf").mockImplementation(() => {
    throw new Error("no such step");
  });
  const run = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 2 })] });
  broken.mockRestore();
  expect(run.unmade).toEqual(["steps of the rate: no such step"]);
  expect(run.counts.offered).toBeGreaterThan(0);
  for (const view of [loadTerminal(run, { colour: false }), loadHtml(run), runJson(run)]) {
    expect(view).toContain("steps of the rate: no such step");
  }
});

test("an optional part with a number that is not finite is left out and named; a required one is not", async () => {
  const run = await summarizeLoad({ ...BASE, shards: [{ ...makeRun({ durationS: 2 }), scrapes: scrapes(1) }] });
  const targetMetrics = run.targetMetrics?.map((source) => ({ ...source, readings: Number.POSITIVE_INFINITY }));
  const broken = withoutUnwritable({ ...run, ...(targetMetrics && { targetMetrics }) });
  expect(broken.targetMetrics).toBeUndefined();
  expect(broken.unmade).toEqual([expect.stringMatching(/^targetMetrics: /)]);
  expect(runJson(broken)).toContain('"unmade"');
  expect(() => runJson(withoutUnwritable({ ...run, durationS: Number.NaN }))).toThrow();
  expect(withoutUnwritable(run)).toBe(run);
});
