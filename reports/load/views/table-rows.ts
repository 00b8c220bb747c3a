/** The figures of a run as rows of text, the same in every view; an absent figure states the reason. */

import type { Lateness, MetricResult, Outage, RunResult, SloResult } from "../../../formats/run.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../../scenarios/metrics.ts";
import {
  formatError,
  formatFigure,
  formatInstant,
  formatNumber,
  formatSeconds,
  formatShare,
  formatValue,
  plural,
} from "../../numbers.ts";
import { parseSlo } from "../metrics/slo.ts";
import { QUANTILES } from "../stats/quantiles.ts";

export const NOT_MEASURED = "not measured";
export const TOO_FEW = "too few samples";

/** Columns of a table of distributions, after the name of the metric. */
export const STATISTIC_COLUMNS = ["n", "mean", ...QUANTILES.map(({ label }) => label), "max"] as const;

export interface DistributionRow {
  readonly name: MetricName;
  readonly title: string;
  readonly unit: string;
  readonly definition: string;
  /** A remark on its figures, such as `from a histogram, within ±0.05%`. */
  readonly note?: string;
  /** One text per column of `STATISTIC_COLUMNS`; undefined: not measured. */
  readonly cells: readonly string[] | undefined;
}

type Metrics = RunResult["metrics"];

/** The requests whose metrics are shown. */
export interface Shown {
  /** Their operations. */
  readonly ops: readonly string[];
  /** An open loop whose schedule lag could not be measured. */
  readonly untimed: boolean;
}

/** All requests of a run. */
export const shownOf = ({ ops, settings, stock }: Pick<RunResult, "ops" | "settings" | "stock">): Shown => ({
  ops: Object.keys(ops),
  untimed: stock === true && settings["vus"] === undefined,
});

/** Distributions that requests of these operations can have, measured or not. */
export function distributionRows(metrics: Metrics, shown: Shown): DistributionRow[] {
  return applicable("distribution", metrics, shown).map((name) => {
    const { title, unit, definition } = metric(name);
    const result = metrics[name];
    const note = result && remarkOn(result);
    return { name, title, unit, definition, ...(note && { note }), cells: result && statistics(result) };
  });
}

function remarkOn({ requests, error }: MetricResult): string {
  return [
    ...(requests === undefined
      ? []
      : [`gaps of ${plural(requests, "request")}, whose number decides which percentiles are given`]),
    ...(error === undefined ? [] : [`from a histogram, within ${formatError(error)}`]),
  ].join("; ");
}

function statistics(result: MetricResult): string[] {
  const format = result.unit === "ms" ? formatFigure : formatNumber;
  const number = (value: number | undefined): string => (value === undefined ? TOO_FEW : format(value));
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

/** Scalars that requests of these operations can have, measured or not. */
export function scalarRows(metrics: Metrics, shown: Shown): ScalarRow[] {
  return applicable("scalar", metrics, shown).map((name) => {
    const { title, unit, definition } = metric(name);
    const value = metrics[name]?.value;
    return { name, title, definition, value: value === undefined ? NOT_MEASURED : formatValue(value, unit) };
  });
}

function applicable(kind: "distribution" | "scalar", metrics: Metrics, { ops, untimed }: Shown): MetricName[] {
  return METRIC_NAMES.filter((name) => {
    const { kind: own, ops: having, over, sameAs, hiddenAtZero } = metric(name);
    if (own !== kind) return false;
    if (hiddenAtZero) return (metrics[name]?.max ?? 0) > 0;
    if (sameAs !== undefined) return metrics[name] !== undefined && metrics[name].mean !== metrics[sameAs]?.mean;
    // Only an open loop has them.
    if (kind === "distribution" && over === "all") return metrics[name] !== undefined || untimed;
    return metrics[name] !== undefined || having === undefined || having.some((op) => ops.includes(op));
  });
}

/** What the latencies leave out, shown beside them: `over 590 ok of 603 requests; 2.2% not ok`. */
export function basis({ completed, ok, not_started, outcomes }: RunResult["counts"]): string {
  const all = completed + not_started;
  if (all === 0) return "over no request";
  const others = all - ok;
  if (others === 0) return `over all ${plural(all, "request")}`;
  const including = outcomes["cancelled_by_us"] === undefined ? "" : " (includes cancelled_by_us)";
  return `over ${formatNumber(ok)} ok of ${plural(all, "request")}; ${formatShare(others / all)} not ok${including}`;
}

/** A load whose rate has several stages, as a table: a head and a row per stage; undefined for another load. */
export function stepTable({ steps }: RunResult): { head: string[]; rows: string[][] } | undefined {
  if (steps === undefined) return undefined;
  const name = steps.find(({ latency }) => latency !== undefined)?.latency?.name ?? "latency";
  const rows = steps.map(({ rate, fromS, toS, requests, ok, latency }) => {
    const figure = (value: number | undefined): string =>
      latency === undefined ? NOT_MEASURED : value === undefined ? TOO_FEW : formatFigure(value);
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

/** Outcomes of measured requests, ok first, then the most frequent; arrivals that never started are counted as one. */
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
  return `no response from ${fromS.toFixed(1)} s to ${end} of the run: ${plural(requests, "request")} (${kinds.join(", ")})`;
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
    ["generated by", run.k6 === undefined ? run.tool : `${run.tool}, k6 ${run.k6}`],
  ];
}

function memoryLimit({ memoryLimitMb, memoryLimitDropped }: RunResult["client"]): string {
  if (memoryLimitMb === undefined) return "";
  const limit = `${formatNumber(Math.round(memoryLimitMb))} MB`;
  return memoryLimitDropped === undefined
    ? `, memory limit ${limit}`
    : `, memory limit of ${limit} dropped because it was too small`;
}

/** What the wake-up latency says about every other figure. */
export const KNOWN_ERROR =
  "Wake-up latency: how late the load generator woke when something was due, measured by a probe that sleeps and is woken as the reader of a stream is. The time of a chunk can be late by as much: this is the known error of the times of this run.";

/** Health of the load generator in a few words each. */
export function clientFacts({ client, validity }: RunResult): [string, string][] {
  const shown = (value: number | undefined, text: (value: number) => string): string =>
    value === undefined ? NOT_MEASURED : text(value);
  const of = (whole: number | undefined) => (whole === undefined ? "" : ` of ${formatNumber(whole)}`);
  return [
    [
      "CPU cores used",
      shown(
        client.cpu,
        (cpu) => `${formatNumber(cpu)}${of(client.cpus)} (max in one second ${shown(client.cpuMax, formatNumber)})`,
      ),
    ],
    ["memory", shown(client.rssMaxMb, (mb) => `${formatNumber(Math.round(mb))} MB`)],
    latenessFact("wake-up latency", validity, { p99: client.wakeP99Ms, max: client.wakeMaxMs }),
    latenessFact("schedule lag", validity, { p99: client.lagP99Ms }),
    ["peak in flight", shown(client.openMax, (open) => `${formatNumber(open)}${of(client.inFlightLimit)}`)],
    ["connections opened", shown(client.connections, formatNumber)],
    [
      "garbage collector",
      shown(
        client.gcCycles,
        (n) => `${plural(n, "cycle")}, paused ${shown(client.gcPauseMs, formatFigure)} ms${memoryLimit(client)}`,
      ),
    ],
  ];
}

/**
 * The percentile by which validity judged a lateness, with its limit; the p99 and the maximum, in milliseconds, beside
 * it where they are others.
 */
function latenessFact(
  name: Lateness["name"],
  { lateness }: RunResult["validity"],
  { p99, max }: { readonly p99: number | undefined; readonly max?: number | undefined },
): [string, string] {
  const compared = lateness.find((other) => other.name === name);
  if (compared === undefined) return [`${name} p99`, p99 === undefined ? NOT_MEASURED : `${formatFigure(p99)} ms`];
  const { percentile, ms, limitMs, samples, lateSeconds, seconds } = compared;
  const others = [
    ...(p99 === undefined || percentile === "p99" ? [] : [`p99 ${formatFigure(p99)} ms`]),
    ...(max === undefined ? [] : [`max ${formatFigure(max)} ms`]),
    ...(lateSeconds === 0 ? [] : [`above the limit in ${lateSeconds} of ${seconds} seconds`]),
  ];
  const beside = others.length === 0 ? "" : ` (${others.join(", ")})`;
  return [
    `${name} ${percentile}`,
    `${formatFigure(ms)} ms of ${formatNumber(samples)}, limit ${formatNumber(limitMs)} ms${beside}`,
  ];
}
