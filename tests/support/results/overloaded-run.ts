/**
 * Made-up loads of a target with a queue: the files that a load generator writes of one, and the complete truth, which
 * knows also how the arrivals would have gone that the end of the run kept from starting or cut off. An arrival of either
 * kind would have been ok; any other kind of arrival is what it is from the moment at which it starts.
 */

import fc from "fast-check";
import type { Shard } from "../../../reports/load/read/shards.ts";
import { instant } from "./load-run.ts";
import { type Course, type Job, type Stations, simulateQueue } from "./queue-simulation.ts";

interface Arrival extends Job {
  /** Of its service: the share after which the first content comes. */
  readonly first: number;
  /** What becomes of it once it starts: its request fails, or its scenario throws after or sends nothing. */
  readonly kind: "ok" | "http_error" | "threw" | "no_request";
}

export interface Overload {
  readonly arrivals: readonly Arrival[];
  readonly stations: Stations;
  readonly warmup: number;
  /** End of the measured window: nothing starts from here on. */
  readonly end: number;
  /** How long requests may take after that. */
  readonly drain: number;
}

export type Ending = Arrival["kind"] | "not_started" | "unfinished";

/** How one arrival went, were it not for the end of the run; milliseconds. */
export interface Truth extends Course {
  readonly index: number;
  readonly measured: boolean;
  /** Its end as the run saw it. */
  readonly ending: Ending;
  /** From sent to the first content, and to the last byte. */
  readonly ttft: number;
  readonly e2e: number;
}

const times = { minLength: 1, maxLength: 260 };
const arrival = fc.record({
  gap: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) }, fc.integer({ min: 0, max: 1_500 })),
  service: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 50, max: 200 }) }, fc.integer({ min: 1, max: 4_000 })),
  first: fc.double({ min: 0.1, max: 1, noNaN: true }),
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant("ok" as const) },
    fc.constantFrom("http_error" as const, "threw" as const, "no_request" as const),
  ),
});

/** Loads of every kind, from an idle target to one that answers nothing in time. */
export const overloads: fc.Arbitrary<Overload> = fc
  .record({
    arrivals: fc.array(arrival, { ...times, size: "max" }),
    steady: fc.boolean(),
    inFlight: fc.integer({ min: 1, max: 6 }),
    servers: fc.integer({ min: 1, max: 6 }),
    warmup: fc.constantFrom(0, 500),
    rest: fc.integer({ min: 1, max: 2_000 }),
    drain: fc.constantFrom(0, 300, 60_000),
  })
  .map(({ arrivals, steady, inFlight, servers, warmup, rest, drain }) => {
    let due = 0;
    const scheduled = arrivals.map(({ gap, ...job }) => {
      due += steady ? 20 : gap;
      return { ...job, due, ...(job.kind === "no_request" && { service: 0 }) };
    });
    const end = Math.max(warmup, due) + rest;
    return { arrivals: scheduled, stations: { inFlight, servers: Math.min(inFlight, servers) }, warmup, end, drain };
  });

/** What becomes of each arrival, in order. */
export function truthOf({ arrivals, stations, warmup, end, drain }: Overload): Truth[] {
  return simulateQueue(arrivals, stations).map((course, index) => {
    const { kind, first, service } = arrivals[index] ?? { kind: "ok", first: 1, service: 0 };
    const cut = kind !== "no_request" && course.end > end + drain;
    return {
      ...course,
      index,
      measured: course.due >= warmup,
      ending: course.sent >= end ? "not_started" : cut ? "unfinished" : kind,
      ttft: course.begun - course.sent + Math.round(service * first),
      e2e: course.end - course.sent,
    };
  });
}

/** The files of the run. */
export function filesOf(overload: Overload): Shard {
  const truth = truthOf(overload);
  const { warmup, end } = overload;
  const lines = truth.flatMap((one) => linesOf(one, overload));
  const settings = { scenario: "chat-stream", target: "http://t", warmup, duration: end - warmup };
  const counted = (of: readonly Truth[]) => ({
    warmup: of.filter(({ measured }) => !measured).length,
    measure: of.filter(({ measured }) => measured).length,
  });
  const client = {
    t: end / 1_000,
    offered: counted(truth),
    started: counted(truth.filter(({ ending }) => ending !== "not_started")),
    schedule_started_at: instant(0),
    final: true,
    records: lines.filter((line) => "id" in line).length,
  };
  return {
    records: [{ schema: "assay.records/1", settings, startedAt: instant(0) }, ...lines].map((line) =>
      JSON.stringify(line),
    ),
    client: [JSON.stringify(client)],
  };
}

function linesOf(one: Truth, overload: Overload): object[] {
  const { index, due, ending } = one;
  const phase = one.measured ? "measure" : "warmup";
  const line = { arrival: { index, phase, scheduled: instant(due), end: ending } };
  if (ending === "not_started" || ending === "no_request") return [line];
  const request = { id: `r-${index}`, arrival: index, phase, ...timesOf(one, overload) };
  return ending === "threw" || ending === "unfinished" ? [request, line] : [request];
}

function timesOf({ due, sent, ttft, e2e, ending }: Truth, { end, drain }: Overload): object {
  const cut = end + drain - sent;
  const call = { op: "chat.stream", scheduled: instant(due), sent: instant(sent), slot_wait: sent - due, lag: 0 };
  const first = { ttfb: ttft, ttft, ttft_scheduled: ttft + sent - due };
  const whole = (ms: number) => ({ e2e: ms, e2e_scheduled: ms + sent - due });
  if (ending === "http_error") return { ...call, outcome: "http_error", status: 500, ...whole(e2e) };
  if (ending !== "unfinished") return { ...call, outcome: "ok", status: 200, ...first, ...whole(e2e) };
  return { ...call, outcome: "cancelled_by_us", ...(ttft <= cut && { status: 200, ...first }), ...whole(cut) };
}
