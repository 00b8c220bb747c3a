/** The figures of a run as rows of text, the same in every view: what is absent says why. */

import type { MetricResult, Outage, RunResult } from "../../../formats/run.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../../scenarios/metrics.ts";
import {
  formatFigure,
  formatInstant,
  formatNumber,
  formatSeconds,
  formatShare,
  formatValue,
  plural,
} from "../../numbers.ts";
import { parseSlo, type SloResult } from "../metrics/slo.ts";
import { QUANTILES } from "../stats/quantiles.ts";

export const NOT_MEASURED = "not measured";
export const TOO_SMALL = "n too small";

/** Columns of a table of distributions, after the metric's name. */
export const STATISTIC_COLUMNS = ["n", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"] as const;

export interface DistributionRow {
  readonly name: MetricName;
  readonly title: string;
  readonly unit: string;
  readonly definition: string;
  /** What must be known of its figures, such as `gaps from a histogram, within 0.05 %`. */
  readonly note?: string;
  /** One text a column of `STATISTIC_COLUMNS`; undefined: not measured. */
  readonly cells: readonly string[] | undefined;
}

type Metrics = RunResult["metrics"];

/** Requests that metrics are shown of. */
export interface Shown {
  /** Their kinds. */
  readonly ops: readonly string[];
  /** Arrivals of an open loop whose lateness the client could not measure. */
  readonly untimed: boolean;
}

/** All requests of a run. */
export const shownOf = ({ ops, settings, stock }: Pick<RunResult, "ops" | "settings" | "stock">): Shown => ({
  ops: Object.keys(ops),
  untimed: stock === true && settings["vus"] === undefined,
});

/** Metrics of many values that requests of these kinds can have, measured or not. */
export function distributionRows(metrics: Metrics, shown: Shown): DistributionRow[] {
  return applicable("distribution", metrics, shown).map((name) => {
    const { title, unit, definition } = metric(name);
    const result = metrics[name];
    const note =
      result?.error === undefined ? {} : { note: `gaps from a histogram, within ${formatShare(result.error)}` };
    return { name, title, unit, definition, ...note, cells: result && statistics(result) };
  });
}

function statistics(result: MetricResult): string[] {
  const number = (value: number | undefined): string => (value === undefined ? TOO_SMALL : formatFigure(value));
  return [
    formatNumber(result.count),
    number(result.mean),
    ...QUANTILES.map(({ name }) => number(result[name])),
    number(result.max),
  ];
}

export interface ScalarRow {
  readonly name: MetricName;
  readonly title: string;
  readonly definition: string;
  readonly value: string;
}

/** Metrics of one value that requests of these kinds can have, measured or not. */
export function scalarRows(metrics: Metrics, shown: Shown): ScalarRow[] {
  return applicable("scalar", metrics, shown).map((name) => {
    const { title, unit, definition } = metric(name);
    const value = metrics[name]?.value;
    return { name, title, definition, value: value === undefined ? NOT_MEASURED : formatValue(value, unit) };
  });
}

function applicable(kind: "distribution" | "scalar", metrics: Metrics, { ops, untimed }: Shown): MetricName[] {
  return METRIC_NAMES.filter((name) => {
    const { kind: own, ops: having, over, sameAs } = metric(name);
    if (own !== kind) return false;
    if (sameAs !== undefined) return metrics[name] !== undefined && metrics[name].mean !== metrics[sameAs]?.mean;
    // What only an open loop has says nothing in a closed one.
    if (kind === "distribution" && over === "all") return metrics[name] !== undefined || untimed;
    return metrics[name] !== undefined || having === undefined || having.some((op) => ops.includes(op));
  });
}

/** What the latencies leave out, to stand beside them: `over 590 ok of 603 requests; 2.2 % ended otherwise`. */
export function basis({ completed, ok, not_started }: RunResult["counts"]): string {
  const all = completed + not_started;
  if (all === 0) return "no request";
  const others = all - ok;
  const rest = others === 0 ? "none ended otherwise" : `${formatShare(others / all)} ended otherwise`;
  return `over ${formatNumber(ok)} ok of ${plural(all, "request")}; ${rest}`;
}

/** A load whose rate has several stages, as a table: a head, and a row a stage; undefined for another load. */
export function stepTable({ steps }: RunResult): { head: string[]; rows: string[][] } | undefined {
  if (steps === undefined) return undefined;
  const name = steps.find(({ latency }) => latency !== undefined)?.latency?.name ?? "latency";
  const rows = steps.map(({ rate, fromS, toS, requests, ok, latency }) => {
    const figure = (value: number | undefined): string =>
      latency === undefined ? NOT_MEASURED : value === undefined ? TOO_SMALL : formatFigure(value);
    return [
      `${formatNumber(fromS)} to ${formatNumber(toS)} s`,
      rate,
      formatNumber(requests),
      requests === 0 ? NOT_MEASURED : formatShare((requests - ok) / requests),
      figure(latency?.mean),
      figure(latency?.p50),
      figure(latency?.p99),
      figure(latency?.max),
    ];
  });
  return { head: ["step", "rate", "requests", "errors", `${name} mean`, "p50", "p99", "max (ms)"], rows };
}

export interface OutcomeRow {
  readonly outcome: string;
  readonly count: number;
  readonly share: string;
}

/** How measured requests ended, ok first, then the most frequent; arrivals that never started are one kind of it. */
export function outcomeRows({ outcomes, completed, not_started }: RunResult["counts"]): OutcomeRow[] {
  const all = completed + not_started;
  const entries = Object.entries({ ...outcomes, ...(not_started > 0 ? { not_started } : {}) });
  return entries
    .sort(([a, m], [b, n]) => Number(b === "ok") - Number(a === "ok") || n - m || a.localeCompare(b))
    .map(([outcome, count]) => ({ outcome, count, share: formatShare(count / all) }));
}

export interface SloRow {
  readonly mark: "✓" | "✗" | "?";
  readonly word: "met" | "missed" | "undecided";
  readonly expr: string;
  readonly observed: string;
}

/** An SLO with what was observed, in the unit of its metric. */
export function sloRow({ expr, observed, ok, note }: SloResult): SloRow {
  if (observed === null) return { mark: "?", word: "undecided", expr, observed: note ?? NOT_MEASURED };
  const value = formatValue(observed, metric(parseSlo(expr).metric).unit);
  const shown = note === undefined ? value : `${value} ${note}`;
  if (ok === null) return { mark: "?", word: "undecided", expr, observed: shown };
  return ok ? { mark: "✓", word: "met", expr, observed: shown } : { mark: "✗", word: "missed", expr, observed: shown };
}

/** An outage in a sentence. */
export function outageSentence({ fromS, toS, requests, outcomes, recovered }: Outage): string {
  const kinds = Object.entries(outcomes).map(([name, count]) => `${name} ${formatNumber(count)}`);
  const end = recovered ? `${toS.toFixed(1)} s` : `the end (${toS.toFixed(1)} s)`;
  return `no answer from ${fromS.toFixed(1)} s to ${end} of the run: ${plural(requests, "request")} (${kinds.join(", ")})`;
}

export type Tone = "good" | "bad" | "unsure";
/** The verdict of a run in a word, and how it feels. */
export function runVerdict({ exitCode }: Pick<RunResult, "exitCode">): { word: string; tone: Tone } {
  if (exitCode === 0) return { word: "PASSED", tone: "good" };
  return exitCode === 1 ? { word: "FELL SHORT", tone: "bad" } : { word: "NO CONCLUSION", tone: "unsure" };
}

/** Facts of the run for a heading: pairs of a name and a text. */
export function facts(run: RunResult): [string, string][] {
  const shards = run.shards?.map(
    ({ segment, verdict, started, offered }) =>
      `${segment} ${verdict}, ${started} of ${plural(offered, "arrival")} started`,
  );
  const machines = shards === undefined ? [] : [["shards", shards.join("; ")] as [string, string]];
  return [
    ["target", run.target],
    ["scenario", run.scenario],
    ["load", run.shape],
    ["measured", formatSeconds(run.durationS)],
    ["started", formatInstant(run.startedAt)],
    ["seed", run.seed === null ? "unknown" : String(run.seed)],
    ...machines,
    ["made by", run.k6 === undefined ? run.tool : `${run.tool}, k6 ${run.k6}`],
  ];
}

function heldBack({ memoryLimitMb, memoryLimitDropped }: RunResult["client"]): string {
  if (memoryLimitMb === undefined) return "";
  const limit = `${formatNumber(Math.round(memoryLimitMb))} MB`;
  return memoryLimitDropped === undefined
    ? `, held back up to ${limit}`
    : `, its limit of ${limit} dropped as too small`;
}

/** What the client's wake-ups say about every other figure. */
export const KNOWN_ERROR =
  "Wake-ups late: how late the client woke when something was due, seen by a probe that sleeps and is woken as a reader of a stream is. A chunk's time may be so late: this is the known error of the times of this run.";

/** Health of the client in a few words each. */
export function clientFacts({ client }: RunResult): [string, string][] {
  const shown = (value: number | undefined, text: (value: number) => string): string =>
    value === undefined ? NOT_MEASURED : text(value);
  const worst = (ms: number | undefined) => (ms === undefined ? "" : ` (worst ${formatFigure(ms)} ms)`);
  const of = (whole: number | undefined) => (whole === undefined ? "" : ` of ${formatNumber(whole)}`);
  return [
    [
      "CPU cores used",
      shown(
        client.cpu,
        (cpu) => `${formatNumber(cpu)}${of(client.cpus)} (worst second ${shown(client.cpuMax, formatNumber)})`,
      ),
    ],
    ["memory", shown(client.rssMaxMb, (mb) => `${formatNumber(Math.round(mb))} MB`)],
    ["wake-ups late p99", shown(client.wakeP99Ms, (ms) => `${formatFigure(ms)} ms${worst(client.wakeMaxMs)}`)],
    ["lateness p99", shown(client.lagP99Ms, (ms) => `${formatNumber(ms)} ms`)],
    ["most open at once", shown(client.openMax, (open) => `${formatNumber(open)}${of(client.inFlightLimit)}`)],
    ["connections opened", shown(client.connections, formatNumber)],
    [
      "collector",
      shown(
        client.gcCycles,
        (n) => `${plural(n, "cycle")}, ${shown(client.gcPauseMs, formatNumber)} ms paused${heldBack(client)}`,
      ),
    ],
  ];
}
