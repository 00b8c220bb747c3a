import { expect, describe as group, test } from "vitest";
import { runJson } from "../../../formats/run.ts";
import { httpError, makeRun } from "../../../tests/support/results/load-run.ts";
import { summarizeLoad } from "../../../tests/support/results/summarize-shards.ts";
import { loadHtml } from "./html.ts";
import { loadMarkdown } from "./markdown.ts";
import { loadTerminal } from "./terminal.ts";

/** 20 arrivals per second for 30 s, with the settings of a rate that changes; the last 10 s are slow, and every fourth fails. */
async function run(rate: string | number) {
  const { records, client } = makeRun({
    change: (record, index) => {
      const last = index >= 20 * 22;
      if (last && index % 4 === 0) return httpError(record);
      return last ? { ...record, ttft: 900, ttft_scheduled: 900 } : record;
    },
  });
  const [header = "", ...lines] = records.map((line) => line.replace('"rate":20', `"rate":${JSON.stringify(rate)}`));
  const shape = { slos: [], target: "http://t", scenario: "chat-stream", shape: `${rate}/s`, tool: "assay" };
  return summarizeLoad({ ...shape, shards: [{ records: [header, ...lines], client }] });
}

group("a load in steps", () => {
  test("reports each step separately, and leaves the warm-up out", async () => {
    const { steps = [] } = await run("10,10..20,20");
    expect(steps.map(({ rate, fromS, toS, due, failed }) => [rate, fromS, toS, due, failed])).toEqual([
      ["10/s", 0, 10, 200, 0],
      ["10..20/s", 10, 20, 200, 0],
      ["20/s", 20, 30, 200, 50],
    ]);
    expect(steps.map(({ latency }) => latency?.max)).toEqual([expect.closeTo(110, 0), expect.closeTo(110, 0), 900]);
    expect(steps[2]?.latency).toMatchObject({ name: "ttft_scheduled", count: 150, p50: 900 });
    expect(steps[2]?.latency).not.toHaveProperty("p99");
  });

  test("shows them in every view, and no such table for another load", async () => {
    const stepped = await run("10,10..20,20");
    const steady = await run(20);
    expect(steady.steps).toBeUndefined();
    expect((await run("1..20")).steps).toBeUndefined();
    for (const [view, pattern] of [
      [
        (shown: typeof steady) => loadTerminal(shown, { colour: false }),
        /20 to 30 s +20\/s +200 +25% +900\.0 +900\.0 +- +900\.0/,
      ],
      [loadMarkdown, /\| 20 to 30 s \| 20\/s \| 200 \| 25% \| 900\.0 \| 900\.0 \| too few samples \| 900\.0 \|/],
      [loadHtml, /<h3>Step by step<\/h3>[\s\S]*20 to 30 s[\s\S]*25%/],
      [runJson, /"rate": "10\.\.20\/s"/],
    ] as const) {
      expect(view(stepped)).toMatch(pattern);
      expect(view(steady)).not.toMatch(pattern);
    }
  });
});
