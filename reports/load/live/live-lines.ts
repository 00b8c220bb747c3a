/** What a user sees while a load runs, from the lines that k6 has written so far. Pure. */

import { type ClientLine, clientLine } from "../../../formats/client.ts";
import { endedByUs } from "../../../formats/outcomes.ts";
import { gapsLine, kindOfLine, type RequestRecord, requestRecord } from "../../../formats/records.ts";
import { parseJson } from "../../../lib/json.ts";
import { formatFigure, formatNumber, formatSeconds, plural } from "../../numbers.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { describe } from "../stats/quantiles.ts";

/** What the rate and the latencies are about, in seconds. */
const RECENT_S = 10;
/** Requests of one look that are read for their latencies, evenly chosen: the load comes first. */
const READ_AT_ONCE = 50;
const OK = '"outcome":"ok"';

/** How many there are of each value, in milliseconds as they are shown: gaps are many. */
type Counted = Map<number, number>;

/** Latencies that came with one look. */
interface Look {
  readonly t: number;
  readonly ttft: Counted;
  readonly e2e: Counted;
  readonly gaps: Counted;
}

export class LiveLoad {
  readonly #planS: number;
  #newest: ClientLine | undefined;
  /** How many arrivals had started, at the seconds that are recent. */
  #started: { readonly t: number; readonly n: number }[] = [];
  #looks: Look[] = [];
  #firstFailure: string | undefined;

  /** @param planS length of warm-up and measured window, in seconds */
  constructor(planS: number) {
    this.#planS = planS;
  }

  /** Adds what came since the last look: lines of `client.jsonl` and of `records.jsonl`. Damaged ones are left out. */
  add(health: readonly string[], records: readonly string[]): void {
    for (const line of health) this.#addHealth(clientLine.safeParse(parseJson(line)).data);
    const t = this.#newest?.t ?? 0;
    const look: Look = { t, ttft: new Map(), e2e: new Map(), gaps: new Map() };
    const step = Math.max(1, Math.ceil(records.length / READ_AT_ONCE));
    for (const [index, line] of records.entries()) {
      const tellsFailure = this.#firstFailure === undefined && !line.includes(OK);
      if (index % step === 0 || tellsFailure) this.#addRecord(parseJson(line), look);
    }
    this.#looks = [...this.#looks, look].filter((each) => each.t > t - RECENT_S);
  }

  #addHealth(line: ClientLine | undefined): void {
    if (line === undefined) return;
    this.#newest = line;
    this.#started.push({ t: line.t, n: line.started.warmup + line.started.measure });
    this.#started = this.#started.filter(({ t }) => t >= line.t - RECENT_S);
  }

  #addRecord(value: unknown, look: Look): void {
    if (kindOfLine(value) === "gaps") {
      const { us = [], n = [] } = gapsLine.safeParse(value).data?.gaps ?? {};
      for (const [index, each] of us.entries()) count(look.gaps, each / 1_000, n[index] ?? 0);
      return;
    }
    const { data: record } = requestRecord.safeParse(value);
    if (record === undefined) return;
    if (record.outcome === "ok") addLatencies(record, look);
    else if (!endedByUs(record.outcome) && record.op !== "video.cancel") {
      this.#firstFailure ??= reasonOf(record);
    }
  }

  /** Four lines of few words; none before the load has begun. */
  lines(): readonly string[] {
    const newest = this.#newest;
    if (newest === undefined) return [];
    return [this.#sending(newest), this.#latencies(newest), this.#failures(newest), this.#remaining(newest)];
  }

  #sending({ t, open }: ClientLine): string {
    const [first, last] = [this.#started[0], this.#started.at(-1)];
    const seconds = (last?.t ?? 0) - (first?.t ?? 0);
    const rate =
      seconds > 0 && t < this.#planS ? [`${formatFigure(((last?.n ?? 0) - (first?.n ?? 0)) / seconds)}/s started`] : [];
    const inFlight = open === undefined ? [] : [`${formatNumber(open)} in flight`];
    return [...rate, ...inFlight].join(", ") || "starting";
  }

  #latencies({ ttft_p50_ms, e2e_p50_ms }: ClientLine): string {
    const all = (of: (look: Look) => Counted): Counted => {
      const sum: Counted = new Map();
      for (const look of this.#looks) for (const [ms, n] of of(look)) count(sum, ms, n);
      return sum;
    };
    const ttft = all((look) => look.ttft);
    const parts =
      ttft.size > 0 || ttft_p50_ms !== undefined
        ? [
            percentiles("TTFT", ttft, ttft_p50_ms),
            percentiles(
              "inter-chunk",
              all((look) => look.gaps),
            ),
          ]
        : [
            percentiles(
              "end to end",
              all((look) => look.e2e),
              e2e_p50_ms,
            ),
          ];
    const known = parts.filter((part) => part !== undefined);
    return known.length === 0 ? "no response yet" : `${known.join("; ")} (last ${RECENT_S} s)`;
  }

  #failures({ outcomes = {} }: ClientLine): string {
    const failed = Object.entries(outcomes).filter(([outcome]) => outcome !== "ok" && !endedByUs(outcome));
    const count = failed.reduce((sum, [, n]) => sum + n, 0);
    if (count === 0) return "no errors";
    return `${plural(count, "error")}; the first: ${this.#firstFailure ?? failed[0]?.[0] ?? "not known"}`;
  }

  #remaining({ t }: ClientLine): string {
    const left = Math.round(this.#planS - t);
    return left > 0
      ? `${formatSeconds(Math.round(t))} of ${formatSeconds(Math.round(this.#planS))}, ${formatSeconds(left)} left`
      : `draining ${formatSeconds(Math.max(0, -left))}`;
  }
}

function addLatencies({ ttft, e2e, op, gaps_us: gaps = [] }: RequestRecord, look: Look): void {
  if (ttft !== undefined) count(look.ttft, ttft);
  if (e2e !== undefined && op !== "video.poll" && op !== "video.fetch") count(look.e2e, e2e);
  for (const us of gaps) count(look.gaps, us / 1_000);
}

function count(all: Counted, ms: number, n = 1): void {
  const value = asShown(ms);
  all.set(value, (all.get(value) ?? 0) + n);
}

const reasonOf = ({ outcome, status, client_fault, detail }: RequestRecord): string =>
  [failureName({ outcome, status, clientFault: client_fault }), ...(detail === undefined ? [] : [detail])].join(", ");

/** `TTFT p50 101 ms, p95 130 ms`; a percentile with too few samples is left out. @param fallback of the newest second */
function percentiles(name: string, values: Counted, fallback?: number): string | undefined {
  const sorted = [...values].sort(([a], [b]) => a - b);
  const size = sorted.reduce((sum, [, n]) => sum + n, 0);
  const { p50 = fallback, p95 } = describe(size, 0, (rank) => ofRank(sorted, rank)) ?? {};
  if (p50 === undefined) return undefined;
  return `${name} p50 ${short(p50)}${p95 === undefined ? "" : `, p95 ${short(p95)}`} ms`;
}

function ofRank(sorted: readonly (readonly [ms: number, n: number])[], rank: number): number {
  let left = rank;
  for (const [ms, n] of sorted) {
    left -= n;
    if (left <= 0) return ms;
  }
  return Number.NaN;
}

/** Three digits, so that the line fits 80 columns, and whole milliseconds from 100 on; 10 µs are told apart. */
function asShown(ms: number): number {
  const perMs = ms >= 100 ? 1 : ms >= 10 ? 10 : 100;
  return Math.round(ms * perMs) / perMs;
}

const short = (ms: number): string => (ms >= 100 ? formatNumber(asShown(ms)) : String(asShown(ms)));
