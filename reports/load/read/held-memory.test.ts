/** What a report keeps of each record: some bytes, so that the records of hours fit into memory. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { scratchPages } from "../../../scripts/cli/scratch-file.ts";
import { unspoiled } from "../../../tests/support/commands/busy-machine.ts";
import { chatRecord, makeRun } from "../../../tests/support/results/load-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { PageStore } from "../stats/page-store.ts";
import { type Read, readShards } from "./shards.ts";
import { NO_BOUNDS } from "./work-units.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

function heldBytes(): number {
  // The second waits for the buffers that the first has found to be free.
  if (typeof collect === "function") for (let times = 0; times < 2; times += 1) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Records have times in whole microseconds. */
const inMicroseconds = (_: string, value: unknown): unknown =>
  typeof value === "number" ? Math.round(value * 1_000) / 1_000 : value;

type Lines = (count: number) => Iterable<string>;

function* chats(count: number): Iterable<string> {
  for (let index = 0; index < count; index += 1) {
    const record = chatRecord(index, index * 5, "measure");
    yield JSON.stringify({ ...record, id: `6f1c2a90-${index}`, arrival: index }, inMicroseconds);
  }
}

const HISTORY = ["submit@0", "poll@1000:processing:10", "poll@2000:processing:30", "poll@3000:completed"];

function* videos(count: number): Iterable<string> {
  for (let index = 0; index * HISTORY.length < count; index += 1) {
    for (const [part, record] of videoRecords(`task-${index}-${(index * 7_919) % 100_003}`, HISTORY).entries()) {
      yield JSON.stringify({ ...record, id: `6f1c2a90-${index * HISTORY.length + part}`, arrival: index });
    }
  }
}

const [header = ""] = makeRun({ durationS: 1 }).records;

async function heldFor(lines: Lines, count: number, store = new PageStore()): Promise<number> {
  const before = heldBytes();
  const records = (function* () {
    yield header;
    yield* lines(count);
  })();
  const read: Read = await readShards([{ records, client: [] }], () => NO_BOUNDS, { store });
  const held = heldBytes() - before;
  expect(read.requests.length).toBe(count);
  return held;
}

const KINDS: [string, Lines][] = [
  ["chats", chats],
  ["polls of video tasks", videos],
];

/** Bytes per record between two numbers of records. */
async function perRecord(held: (count: number) => Promise<number>, few: number, many: number): Promise<number> {
  const before = await held(few);
  return ((await held(many)) - before) / (many - few);
}

/** Measures again where it is not below the bound: what other tests leave in the heap is in some measurements. */
const below = (bound: number, measured: () => Promise<number>): Promise<number> =>
  unspoiled(measured, (bytes) => (bytes < bound ? undefined : `${bytes} bytes per record`));

test.each(KINDS)("of %s, less than 70 bytes per record", async (_, lines) => {
  await heldFor(lines, 1_000);
  const measured = () => perRecord((count) => heldFor(lines, count), 10_000, 26_000);
  expect(await below(70, measured)).toBeLessThan(70);
});

test.each(KINDS)("of %s beyond the budget, less than twelve bytes per record", async (_, lines) => {
  const beyond = async (count: number): Promise<number> => {
    const pages = scratchPages("", 1_000_000);
    const held = await heldFor(lines, count, pages.store);
    pages.close();
    return held;
  };
  await beyond(20_000);
  expect(await below(12, () => perRecord(beyond, 20_000, 60_000))).toBeLessThan(12);
});
