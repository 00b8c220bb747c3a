/** A run second by second: what was sent, what ended and how, latencies, and the client's state. */

import type { ClientLine } from "../../../formats/client.ts";
import { OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import type { RunWindow } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import type { Requests } from "../read/request-columns.ts";
import type { Units } from "../read/work-units.ts";
import { QUANTILES, quantile } from "../stats/quantiles.ts";
import type { Span } from "./span.ts";

/** Latencies by the second in which their request was sent, and by the one in which its arrival was due. */
const BY_SENT = ["ttft", "e2e"] as const;
const BY_DUE = ["ttft_scheduled", "e2e_scheduled"] as const;

interface Gathered {
  due: number;
  notStarted: number;
  sent: number;
  ended: number;
  ok: number;
  tokens: number | undefined;
  readonly outcomes: Record<string, number>;
  readonly latencies: Readonly<Record<(typeof BY_SENT)[number] | (typeof BY_DUE)[number], number[]>>;
}

const newSecond = (): Gathered => ({
  due: 0,
  notStarted: 0,
  sent: 0,
  ended: 0,
  ok: 0,
  tokens: undefined,
  outcomes: {},
  latencies: { ttft: [], e2e: [], ttft_scheduled: [], e2e_scheduled: [] },
});

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
 */
export function windowsOf(requests: Requests, units: Units, span: Span, clients: readonly ClientLines[]): RunWindow[] {
  const seconds: Gathered[] = [];
  const at = (instant: number): Gathered | undefined => {
    const t = Math.floor((instant - span.origin) / 1_000);
    if (t < 0 || t >= MOST_SECONDS) return undefined;
    while (seconds.length <= t) seconds.push(newSecond());
    return seconds[t];
  };
  for (let index = 0; index < requests.length; index += 1) addRequest(requests, index, at);
  for (let row = 0; row < units.length; row += 1) {
    const { scheduled, outcome } = units.unit(row);
    const second = at(scheduled);
    if (second === undefined) continue;
    second.due += 1;
    if (outcome === "not_started") second.notStarted += 1;
  }
  const health = healthBySecond(clients, span.origin);
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
      ttft: spreadOf(second.latencies.ttft),
      e2e: spreadOf(second.latencies.e2e),
      ttft_scheduled: spreadOf(second.latencies.ttft_scheduled),
      e2e_scheduled: spreadOf(second.latencies.e2e_scheduled),
    }),
    ...health.get(t),
  }));
}

function addRequest(requests: Requests, index: number, at: (instant: number) => Gathered | undefined): void {
  const begun = at(requests.at("sent", index));
  const ended = at(requests.at("end", index));
  if (begun !== undefined) begun.sent += 1;
  if (ended !== undefined) {
    const outcome = OUTCOMES[requests.at("outcome", index)] ?? "unknown";
    ended.ended += 1;
    ended.outcomes[outcome] = (ended.outcomes[outcome] ?? 0) + 1;
  }
  if (!requests.ok(index)) return;
  if (ended !== undefined) {
    ended.ok += 1;
    const tokens = requests.at("tokens", index);
    if (!Number.isNaN(tokens)) ended.tokens = (ended.tokens ?? 0) + tokens;
  }
  const due = at(requests.at("scheduled", index));
  for (const [second, names] of [
    [begun, BY_SENT],
    [due, BY_DUE],
  ] as const) {
    for (const name of names) {
      const value = requests.at(name, index);
      if (!Number.isNaN(value)) second?.latencies[name].push(value);
    }
  }
}

/** The phase of most of second `t`. */
function phaseAt({ origin, from, to, seconds }: Span, t: number): string {
  const middle = origin + (t + 0.5) * 1_000;
  if (seconds === 0 || middle < from) return PHASES[0];
  return middle < to ? PHASES[1] : PHASES[2];
}

const MEDIAN_FROM = QUANTILES[0].minSamples;

function spreadOf(values: readonly number[]): RunWindow["ttft"] {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const spread = { n: sorted.length, min: sorted[0] ?? 0, mean, max: sorted.at(-1) ?? 0 };
  return sorted.length < MEDIAN_FROM ? spread : { ...spread, p50: quantile(sorted, 500) };
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
