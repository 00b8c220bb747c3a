import { expect, test } from "vitest";
import type { RunPoints } from "../../../formats/run-points.ts";
import { makeRun } from "../../../tests/support/results/load-run.ts";
import { summarizeWithPoints } from "../../../tests/support/results/summarize-shards.ts";
import { loadHtml } from "./html.ts";
import { chosenInWords, colouringsOf, pointsPlot } from "./points-plot.ts";

const OK = { outcome: "ok", status: 200, isOfMetric: true, id: "r-", digits: 2 };
const points = (more: Partial<RunPoints> = {}): RunPoints => ({
  ...{ metric: "ttft", requests: 5, failed: 1, slowest: 0 },
  kinds: [
    { ...OK, op: "chat", workload: "a" },
    { ...OK, op: "embeddings", workload: "b" },
    { ...OK, op: "chat", workload: "a", outcome: "http_error", status: 503, isOfMetric: false },
  ],
  ...{ kind: [0, 0, 0, 1, 2], sentMs: [1, 2, 3, 4, 5], us: [10, 20, 30, 40, 50], number: [1, 2, 3, 4, 5] },
  ...more,
});

test("points are coloured by what tells them apart, the most frequent first", () => {
  const tenants: Readonly<Record<string, string>> = { a: "search", b: "batch" };
  expect(colouringsOf(points(), (workload) => tenants[workload])).toEqual([
    {
      by: "outcome",
      classes: [
        ["ok", "s4"],
        ["503 service unavailable", "bad"],
      ],
      of: [0, 0, 1],
    },
    {
      by: "operation",
      classes: [
        ["chat", "s1"],
        ["embeddings", "s2"],
      ],
      of: [0, 1, 0],
    },
    {
      by: "tenant",
      classes: [
        ["search", "s1"],
        ["batch", "s2"],
      ],
      of: [0, 1, 0],
    },
  ]);
  expect(colouringsOf(points({ kind: [0] }), () => undefined).map(({ by }) => by)).toEqual(["outcome", "operation"]);
});

test("what is beyond the colours shares one", () => {
  const kinds = Array.from({ length: 8 }, (_, index) => ({ ...OK, op: "chat", model: `m${index}` }));
  const kind = kinds.flatMap((_, index) => Array.from({ length: 9 - index }, () => index));
  const ofModel = colouringsOf(points({ kinds, kind }), () => undefined).find(({ by }) => by === "model");
  expect(ofModel?.classes.map(([name]) => name)).toEqual(["m0", "m1", "m2", "m3", "m4", "others"]);
  expect(ofModel?.of).toEqual([0, 1, 2, 3, 4, 5, 5, 5]);
});

test("the page says how many requests are points, and how they were chosen", () => {
  expect(chosenInWords(points())).toBe("all 5 requests");
  expect(chosenInWords(points({ requests: 900, slowest: 2 }))).toBe(
    "5 of 900 requests: the 2 slowest, the one that failed, and 2 others, drawn by the seed of the run",
  );
  expect(chosenInWords(points({ requests: 900, failed: 7, slowest: 4 }))).toBe(
    "5 of 900 requests: the 4 slowest, 1 of 7 that failed, drawn by the seed of the run",
  );
  const { kind } = points();
  expect(chosenInWords(points({ requests: 900, failed: 900, kind: kind.map(() => 2) }))).toBe(
    "5 of 900 requests: 5 of 900 that failed, drawn by the seed of the run",
  );
});

test("each point is drawn without a script, and those of listed requests are links", async () => {
  const run = await summarizeWithPoints({
    ...{ slos: [], target: "http://t", shape: "20/s", tool: "assay 0.1.0", scenario: "chat-stream" },
    shards: [makeRun({ durationS: 5, warmupS: 0 })],
  });
  const text = pointsPlot(run)?.text ?? "";
  expect(text).toContain("all 100 requests");
  expect(text.match(/m[\d-]+ ?-?\d+h0/g)).toHaveLength(100);
  const [slowest] = run.requests?.slowest["ttft"] ?? [];
  expect(text).toContain(`<a class="dot" href="#req-${slowest?.id}"`);
  expect(loadHtml(run)).toContain('id="plot-requests"');
});

test("20,000 points take less than 350 kB of a page, whatever they are called", async () => {
  const run = await summarizeWithPoints({
    ...{ slos: [], target: "http://t", shape: "20/s", tool: "assay 0.1.0", scenario: "chat-stream" },
    shards: [makeRun({ durationS: 2, warmupS: 0 })],
  });
  const all = Array.from({ length: 20_000 }, (_, index) => index);
  const more = points({
    ...{ kind: all.map((index) => index % 3), requests: 50_000, slowest: 1_000 },
    ...{
      sentMs: all.map((index) => 180 * index),
      number: all,
      us: all.map((index) => 1 + ((index * 7_919) % 2_000_003)),
    },
  });
  const { text = "" } =
    pointsPlot({
      ...run,
      points: { ...more, kinds: more.kinds.map((kind) => ({ ...kind, workload: "</script>" })) },
    }) ?? {};
  expect(text.length).toBeLessThan(350_000);
  expect(text.split("</script>")).toHaveLength(2);
});
