/** A run second by second: what was sent, what ended and how, latencies, and the client's state. */

import type { ClientLine } from "../../../formats/client.ts";
import { OPS, OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import type { RunWindow } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import type { Requests } from "../read/request-columns.ts";
import type { Read } from "../read/shards.ts";
import type { Unit } from "../read/work-units.ts";
import { Column } from "../stats/column.ts";
import type { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import type { Span } from "./span.ts";
import { type OpenTask, openBySecond } from "./tasks-by-second.ts";

/** Latencies, by the second in which their request was sent, or in which its arrival was due. */
const BY = { ttft: "sent", e2e: "sent", ttft_scheduled: "scheduled", e2e_scheduled: "scheduled" } as const;
type Latency = keyof typeof BY;

interface Gathered {
  due: number;
  notStarted: number;
  sent: number;
  ended: number;
  ok: number;
  tokens: number | undefined;
  polls: number;
  readonly outcomes: Record<string, number>;
}

const newSecond = (): Gathered => ({
  due: 0,
  notStarted: 0,
  sent: 0,
  ended: 0,
  ok: 0,
  tokens: undefined,
  polls: 0,
  outcomes: {},
});

const POLL = OPS.indexOf("video.poll");

/** Longest run that is reported second by second: a day. Later seconds, of a clock that jumped, are left out. */
const MOST_SECONDS = 86_400;

/** The health of one load generator, and the instant from which its lines count. */
export interface ClientLines {
  readonly lines: readonly ClientLine[];
  readonly startedAt: number | undefined;
}

/**
 * Latencies belong to the second in which their request was sent, or its arrival was due if they count from then; only
 * requests with the outcome ok have them.
 * @param follow is told of each unit of work
 */
export function windowsOf(
  { requests, units, store }: Pick<Read, "requests" | "units" | "store">,
  span: Span,
  tasks: () => Iterable<OpenTask>,
  clients: readonly ClientLines[],
  follow: (unit: Unit) => void = () => undefined,
): RunWindow[] {
  const seconds: Gathered[] = [];
  const at = (instant: number): Gathered | undefined => {
    const t = secondOf(instant, span);
    if (t === undefined) return undefined;
    while (seconds.length <= t) seconds.push(newSecond());
    return seconds[t];
  };
  for (let index = 0; index < requests.length; index += 1) addRequest(requests, index, at);
  for (let row = 0; row < units.length; row += 1) {
    const unit = units.unit(row);
    const { scheduled, outcome } = unit;
    follow(unit);
    const second = at(scheduled);
    if (second === undefined) continue;
    second.due += 1;
    if (outcome === "not_started") second.notStarted += 1;
  }
  const open = openBySecond(tasks(), span.origin, span.origin + seconds.length * 1_000);
  const hasTasks = open.some((count) => count > 0);
  const health = healthBySecond(clients, span.origin);
  const spread = (name: Latency) => spreadsOf(latencies(requests, name, span), seconds.length, store);
  const [ttft, e2e, fromDue, e2eFromDue] = [
    spread("ttft"),
    spread("e2e"),
    spread("ttft_scheduled"),
    spread("e2e_scheduled"),
  ];
  return seconds.map((second, t) => ({
    ...omitUndefined<RunWindow>({
      t,
      phase: phaseAt(span, t),
      due: second.due,
      notStarted: second.notStarted === 0 ? undefined : second.notStarted,
      sent: second.sent,
      ended: second.ended,
      ok: second.ok,
      outcomes: second.outcomes,
      tokens: second.tokens,
      tasks: hasTasks ? open[t] : undefined,
      polls: hasTasks ? second.polls : undefined,
      ttft: ttft[t],
      e2e: e2e[t],
      ttft_scheduled: fromDue[t],
      e2e_scheduled: e2eFromDue[t],
    }),
    ...health.get(t),
  }));
}

/** The second of a run that an instant is in; undefined outside of those that are reported. */
function secondOf(instant: number, { origin }: Span): number | undefined {
  const t = Math.floor((instant - origin) / 1_000);
  return t < 0 || t >= MOST_SECONDS ? undefined : t;
}

function addRequest(requests: Requests, index: number, at: (instant: number) => Gathered | undefined): void {
  const begun = at(requests.at("sent", index));
  const ended = at(requests.end(index));
  if (begun !== undefined) begun.sent += 1;
  if (begun !== undefined && requests.at("op", index) === POLL) begun.polls += 1;
  if (ended !== undefined) {
    const outcome = OUTCOMES[requests.at("outcome", index)] ?? "unknown";
    ended.ended += 1;
    ended.outcomes[outcome] = (ended.outcomes[outcome] ?? 0) + 1;
  }
  if (!requests.ok(index)) return;
  if (ended !== undefined) {
    ended.ok += 1;
    const tokens = requests.at("output_tokens", index);
    if (!Number.isNaN(tokens)) ended.tokens = (ended.tokens ?? 0) + tokens;
  }
  // The second in which it was due is reported, even if nothing else took place in it.
  at(requests.at("scheduled", index));
}

/** Values with the second that each belongs to. */
type Timed = (take: (second: number, value: number) => void) => void;

const latencies =
  (requests: Requests, name: Latency, span: Span): Timed =>
  (take) => {
    for (let index = 0; index < requests.length; index += 1) {
      const value = requests.ok(index) ? requests.at(name, index) : Number.NaN;
      const second = Number.isNaN(value) ? undefined : secondOf(requests.at(BY[name], index), span);
      if (second !== undefined) take(second, value);
    }
  };

/** The values second by second. As many seconds at once as have the values that may be sorted at once. */
function spreadsOf(values: Timed, seconds: number, store: PageStore): RunWindow["ttft"][] {
  const sizes = new Uint32Array(seconds);
  values((second) => {
    sizes[second] = (sizes[second] ?? 0) + 1;
  });
  const parts = partsOf(sizes, store.sortable);
  if (parts.length <= 1) return parts.flatMap((part) => spreadsOfPart(values, part, sizes));
  const partOf = Uint32Array.from(parts.flatMap(({ from, to }, part) => new Array<number>(to - from).fill(part)));
  const lists = parts.map(() => ({ seconds: new Column(store), values: new Column(store) }));
  values((second, value) => {
    const list = lists[partOf[second] ?? 0];
    list?.seconds.push(second);
    list?.values.push(value);
  });
  return parts.flatMap((part, index) => {
    const list = lists[index];
    if (list === undefined) return [];
    const spreads =
      part.to - part.from === 1
        ? [spreadOf(new Sample(list.values.each, store))]
        : spreadsOfPart(zipped(list.seconds, list.values), part, sizes);
    list.seconds.release();
    list.values.release();
    return spreads;
  });
}

/** Seconds from one on, up to another that is not among them. */
interface Slice {
  readonly from: number;
  readonly to: number;
}

/** Divides the seconds into parts with so many values at most, or a single second. */
function partsOf(sizes: Uint32Array, most: number): Slice[] {
  const parts: Slice[] = [];
  for (let from = 0, to = 0; from < sizes.length; from = to) {
    let count = 0;
    do {
      count += sizes[to] ?? 0;
      to += 1;
    } while (to < sizes.length && count + (sizes[to] ?? 0) <= most);
    parts.push({ from, to });
  }
  return parts;
}

const zipped =
  (seconds: Column, values: Column): Timed =>
  (take) => {
    for (let index = 0; index < values.length; index += 1) take(seconds.at(index), values.at(index));
  };

/** All values of a part are put into one list, those of a second side by side. */
function spreadsOfPart(values: Timed, { from, to }: Slice, sizes: Uint32Array): RunWindow["ttft"][] {
  const ends = sizes.slice(from, to);
  for (let second = 1; second < ends.length; second += 1) ends[second] = (ends[second] ?? 0) + (ends[second - 1] ?? 0);
  const all = new Float64Array(ends.at(-1) ?? 0);
  // Filled from its end, each second's place becomes its begin.
  values((second, value) => {
    const place = (ends[second - from] ?? 0) - 1;
    ends[second - from] = place;
    all[place] = value;
  });
  return Array.from(ends, (begin, second) => spreadOf(Sample.of(all.subarray(begin, ends[second + 1]))));
}

/** The phase of most of second `t`. */
function phaseAt({ origin, from, to, seconds }: Span, t: number): string {
  const middle = origin + (t + 0.5) * 1_000;
  if (seconds === 0 || middle < from) return PHASES[0];
  return middle < to ? PHASES[1] : PHASES[2];
}

const MEDIAN_FROM = QUANTILES[0].minSamples;

function spreadOf(sample: Sample): RunWindow["ttft"] {
  const { count, mean = 0, min = 0, max = 0, p50 } = sample.distribution() ?? {};
  if (count === undefined) return undefined;
  return { n: count, min, mean, max, ...(count >= MEDIAN_FROM && { p50 }) };
}

type Health = Pick<RunWindow, "cpu" | "open" | "rssMb" | "lagP99Ms">;

/** Load generators on several machines add up, except that the lag is the largest. */
function healthBySecond(clients: readonly ClientLines[], origin: number): Map<number, Health> {
  const seconds = new Map<number, Health>();
  for (const { lines, startedAt = origin } of clients) {
    const shift = Math.round((startedAt - origin) / 1_000);
    for (const [own, { cpu, open, rss_mb, lag_p99_ms }] of linesBySecond(lines)) {
      const second = own + shift;
      const before = seconds.get(second) ?? {};
      const plus = (a: number | undefined, b: number | undefined) => (b === undefined ? a : (a ?? 0) + b);
      const lag = lag_p99_ms === undefined ? before.lagP99Ms : Math.max(before.lagP99Ms ?? 0, lag_p99_ms);
      seconds.set(
        second,
        omitUndefined<Health>({
          cpu: plus(before.cpu, cpu),
          open: plus(before.open, open),
          rssMb: plus(before.rssMb, rss_mb),
          lagP99Ms: lag,
        }),
      );
    }
  }
  return seconds;
}

/** A line describes the second that ends with it; the final line, a fraction that may have been described already. */
function linesBySecond(lines: readonly ClientLine[]): Map<number, ClientLine> {
  const seconds = new Map<number, ClientLine>();
  for (const line of lines) {
    const second = Math.max(0, Math.round(line.t) - 1);
    if (!seconds.has(second)) seconds.set(second, line);
  }
  return seconds;
}
