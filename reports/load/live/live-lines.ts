/** What is known of a load while it runs, from the lines that k6 has written so far, and what a log shows of it. Pure. */

import { type ClientLine, clientLine } from "../../../formats/client.ts";
import { endedByUs, hasFailed } from "../../../formats/outcomes.ts";
import { type RequestRecord, requestRecord } from "../../../formats/records.ts";
import { parseJson } from "../../../lib/json.ts";
import { formatFigure, formatNumber, formatSeconds, plural } from "../../numbers.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { describe } from "../stats/quantiles.ts";
import {
  addRecord,
  addTo,
  type Counted,
  failedOf,
  type Latencies,
  type Look,
  lookAt,
  noLatencies,
  ranked,
  short,
  together,
} from "./looks.ts";

/** What the rate and the latencies are about, in seconds. */
export const RECENT_S = 10;
/** For how long looks are kept, in seconds. */
const KEPT_S = 300;
/** Requests of one look that are read for their latencies, evenly chosen: the load comes first. */
const READ_AT_ONCE = 50;
const OK = '"outcome":"ok"';
const TOKENS = /"output_tokens":(\d+)/;
const HOW_ENDED = /"(?:op|outcome|status|client_fault)":[^,}]*/g;

/** How many requests failed in one way, and the reason of the first. */
export interface Failed {
  readonly name: string;
  readonly detail: string | undefined;
  count: number;
}

/** A load that runs. */
export interface LiveState {
  /** Length of warm-up and measured window, in seconds. */
  readonly planS: number;
  readonly newest: ClientLine;
  /** The last minutes, the newest last. */
  readonly looks: readonly Look[];
  readonly sums: Latencies;
  /** The most frequent first. */
  readonly failed: readonly Failed[];
}

export class LiveLoad {
  readonly #planS: number;
  #newest: ClientLine | undefined;
  readonly #looks: Look[] = [];
  /** Of all looks that are kept. */
  readonly #sums = noLatencies();
  /** The name of how a request ended, by what its record says; undefined where that is no failure. */
  readonly #names = new Map<string, string | undefined>();
  /** In the order of the first of each name. */
  readonly #failed = new Map<string, Failed>();

  /** @param planS length of warm-up and measured window, in seconds */
  constructor(planS: number) {
    this.#planS = planS;
  }

  /** Adds what came since the last look: lines of `client.jsonl` and of `records.jsonl`. Damaged ones are left out. */
  add(health: readonly string[], records: readonly string[]): void {
    const before = this.#newest;
    for (const line of health) this.#newest = clientLine.safeParse(parseJson(line)).data ?? this.#newest;
    const look = lookAt(this.#newest, before, (this.#looks.at(-1)?.nth ?? 0) + 1);
    const step = Math.max(1, Math.ceil(records.length / READ_AT_ONCE));
    for (const [index, line] of records.entries()) {
      if (index % step === 0) addRecord(parseJson(line), look);
      look.tokens += Number(TOKENS.exec(line)?.[1] ?? 0);
      if (!line.includes(OK)) this.#addFailed(line);
    }
    addTo(this.#sums, look, 1);
    this.#looks.push(look);
    while ((this.#looks[0]?.t ?? look.t) <= look.t - KEPT_S) {
      const old = this.#looks.shift();
      if (old !== undefined) addTo(this.#sums, old, -1);
    }
  }

  /** Counts all of them; only the first of those that are alike is read. */
  #addFailed(line: string): void {
    const how = [...line.matchAll(HOW_ENDED)].join();
    if (how === "") return;
    if (!this.#names.has(how)) this.#addFailure(how, requestRecord.safeParse(parseJson(line)).data);
    const failed = this.#failed.get(this.#names.get(how) ?? "");
    if (failed !== undefined) failed.count += 1;
  }

  #addFailure(how: string, record: RequestRecord | undefined): void {
    if (record === undefined) return;
    const { outcome, op, detail, status, client_fault: clientFault } = record;
    const name =
      endedByUs(outcome) || op === "video.cancel" ? undefined : failureName({ outcome, status, clientFault });
    this.#names.set(how, name);
    if (name !== undefined && !this.#failed.has(name)) this.#failed.set(name, { name, detail, count: 0 });
  }

  /** Undefined before the load has begun. */
  state(): LiveState | undefined {
    if (this.#newest === undefined) return undefined;
    const failed = [...this.#failed.values()].toSorted((a, b) => b.count - a.count);
    return { planS: this.#planS, newest: this.#newest, looks: this.#looks, sums: this.#sums, failed };
  }

  /** Four lines of few words; none before the load has begun. */
  lines(): readonly string[] {
    const newest = this.#newest;
    if (newest === undefined) return [];
    return [this.#sending(newest), this.#latencies(newest), this.#failures(newest), this.#remaining(newest)];
  }

  #sending({ t, open }: ClientLine): string {
    const [first, ...others] = this.#looks.filter((each) => each.t >= t - RECENT_S);
    const seconds = (others.at(-1)?.t ?? 0) - (first?.t ?? 0);
    const started = others.reduce((sum, look) => sum + look.started, 0);
    const rate = seconds > 0 && t < this.#planS ? [`${formatFigure(started / seconds)}/s started`] : [];
    const inFlight = open === undefined ? [] : [`${formatNumber(open)} in flight`];
    return [...rate, ...inFlight].join(", ") || "starting";
  }

  #latencies({ t, ttft_p50_ms, e2e_p50_ms }: ClientLine): string {
    const recent = this.#looks.filter((each) => each.t > t - RECENT_S);
    const ttft = together(recent, "ttft");
    const parts =
      ttft.size > 0 || ttft_p50_ms !== undefined
        ? [percentiles("TTFT", ttft, ttft_p50_ms), percentiles("inter-chunk", together(recent, "gaps"))]
        : [percentiles("end to end", together(recent, "e2e"), e2e_p50_ms)];
    const known = parts.filter((part) => part !== undefined);
    return known.length === 0 ? "no latencies yet" : `${known.join("; ")} (last ${RECENT_S} s)`;
  }

  #failures(newest: ClientLine): string {
    const count = failedOf(newest);
    if (count === 0) return "no errors";
    const [first] = this.#failed.values();
    const [outcome] = Object.keys(newest.outcomes ?? {}).filter(hasFailed);
    const reason = first === undefined ? outcome : [first.name, first.detail ?? []].flat().join(", ");
    return `${plural(count, "error")}; the first: ${reason ?? "not known"}`;
  }

  #remaining({ t }: ClientLine): string {
    const left = Math.round(this.#planS - t);
    return left > 0
      ? `${formatSeconds(Math.round(t))} of ${formatSeconds(Math.round(this.#planS))}, ${formatSeconds(left)} left`
      : `draining ${formatSeconds(Math.max(0, -left))}`;
  }
}

/** `TTFT p50 101 ms, p95 130 ms`; a percentile with too few samples is left out. @param fallback of the newest second */
function percentiles(name: string, values: Counted, fallback?: number): string | undefined {
  const { size, ofRank } = ranked(values);
  const { p50 = fallback, p95 } = describe(size, 0, ofRank) ?? {};
  if (p50 === undefined) return undefined;
  return `${name} p50 ${short(p50)}${p95 === undefined ? "" : `, p95 ${short(p95)}`} ms`;
}
