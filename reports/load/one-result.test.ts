/** A run has one result, to the last bit: in memory and on disk, with one thread and with several, read at once and line by line. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestRecord } from "../../formats/records.ts";
import { chatRecord, httpError, instant, makeRun, unanswered } from "../../tests/support/results/load-run.ts";
import { summarize } from "../../tests/support/results/summarize-run.ts";
import { inDatabase } from "../../tests/support/results/summarize-shards.ts";
import { videoRecords } from "../../tests/support/results/video-records.ts";
import { summarizeLoad } from "./summarize-load.ts";

const RATE = 20;
const SECONDS = 12;

const SLOS = ["error_rate<1%", "ttft<140ms", "e2e_scheduled_p90<400ms", "icl<21ms", "video_work_p50<5s", "goodput>1/s"];

const HISTORIES = [
  ["submit@0", "poll@1000:processing:10", "poll@2000:completed"],
  ["submit@0", "poll@1000:processing:10", "cancel@1500:409", "poll@2000:completed"],
  ["submit@0", "cancel@1500:409", "poll@2000:processing:20", "poll@3000:failed"],
  ["submit@0", "cancel@1500:409"],
  ["submit@0", "poll@1000:lost", "giveup@2000"],
  ["submit@0", "poll@1000:cancelled", "clean@2000"],
];

type Change = (record: RequestRecord) => readonly object[];

/** What becomes of an arrival: the lines that tell of it. */
const CHANGES: readonly Change[] = [
  (record) => [record],
  (record) => [{ ...record, gaps_us: [2_500_000 + record.id.length, 7], chunks: 3, e2e: 3_000 }],
  (record) => [unanswered(record)],
  (record) => [httpError(record, 503)],
  (record) => [{ ...record, outcome: "cancelled_by_us", e2e: 150 }],
  ({ arrival: index, phase, scheduled }) => [{ arrival: { index, phase, scheduled, end: "not_started" } }],
  ({ gaps_us, ttft, ttft_scheduled, chunks, ...record }) => [{ ...record, op: "embeddings", items: 4 }],
  // The same again.
  (record) => [record, record],
];

const videoLines = ({ arrival, id }: RequestRecord, history: readonly string[]): readonly object[] =>
  videoRecords(`task-${id}`, history).map((record) => ({ ...record, arrival }));

/** An arrival of any kind, its latencies scaled. */
const arrival = fc.tuple(
  fc.nat(CHANGES.length + HISTORIES.length - 1),
  fc.integer({ min: 500, max: 4_000 }),
  fc.nat(1),
);

/** The lines of two shards of a load in which all of that happens. */
function shardsOf(arrivals: readonly (readonly [number, number, number])[], rate: string) {
  const { records, client } = makeRun({ rate: RATE, warmupS: 2, durationS: SECONDS - 2 });
  const header = (records[0] ?? "").replace('"chat-stream"', '"mixed"').replace(`"rate":${RATE}`, `"rate":${rate}`);
  const weights = { "chat-stream": 5, embeddings: 1, video: 1 };
  const workloads = Object.entries(weights).map(([name, weight]) => ({ name, operation: name, weight, settings: {} }));
  const mix = `"workload":${JSON.stringify({ title: "mixed", workloads })},`;
  const lines: string[][] = [[], []];
  for (const [index, [kind, scale, shard]] of arrivals.entries()) {
    const atMs = (index * 1_000) / RATE;
    const made = chatRecord(index, atMs, atMs < 2_000 ? "warmup" : "measure");
    const scaled = (ms = 0) => Math.round(ms * scale) / 1_000;
    const record = {
      ...made,
      arrival: index,
      sent: instant(atMs + (scale % 7)),
      ttft: scaled(made.ttft),
      ttft_scheduled: scaled(made.ttft_scheduled),
      e2e: scaled(made.e2e),
      e2e_scheduled: scaled(made.e2e_scheduled),
    };
    const told = CHANGES[kind]?.(record) ?? videoLines(record, HISTORIES[kind - CHANGES.length] ?? []);
    lines[shard]?.push(...told.map((line) => JSON.stringify(line)));
  }
  return lines.map((own, shard) => ({
    records: [header.replace("{", `{"segment":"${shard}/2:${shard + 1}/2",`).replace('"rate"', `${mix}"rate"`), ...own],
    client,
  }));
}

test("its result does not depend on how its records are read and kept", async () => {
  fc.configureGlobal({ seed: 1 });
  const kinds: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 120, maxLength: RATE * SECONDS, size: "max" }),
      fc.constantFrom(`${RATE}`, '"10..30"', '"10,20,30"'),
      async (arrivals, rate) => {
        const shards = shardsOf(arrivals, rate);
        const expected = await summarize(shards, { slos: SLOS, scenario: "mixed" });
        const input = { target: "http://t", shape: "20/s", tool: "assay", scenario: "mixed", slos: SLOS, shards };
        for (const storage of [{ onDisk: true }, { threads: "4" }]) {
          const run = await inDatabase(async (database) => summarizeLoad(input, database), storage);
          expect(JSON.stringify(run), JSON.stringify(storage)).toBe(JSON.stringify(expected));
        }
        kinds.push(
          ...Object.keys(expected.parts ?? {}),
          ...expected.validity.reasons,
          ...Object.keys(expected.metrics),
        );
      },
    ),
    { numRuns: 4 },
  );
  expect(kinds).toEqual(expect.arrayContaining(["video", "video_work", "ttft_scheduled", "icl", "goodput_share"]));
  expect(kinds.join()).toMatch(/is that of an earlier line/);
});

test.each([
  ["of chats, one for each arrival", [0, 1, 2, 3, 4, 5]],
  ["of all kinds", CHANGES.map((_, kind) => kind).concat(HISTORIES.map((_, kind) => CHANGES.length + kind))],
])("nor on whether its tables are made or views: %s", async (_, kinds) => {
  const arrivals = Array.from({ length: RATE * SECONDS }, (__, index): [number, number, number] => [
    kinds[(index * 7 + (index >> 3)) % kinds.length] ?? 0,
    500 + ((index * 911) % 3_500),
    0,
  ]);
  const [shard] = shardsOf(arrivals, `${RATE}`);
  if (shard === undefined) throw new Error("There is no shard.");
  const slos = SLOS.filter((slo) => !slo.startsWith("icl"));
  const input = { target: "http://t", shape: "20/s", tool: "assay", scenario: "mixed", slos, shards: [shard] };
  const expected = await summarize([shard], { slos, scenario: "mixed" });
  const run = await inDatabase(async (database) => summarizeLoad(input, database), { viewsFrom: 0 });
  expect(JSON.stringify(run)).toBe(JSON.stringify(expected));
  expect(run.metrics["ttft"]).toHaveProperty("band");
});
