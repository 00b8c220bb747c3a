/** The figures of a run as rows of text, the same in every view; an absent figure states the reason. */

import type { Lateness, Outage, RunResult, SampleCheck, SloResult } from "../../../formats/run.ts";
import type { Interval, MetricResult } from "../../../formats/run-metrics.ts";
import { METRIC_NAMES, type MetricName, metric, QUANTILES } from "../../../load/objectives/metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
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
import { HEADLINE_LATENCIES } from "../metrics/request-metrics.ts";
import { shareText } from "../metrics/sample-check.ts";

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
  /** The interval of each of them, where it has one. */
  readonly intervals: readonly (string | undefined)[];
}

type Metrics = RunResult["metrics"];

/** The requests whose metrics are shown. */
export interface Shown {
  /** Their operations. */
  readonly ops: readonly string[];
  /** A closed loop, which has no schedule. */
  readonly closed: boolean;
}

/** All requests of a run. */
export const shownOf = ({ ops, settings }: Pick<RunResult, "ops" | "settings">): Shown => ({
  ops: Object.keys(ops),
  closed: settings["vus"] !== undefined,
});

/** Distributions that requests of these operations can have, measured or not. */
export function distributionRows(metrics: Metrics, shown: Shown): DistributionRow[] {
  return applicable("distribution", metrics, shown).map((name) => {
    const { title, unit, definition } = metric(name);
    const result = metrics[name];
    const notes = result === undefined ? [] : notesOn(result);
    return {
      name,
      title,
      unit,
      definition,
      ...(notes.length > 0 && { note: notes.join("; ") }),
      cells: result && statistics(result),
      intervals: ["n", "mean", ...QUANTILE_NAMES, "max"].map((statistic) => {
        const own = result?.intervals?.[statistic];
        return own && intervalIn(own, unit);
      }),
    };
  });
}

/** Fewer independent values than this share of all are mentioned. */
const MENTIONED = 3 / 4;

function notesOn({ unit, requests, error, notStarted, count, independent = count }: MetricResult): string[] {
  const values = requests ?? count;
  return [
    ...(unit === "ms" && independent < MENTIONED * values
      ? [`close in time and alike: count as ${plural(independent, "independent value")}`]
      : []),
    ...(requests === undefined ? [] : [`from ${plural(requests, "request")}`]),
    ...(error === undefined ? [] : [`from a histogram, within ${formatError(error)}`]),
    ...(notStarted === undefined ? [] : [neverStarted(notStarted, count)]),
  ];
}

const neverStarted = (notStarted: number, count: number): string =>
  `${formatNumber(notStarted)} of ${plural(count, "arrival")} never started: a figure after > is a lower bound, and a figure with .. is a range`;

function statistics(result: MetricResult): string[] {
  return [
    formatNumber(result.count),
    ...(["mean", ...QUANTILE_NAMES, "max"] as const).map((name) => figureOf(result, name)),
  ];
}

const QUANTILE_NAMES = QUANTILES.map(({ name }) => name);

/** A figure of a distribution; `>` and a lower bound, or a range, where arrivals that never started leave it open. */
export function figureOf(result: MetricResult, name: "mean" | "max" | (typeof QUANTILE_NAMES)[number]): string {
  const format = result.unit === "ms" ? formatFigure : formatNumber;
  const more = result.atLeast?.[name];
  const value = result[name];
  if (more !== undefined) return value === undefined ? `>${format(more)}` : `${format(more)}..${format(value)}`;
  return value === undefined ? TOO_FEW : format(value);
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
    const { title, unit, definition, requires } = metric(name);
    const value = metrics[name]?.value;
    const absent = requires === undefined ? NOT_MEASURED : `needs ${requires}`;
    return { name, title, definition, value: value === undefined ? absent : formatValue(value, unit) };
  });
}

function applicable(kind: "distribution" | "scalar", metrics: Metrics, { ops, closed }: Shown): MetricName[] {
  return METRIC_NAMES.filter((name) => {
    const { kind: own, ops: having, over, sameAs, scheduled, hiddenAtZero } = metric(name);
    if (own !== kind || (scheduled && closed)) return false;
    if ((name === "goodput_share" || name === "canary_changed") && metrics[name] === undefined) return false;
    if (hiddenAtZero) return (metrics[name]?.max ?? 0) > 0;
    if (sameAs !== undefined) return metrics[name] !== undefined && metrics[name].mean !== metrics[sameAs]?.mean;
    // Only an open loop has them.
    if (kind === "distribution" && over === "all") return metrics[name] !== undefined;
    return metrics[name] !== undefined || having === undefined || having.some((op) => ops.includes(op));
  });
}

/**
 * What the latencies leave out, shown next to them: `of 590 successful requests; 13 of 603 (2.2%) not ok`. Those of conversations
 * are of their turns: `of 95 successful turns, including those of conversations that failed later; 12 of 40 arrivals (30%) not ok`.
 */
export function basis({
  counts: { offered: scheduled, ok, outcomes },
  conversations,
}: {
  readonly counts: RunResult["counts"];
  readonly conversations?: RunResult["conversations"];
}): string {
  if (scheduled === 0) return "of no request: none was scheduled";
  const offered = scheduled - (outcomes["left"] ?? 0);
  const share = `${formatNumber(offered - ok)} of ${formatNumber(offered)}`;
  if (conversations !== undefined) {
    const turns = conversations.turns.reduce((sum, { calls }) => sum + calls.ok, 0);
    const others = ok - conversations.whole - conversations.short;
    const what = others > 0 ? "requests, each turn of a conversation one" : "turns";
    const failed = ok === offered ? "" : ", including those of conversations that failed later";
    const rest = ok === offered ? "" : `; ${share} arrivals (${formatShare((offered - ok) / offered)}) not ok`;
    return `of ${formatNumber(turns + others)} successful ${what}${failed}${rest}`;
  }
  if (ok === offered)
    return offered < scheduled ? `of all ${units(offered)} whose clients stayed` : `of all ${units(offered)}`;
  return `of ${formatNumber(ok)} successful requests; ${share} (${formatShare((offered - ok) / offered)}) not ok`;
}

/** `1 request`, `2 requests`: each an arrival's whole work. */
export const units = (count: number): string => plural(count, "request");

/** The latency that represents a run or a part of one: the first that it has. */
export function headlineOf(metrics: Metrics): { readonly name: MetricName; readonly result: MetricResult } | undefined {
  for (const name of HEADLINES) {
    const result = metrics[name];
    if (result !== undefined) return { name, result };
  }
  return undefined;
}

const HEADLINES: readonly MetricName[] = [...HEADLINE_LATENCIES.flat(), "video_work_scheduled", "video_work"];

export interface OutcomeRow {
  readonly outcome: string;
  readonly count: number;
  readonly share: string;
}

/** Outcomes of the measured units of work, ok first, then the most frequent. */
export function outcomeRows({ outcomes, offered }: RunResult["counts"]): OutcomeRow[] {
  return Object.entries(outcomes)
    .sort(([a, m], [b, n]) => Number(b === "ok") - Number(a === "ok") || n - m || a.localeCompare(b))
    .map(([outcome, count]) => ({ outcome, count, share: formatShare(count / offered) }));
}

export interface SloRow {
  readonly mark: "✓" | "✗" | "?" | "·";
  readonly word: "met" | "missed" | "undecided" | "used for goodput";
  readonly expr: string;
  readonly observed: string;
  /** Of a missed one: what made it miss. */
  readonly cause?: string | undefined;
  /** Where the observed value and the bound lie, as shares of the larger one; absent where they cannot be compared. */
  readonly bar?: { readonly observed: number; readonly bound: number };
}

/** An SLO with what was observed, in the unit of its metric; of a bound for each request, the share that met it. */
export function sloRow(result: SloResult): SloRow {
  const { expr, observed, note, cause, interval } = result;
  const { each, within, unit, bound } = parseSlo(expr);
  const isShare = each || within !== undefined;
  const value = observed === null ? [] : [formatValue(observed, isShare ? "share" : unit)];
  const shown =
    [...value, ...intervalText(interval, unit), ...(note === undefined ? [] : [note])].join(" ") || NOT_MEASURED;
  const most = Math.max(observed ?? 0, bound);
  const isDrawn = observed !== null && !isShare && observed >= 0 && most > 0;
  const bar = isDrawn && { observed: observed / most, bound: bound / most };
  return { ...verdictOf(result), expr, observed: shown, cause, ...(bar && { bar }) };
}

/** `(701.0 to 798.0)`; nothing where neither end is known. */
function intervalText(interval: Interval | undefined, unit: string): string[] {
  const text = interval && intervalIn(interval, unit);
  return text === undefined ? [] : [`(${text})`];
}

/** `701.0 to 798.0`, or which end is known. */
function intervalIn([low, high]: Interval, unit: string): string | undefined {
  const format = unit === "ms" ? formatFigure : formatNumber;
  if (low === null) return high === null ? undefined : `${format(high)} or less`;
  return high === null ? `${format(low)} or more` : `${format(low)} to ${format(high)}`;
}

/** In which order objectives are listed, those that need attention first. */
const ORDER: readonly SloRow["word"][] = ["missed", "undecided", "met", "used for goodput"];

/** The objectives of a run, missed ones first, otherwise as they were given. */
export const sloRows = ({ slos }: Pick<RunResult, "slos">): SloRow[] =>
  slos.map(sloRow).toSorted((a, b) => ORDER.indexOf(a.word) - ORDER.indexOf(b.word));

function verdictOf({ ok, criterion }: SloResult): Pick<SloRow, "mark" | "word"> {
  if (criterion) return { mark: "·", word: "used for goodput" };
  if (ok === null) return { mark: "?", word: "undecided" };
  return ok ? { mark: "✓", word: "met" } : { mark: "✗", word: "missed" };
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
    ["seed", seedOf(run)],
    ...machines,
    ["generated by", run.k6 === undefined ? run.tool : `${run.tool}, k6 ${run.k6}`],
  ];
}

/** The seeds, which send the same again: `--seed` and `--set prompt-seed`. */
const seedOf = ({ seed, promptSeed }: RunResult): string =>
  `${seed ?? "unknown"}${promptSeed === undefined ? "" : `, of prompts ${promptSeed}`}`;

function memoryLimit({ memoryLimitMb, memoryLimitDropped }: RunResult["client"]): string {
  if (memoryLimitMb === undefined) return "";
  const limit = `${formatNumber(Math.round(memoryLimitMb))} MB`;
  return memoryLimitDropped === undefined
    ? `, memory limit ${limit}`
    : `, memory limit of ${limit} dropped because it was too small`;
}

/** What the wake-up latency says about every other figure. */
export const KNOWN_ERROR =
  "Wake-up latency: how late timers of the load generator fired. Measured times may be too long by up to 1.5 times this; objectives are decided with this error.";

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
    ...networkFact(client),
    [
      "garbage collector",
      shown(
        client.gcCycles,
        (n) => `${plural(n, "cycle")}, paused ${shown(client.gcPauseMs, formatFigure)} ms${memoryLimit(client)}`,
      ),
    ],
  ];
}

/** What TCP of the load generator knows of the network to what it connects to; none where it does not tell. */
function networkFact(client: RunResult["client"]): [string, string][] {
  const { packets = 0, packetsOutOfOrder: late = 0, packetsSentAgain: again = 0, roundTripMs } = client;
  if (packets === 0) return [];
  const facts = [
    ...(roundTripMs === undefined ? [] : [`least round trip ${formatFigure(roundTripMs)} ms`]),
    `${formatNumber(late)} of ${plural(packets, "packet")} out of order${late === 0 ? "" : ` (${formatShare(late / packets)})`}`,
    ...(again === 0 ? [] : [`${formatNumber(again)} sent again`]),
  ];
  return [["network", facts.join(", ")]];
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

/** What came of checking exchanges against the specification: a row per clause that does not hold, the worst first. */
export const checkRows = ({ findings }: SampleCheck): readonly CheckRow[] =>
  findings.map(({ id, verdict, reason, share, folder }) => ({
    id,
    verdict,
    mark: verdict === "WARN" ? "!" : "✗",
    count: share === undefined ? "" : shareText(share),
    reason: folder === undefined ? reason : `${reason} (in ${folder})`,
  }));

export interface CheckRow {
  readonly id: string;
  readonly verdict: string;
  readonly mark: string;
  /** `12 of 60 completions`; empty when it is not known. */
  readonly count: string;
  readonly reason: string;
}
