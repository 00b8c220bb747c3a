/** Result folders of a made-up load with any number of chats, for benchmarks of reports: written as they are made. */

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../formats/file-names.ts";
import { formatInstant } from "../settings/instants.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
/** Arrivals per second, of all segments together. */
const RATE = 2_000;
const BUFFER_BYTES = 1 << 20;
const LETTERS = "0123456789abcdef";

/** Pseudo-random numbers from 0 to 1 that are the same in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const inMs = (us: number): number => us / 1_000;

/** A line of a chat: latencies that vary as a log-normal does. */
function chat(
  id: string,
  arrival: number,
  random: () => number,
  gapCount: number,
): { readonly line: string; readonly endMs: number } {
  const due = START + (arrival * 1_000) / RATE;
  const lagUs = 20 + Math.floor(80 * random());
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const ttft = 150_000 + Math.floor(100_000 * Math.exp(0.5 * normal));
  const gaps = Array.from({ length: gapCount }, () => 15_000 + Math.floor(10_000 * random()));
  const e2e = ttft + gaps.reduce((sum, gap) => sum + gap, 0) + 500;
  const failed = random() < 0.001;
  const head =
    `{"id":"${id}","op":"chat.stream","phase":"measure","arrival":${arrival},` +
    `"scheduled":"${formatInstant(due)}","sent":"${formatInstant(due + inMs(lagUs))}",`;
  const end = `"e2e":${inMs(e2e)},"e2e_scheduled":${inMs(e2e + lagUs)},"slot_wait":0,"lag":${inMs(lagUs)}`;
  const line = failed
    ? `${head}"outcome":"http_error","status":503,"ttfb":${inMs(ttft - 200)},${end}}`
    : `${head}"outcome":"ok","status":200,"ttfb":${inMs(ttft - 200)},"ttft":${inMs(ttft)},` +
      `"ttft_scheduled":${inMs(ttft + lagUs)},${end},"chunks":${gapCount + 1},"coalesced":0,"gaps_us":[${gaps.join(",")}],` +
      `"input_tokens":${20 + (arrival % 50)},"output_tokens":${4 + (arrival % 3)},"token_source":"usage"}`;
  return { line, endMs: due + inMs(lagUs + e2e) };
}

/** Lines that are written in the order of their time, as requests end: they wait until nothing earlier can come. */
class EndOrder {
  readonly #byMs = new Map<number, string[]>();
  #nextMs = START;

  add(endMs: number, line: string): void {
    const key = Math.floor(endMs);
    const lines = this.#byMs.get(key) ?? [];
    this.#byMs.set(key, lines);
    lines.push(line);
  }

  /** The lines of what ended before an instant. */
  *before(instant: number): Generator<string> {
    for (; this.#byMs.size > 0 && this.#nextMs < instant; this.#nextMs += 1) {
      yield* this.#byMs.get(this.#nextMs) ?? [];
      this.#byMs.delete(this.#nextMs);
    }
  }
}

/** Chats of all segments of a load together, and gaps in each. */
export interface MadeLoad {
  readonly records: number;
  readonly gaps: number;
  readonly segments: number;
}

/** Writes the folder of one segment of a load. */
export function writeSegment(folder: string, { records, gaps, segments }: MadeLoad, segment: number): void {
  mkdirSync(folder, { recursive: true });
  const random = randomOf(segment + 1);
  const name = Array.from({ length: 8 }, () => LETTERS[Math.floor(16 * random())]).join("");
  const file = openSync(join(folder, FILES.records), "w");
  let text = `${JSON.stringify(headerOf(records, segment, segments))}\n`;
  const write = (line: string) => {
    text += `${line}\n`;
    if (text.length < BUFFER_BYTES) return;
    writeSync(file, text);
    text = "";
  };
  const waiting = new EndOrder();
  let count = 0;
  for (let arrival = segment; arrival < records; arrival += segments) {
    count += 1;
    const { line, endMs } = chat(`${name}-${count}`, arrival, random, gaps);
    waiting.add(endMs, line);
    for (const each of waiting.before(START + (arrival * 1_000) / RATE)) write(each);
  }
  for (const each of waiting.before(Number.POSITIVE_INFINITY)) write(each);
  writeSync(file, text);
  closeSync(file);
  writeFileSync(join(folder, FILES.client), clientLines(count, Math.ceil(records / RATE)));
}

/** The health of a load generator second by second, which was late now and then as real ones are. */
function clientLines(count: number, seconds: number): string {
  const lineAt = (t: number) => {
    const counts = { warmup: 0, measure: Math.round((count * t) / seconds) };
    const wakesUs = [50, 60, 70, 80, 200 + (t % 13)];
    return { ...{ t, cpu: 0.5, cpus: 2, rss_mb: 300, wakes_us: wakesUs }, offered: counts, started: counts };
  };
  const lines = Array.from({ length: seconds }, (_, second) => lineAt(second + 1));
  const final = { completed: count, schedule_started_at: formatInstant(START), final: true, records: count };
  return [...lines.slice(0, -1), { ...lineAt(seconds), ...final }].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const headerOf = (records: number, segment: number, segments: number) => ({
  schema: "assay.records/1",
  settings: {
    scenario: "chat-stream",
    target: "http://127.0.0.1:8080",
    rate: RATE,
    warmup: 0,
    duration: Math.ceil((records * 1_000) / RATE),
  },
  seed: 1,
  ...(segments > 1 && { segment: `${segment}/${segments}:${segment + 1}/${segments}` }),
  k6: "v2.2.0",
  startedAt: formatInstant(START),
});
