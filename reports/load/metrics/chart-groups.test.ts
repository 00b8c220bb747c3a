/** The charts of a run: by what its requests are of, never of several operations at once, in memory that does not grow. */

import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { httpError, instant, makeRun } from "../../../tests/support/results/load-run.ts";
import { summarizeLoad, withRead } from "../../../tests/support/results/summarize-shards.ts";
import { relatedRequests } from "../read/related-requests.ts";
import { loadHtml } from "../views/html.ts";

const BASE = { slos: [], target: "http://t", shape: "20/s", tool: "assay 0.1.0", scenario: "load" };

/** Chats and embeddings of one workload, which is a scenario; every tenth chat fails. */
const runOfTwo = () => {
  const { records, client } = makeRun({
    change: (record, index) => {
      const { ttft: _, ttft_scheduled: __, gaps_us: ___, ...rest } = record;
      const of = { arrival: Math.floor(index / 2), workload: "rag" };
      if (index % 2 === 0) return { ...rest, ...of, op: "embeddings", items: 4 };
      return index % 20 === 1 ? { ...httpError(record, 503), ...of } : { ...record, ...of };
    },
  });
  const [header = "", ...lines] = records;
  const workload = { title: "load", workloads: [{ name: "rag", scenario: "rag.ts", settings: {} }] };
  const settings = header.replace('"settings":{', `"settings":{"workload":${JSON.stringify(workload)},`);
  return summarizeLoad({ ...BASE, shards: [{ records: [settings, ...lines], client }] });
};

test("requests of several operations are never in one group, and each has its own figures", async () => {
  const { charts } = await runOfTwo();
  expect(charts?.groups.map(({ by, name, op }) => [by, name, op])).toEqual([
    ["operation", "embeddings", "embeddings"],
    ["operation", "chat.stream", "chat.stream"],
    ["workload", "rag · embeddings", "embeddings"],
    ["workload", "rag · chat.stream", "chat.stream"],
  ]);
  const [embeddings, chats, , chatsOfRag] = charts?.groups ?? [];
  expect(embeddings?.series).not.toHaveProperty("ttft");
  expect(chats?.series["ttft"]).toMatchObject({ count: 270 });
  expect(chatsOfRag?.calls).toMatchObject({ total: 300, ok: 270 });
  expect(chatsOfRag?.metrics?.["ttft"]).toMatchObject({ count: 270 });
});

test("the selector shows a panel per set of requests, whatever names it, and a failed request is one link away from its plot", async () => {
  const run = await runOfTwo();
  const page = loadHtml(run);
  expect(page.match(/<section class="panel"/g)).toHaveLength(2);
  expect(page.match(/<label for="of-[01]">/g)).toHaveLength(4);
  expect(page).toContain("<h3>operation embeddings, workload rag · embeddings</h3>");
  const [failed] = run.requests?.failed ?? [];
  expect(page).toContain(`class="dot" href="#req-${failed?.id}"`);
  expect(page.match(new RegExp(`id="req-${failed?.id}"`, "g"))).toHaveLength(1);
});

test("fewer than 20 samples are shown one by one", async () => {
  const { charts } = await summarizeLoad({ ...BASE, shards: [makeRun({ rate: 1, warmupS: 0, durationS: 18 })] });
  expect(charts?.groups[0]?.series["e2e"]?.samples).toHaveLength(18);
});

test("a stall is in the interval in which it ended, and in the timeline of its request", async () => {
  const run = await summarizeLoad({
    ...BASE,
    shards: [
      makeRun({ change: (record, index) => (index === 200 ? { ...record, gaps_us: [20_000, 3_000_000] } : record) }),
    ],
  });
  const stalled = run.charts?.groups[0]?.rates.filter(([, , , , , stalls]) => stalls > 0).map(([t]) => t) ?? [];
  const [t = 0] = stalled;
  expect(stalled).toHaveLength(1);
  expect(Math.abs(t - 13)).toBeLessThanOrEqual(run.charts?.intervalS ?? 0);
  const request = run.requests?.slowest["gap"]?.find(({ id }) => id === "r-200");
  expect(request?.stallsMs).toEqual([[expect.closeTo(120, -2), expect.closeTo(3_120, -2)]]);
});

test("the intervals of a day are as many as those of a minute", async () => {
  const every = makeRun({ rate: 1, warmupS: 0, durationS: 300 });
  const [header = "", ...lines] = every.records;
  const spread = lines.map((line, index) =>
    line.replaceAll(/2026-01-02T\d\d:\d\d:\d\d/g, (at) => at.replace(/\d\d:\d\d:\d\d/, clock(11_045 + index * 250))),
  );
  const { charts } = await summarizeLoad({ ...BASE, shards: [{ records: [header, ...spread], client: every.client }] });
  const rates = charts?.groups[0]?.rates ?? [];
  expect(rates.length).toBeLessThanOrEqual(80);
  const width = charts?.intervalS ?? 0;
  expect(rates.reduce((sum, [, sent]) => sum + sent * width, 0)).toBeCloseTo(300, 0);
});

const clock = (second: number): string => new Date(second * 1_000).toISOString().slice(11, 19);

test("the turns of a listed conversation are found among the requests", async () => {
  const of = (id: string, arrival: number): RequestRecord => ({
    ...{ id, arrival, op: "chat.stream", phase: "measure", outcome: "ok" },
    ...{ scheduled: instant(0), sent: instant(Number(id) * 1_000) },
  });
  const slow = { id: "2", op: "chat.stream", outcome: "ok", sentS: 2, arrival: 7 };
  const related = await withRead([of("3", 7), of("1", 7), of("2", 7), of("4", 8), of("5", 70)], ({ database }) =>
    relatedRequests(database, { slowest: { ttft: [slow] }, failed: [] }, readInstant(instant(0))),
  );
  expect(related.map((list) => list.map(({ id }) => id))).toEqual([["1", "2", "3"]]);
});
