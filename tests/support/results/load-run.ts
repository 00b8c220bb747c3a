/** Files of a made-up load run for tests: the same for the same options, and nothing is random. */

import type { ClientLine } from "../../../formats/client.ts";
import { answered, type RequestRecord } from "../../../formats/records.ts";
import type { Counts } from "../../../formats/run.ts";
import { formatInstant, readInstant } from "../../../settings/instants.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** ISO 8601 with microseconds, `ms` after the start of the run. */
export const instant = (ms: number): string => formatInstant(START + ms);

export interface RunOptions {
  readonly rate?: number;
  readonly warmupS?: number;
  readonly durationS?: number;
  /** Changes a record; undefined takes it out. */
  readonly change?: (record: RequestRecord, index: number) => RequestRecord | undefined;
  readonly segment?: string;
  /** Seconds by which the whole run is later than usual. */
  readonly laterS?: number;
}

/** A streamed chat request: 100 ms and a bit to the first of ten chunks, then 20 ms and a bit each. */
export function chatRecord(index: number, atMs: number, phase: RequestRecord["phase"]): RequestRecord {
  const wobble = ((index * 7_919) % 1_000) / 100;
  const gaps_us = Array.from({ length: 9 }, (_, gap) => 19_000 + ((index * 131 + gap * 577) % 2_000));
  const ttft = 100 + wobble;
  const e2e = ttft + gaps_us.reduce((sum, gap) => sum + gap, 0) / 1_000 + 1;
  return {
    id: `r-${index}`,
    op: "chat.stream",
    phase,
    scheduled: instant(atMs),
    sent: instant(atMs + 0.25),
    outcome: "ok",
    status: 200,
    ttfb: 40 + wobble / 2,
    ttft,
    ttft_scheduled: ttft + 0.25,
    e2e,
    e2e_scheduled: e2e + 0.25,
    slot_wait: 0,
    lag: 0.25,
    chunks: 10,
    coalesced: 0,
    gaps_us,
    max_tokens: 256,
    input_tokens: 30 + (index % 10),
    output_tokens: 10,
    token_source: "usage",
    reused: true,
  };
}

/** Turns a record into one of a request without a response. */
export function unanswered(record: RequestRecord, outcome: RequestRecord["outcome"] = "refused"): RequestRecord {
  const { id, op, phase, scheduled, sent, slot_wait, lag } = record;
  return { id, op, phase, scheduled, sent, outcome, status: 0, e2e: 1, slot_wait, lag };
}

/** Units of work of which each was ok. */
export const okCounts = (units: number): Counts => ({
  ...{ offered: units, started: units, not_started: 0, completed: units, unfinished: 0, ok: units, failed: 0 },
  outcomes: { ok: units },
});

/** Turns a record into one of a response with an error status. */
export const httpError = (record: RequestRecord, status = 500): RequestRecord => ({
  ...unanswered(record, status === 429 ? "rate_limited" : "http_error"),
  status,
  ttfb: 5,
  e2e: 6,
  detail: `status ${status}`,
});

/** Lines of `records.jsonl` and `client.jsonl`. */
export function makeRun(options: RunOptions = {}): { records: string[]; client: string[] } {
  const { rate = 20, warmupS = 2, durationS = 30, change = (record) => record, segment, laterS = 0 } = options;
  const header = {
    schema: "assay.records/1",
    settings: {
      scenario: "chat-stream",
      target: "http://127.0.0.1:8080",
      rate,
      warmup: warmupS * 1_000,
      duration: durationS * 1_000,
    },
    seed: 1,
    ...(segment === undefined ? {} : { segment }),
    k6: "v2.2.0",
    startedAt: instant(0),
  };
  const total = rate * (warmupS + durationS);
  const records = Array.from({ length: total }, (_, index) => {
    const atMs = (index * 1_000) / rate;
    return change(chatRecord(index, atMs, atMs < warmupS * 1_000 ? "warmup" : "measure"), index);
  }).filter((record) => record !== undefined);
  const client = Array.from({ length: warmupS + durationS }, (_, second) =>
    clientAt(second + 1, { rate, warmupS, durationS }, records),
  );
  const lines = [header, ...records].map((line) => JSON.stringify(line));
  return { records: lines.map((line) => later(line, laterS)), client: client.map((line) => later(line, laterS)) };
}

/** Moves every instant of a line. */
const later = (line: string, seconds: number): string =>
  line.replace(/\d{4}-[^"]*Z/g, (instant) => formatInstant(readInstant(instant) + seconds * 1_000));

type Shape = Required<Pick<RunOptions, "rate" | "warmupS" | "durationS">>;

function clientAt(t: number, { rate, warmupS, durationS }: Shape, records: readonly RequestRecord[]): string {
  const arrivals = { warmup: rate * Math.min(t, warmupS), measure: rate * Math.max(0, t - warmupS) };
  const final = t === warmupS + durationS;
  const ended = records.slice(0, final ? records.length : Math.max(0, t * rate - 6));
  return JSON.stringify({
    t,
    cpu: 0.2 + (t % 5) / 50,
    cpus: 2,
    rss_mb: 120 + t / 4,
    heap_mb: 30,
    memory_limit_mb: 8_192,
    gc_cycles: t % 10 === 0 ? 1 : 0,
    gc_pause_ms: t % 10 === 0 ? 0.4 : 0,
    gc_cpu_ms: t % 10 === 0 ? 12 : 0,
    run_delay_ms: 25,
    throttled: 0,
    wake_p99_ms: 0.25 + (t % 7) / 50,
    wakes_us: Array.from({ length: 91 }, (_, wake) => 30 + wake + (wake > 89 ? (t % 7) * 20 : 0)),
    open: final ? 0 : 6,
    in_flight_limit: 200,
    lag_p99_ms: 0.4,
    offered: arrivals,
    started: arrivals,
    completed: ended.length,
    ok: ended.filter(({ outcome }) => outcome === "ok").length,
    answered: ended.filter(answered).length,
    outcomes: countsOf(ended),
    connections_opened: 6,
    packets: 400 * (t + 1),
    round_trip_ms: 0.4,
    ttft_p50_ms: 104.9,
    e2e_p50_ms: 286,
    schedule_started_at: instant(0),
    ...(final ? { final: true, records: records.length } : {}),
  });
}

function countsOf(records: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of records) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/**
 * A run of 20 arrivals per second for 30 s that a target cannot keep up with: each arrival starts 10 ms later than the one
 * before, and those from number `from` on, counted in the measured phase, never start.
 */
export function neverStarting(from: number): { records: string[]; client: string[] } {
  const warmup = 2 * 20;
  const { records, client } = makeRun({
    change: (record, index) => {
      const queued = Math.max(0, index - warmup) * 10;
      const { ttft = 0, e2e = 0 } = record;
      return {
        ...record,
        arrival: index,
        sent: instant(readInstant(record.scheduled) - START + queued),
        slot_wait: queued,
        ttft_scheduled: ttft + queued,
        e2e_scheduled: e2e + queued,
      };
    },
  });
  const [header = "", ...lines] = records;
  const started = lines.slice(0, warmup + from);
  const never = lines.slice(warmup + from).map((line) => {
    const { arrival: index, phase, scheduled } = JSON.parse(line);
    return JSON.stringify({ arrival: { index, phase, scheduled, end: "not_started" } });
  });
  const counted = client.map((line) => {
    const { started: counts, records: written, ...rest } = JSON.parse(line);
    const measure = Math.min(from, counts.measure);
    return JSON.stringify({ ...rest, started: { ...counts, measure }, ...(written && { records: started.length }) });
  });
  return { records: [header, ...started, ...never], client: counted };
}

/** Lines of `client.jsonl` of a process that did not run for a while: none were written meanwhile, and the next tells of it. */
export function withInterruption(client: readonly string[], fromS: number, lastsS: number): string[] {
  const toS = fromS + lastsS;
  let woken = false;
  return client.flatMap((text) => {
    const line: ClientLine = JSON.parse(text);
    if (line.t > fromS && line.t <= toS && line.final !== true) return [];
    if (line.t <= toS || woken) return [text];
    woken = true;
    return [withLateWakes(text, lastsS * 1_000)];
  });
}

/** A line with a wake-up that was so many milliseconds late, and those that were due meanwhile. */
export function withLateWakes(text: string, lateMs: number): string {
  const line: ClientLine = JSON.parse(text);
  const missed = Array.from({ length: Math.ceil(lateMs / 11) }, (_, tick) => Math.round((lateMs - tick * 11) * 1_000));
  const wakes_us = [...(line.wakes_us ?? []), ...missed].sort((a, b) => a - b);
  const wake_p99_ms = (wakes_us[Math.ceil(wakes_us.length * 0.99) - 1] ?? 0) / 1_000;
  return JSON.stringify({ ...line, wakes_us, wake_p99_ms, wake_max_ms: lateMs });
}

/** Lines after the last arrival was due, with these numbers of requests in flight, second by second; the last is final. */
export function withDrain(client: readonly string[], open: readonly number[]): string[] {
  const last: ClientLine = JSON.parse(client.at(-1) ?? "{}");
  const { final, records, ...line } = last;
  const drain = open.map((count, second) => ({
    ...line,
    ...(second === open.length - 1 && { final, records }),
    t: last.t + second + 1,
    open: count,
    completed: (last.completed ?? 0) + second + 1,
  }));
  return [...client.slice(0, -1), { ...line, open: open[0] }, ...drain].map((each) =>
    typeof each === "string" ? each : JSON.stringify(each),
  );
}
