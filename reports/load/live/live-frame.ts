/** A load that runs, as lines that fit a terminal: what it sends, what comes of it, and what may end it. Pure. */

import pc from "picocolors";
import { groupedBy } from "../../../lib/grouped.ts";
import { cutTo } from "../../../lib/printable.mjs";
import { plainLine } from "../../../lib/text.ts";
import { formatFigure, formatNumber, formatSeconds } from "../../numbers.ts";
import { barOf, type Colours, type FrameSize } from "../../terminal-text.ts";
import { describe } from "../stats/quantiles.ts";
import { LIMITS } from "../validity/limits.ts";
import { type LiveState, RECENT_S } from "./live-lines.ts";
import { type Latency, type Look, ranked, short, together } from "./looks.ts";

/** A row of the strip. */
interface StripRow {
  readonly label: string;
  /** Of one look; undefined where nothing is known. */
  readonly of: (look: Look) => number | undefined;
  /** Of the newest looks, and of all. */
  readonly recent: number | undefined;
  readonly all: number | undefined;
  readonly format: (value: number) => string;
}

const FAILED = "failed/s";
const LABEL = 11;
const FIGURE = 7;
/** A rate over a shorter time says nothing: lines come once per second, and the last one when k6 ends. */
const SHORTEST_S = 0.5;
/** Failures, and what may end the load, that are named. */
const MOST_NAMED = 4;
/** The longest bar of the time. */
const LONGEST_BAR = 60;
/** In a terminal that is lower, long lines are cut. */
const LOW = 20;
/** Below this width the highest bar is not stated. */
const WIDE = 72;

const sumOf = (looks: readonly Look[], of: (look: Look) => number): number =>
  looks.reduce((sum, look) => sum + of(look), 0);

const perSecond =
  (name: "started" | "ok" | "failed" | "tokens") =>
  (looks: readonly Look[]): number | undefined => {
    const seconds = sumOf(looks, (look) => look.seconds);
    return seconds >= SHORTEST_S ? sumOf(looks, (look) => look[name]) / seconds : undefined;
  };

const inFlight = (looks: readonly Look[]): number => sumOf(looks, ({ open = 0 }) => open) / looks.length;

const meanRow = (label: string, of: (looks: readonly Look[]) => number | undefined, times: Times): StripRow => ({
  ...{ label, of: (look) => of([look]), recent: of(times.recent), all: of(times.looks), format: formatFigure },
});

/** The percentiles of a latency, as far as the samples allow. */
function percentiles(name: string, kind: Latency, { recent, sums }: Times): readonly StripRow[] {
  const [some, all] = [together(recent, kind), sums[kind]].map((values) => {
    const { size, ofRank } = ranked(values);
    return describe(size, 0, ofRank);
  });
  return (["p50", "p95"] as const).map((p) => ({
    label: `${name} ${p} ms`,
    of: ({ percentiles: own }) => own.get(kind)?.[p],
    ...{ recent: some?.[p], all: all?.[p], format: short },
  }));
}

type Times = Pick<LiveState, "looks" | "sums"> & { readonly recent: readonly Look[] };

const rowsOf = (times: Times): readonly StripRow[] => [
  meanRow("arrivals/s", perSecond("started"), times),
  meanRow("ok/s", perSecond("ok"), times),
  meanRow(FAILED, perSecond("failed"), times),
  meanRow("in flight", inFlight, times),
  ...(times.looks.some(({ tokens }) => tokens > 0) ? [meanRow("tokens/s", perSecond("tokens"), times)] : []),
  ...(times.sums.ttft.size > 0
    ? [...percentiles("TTFT", "ttft", times), ...percentiles("gap", "gaps", times)]
    : percentiles("e2e", "e2e", times)),
];

/** The highest of each part of the time, the same parts from frame to frame. */
function highest(looks: readonly Look[], of: StripRow["of"], width: number): readonly number[] {
  const length = Math.ceil((looks.length + 1) / Math.max(1, width));
  const parts = groupedBy(looks, ({ nth }) => Math.floor(nth / length));
  return [...parts.values()]
    .slice(-Math.max(1, width))
    .map((part) => Math.max(0, ...part.map((look) => of(look) ?? 0)));
}

/** Bars from 0 to the highest; more than nothing is seen. */
const barsOf = (values: readonly number[], most: number): string =>
  values.map((value) => (value > 0 ? barOf(value / most) : " ")).join("");

function strip({ looks, sums, newest }: LiveState, columns: number, c: Colours): readonly string[] {
  const recent = looks.filter(({ t }) => t > newest.t - RECENT_S);
  const kept = shortTime(sumOf(looks, ({ seconds }) => seconds));
  const heads = [`${RECENT_S} s`, kept, ...(columns < WIDE ? [] : ["max"])];
  const width = Math.max(0, columns - LABEL - 1 - heads.length * (FIGURE + 1));
  const lineOf = (label: string, bars: string, figures: readonly string[]): string =>
    `${label.padEnd(LABEL)} ${bars.padEnd(width)} ${figures.map((figure) => figure.padStart(FIGURE)).join(" ")}`;
  const lines = rowsOf({ looks, sums, recent }).map(({ label, of, format, ...told }) => {
    const values = highest(looks, of, width);
    const most = Math.max(0, ...values);
    const figures = [told.recent, told.all, most].slice(0, heads.length);
    const shown = figures.map((value) => (value === undefined ? "-" : format(value)));
    const line = lineOf(label, barsOf(values, most), shown);
    return label === FAILED && most > 0 ? c.red(line) : line;
  });
  return [c.dim(lineOf("", "", heads)), ...lines];
}

const shortTime = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Number((seconds / 60).toFixed(1))} min`;

/** The time that passed and the time left, with a bar of it where there is room. */
function timeLine({ planS, newest: { t, final } }: LiveState, columns: number): string {
  const left = Math.round(planS - t);
  const passed = `${formatSeconds(Math.round(t))} of ${formatSeconds(Math.round(planS))}`;
  const words =
    final === true
      ? `ended after ${left > 0 ? passed : formatSeconds(Math.round(t))}`
      : left > 0
        ? `${passed}, ${formatSeconds(left)} left`
        : `draining ${formatSeconds(-left)}`;
  const width = Math.min(LONGEST_BAR, columns - words.length - 2);
  const done = Math.round(width * Math.min(1, planS > 0 ? t / planS : 1));
  return width < 8 ? words : `${words}  ${"█".repeat(done)}${"░".repeat(width - done)}`;
}

/** Lines under one label, each in two where it is too wide. @param width of all but the label; 0: none is parted */
const labelled = (label: string, lines: readonly string[], width: number): readonly string[] =>
  lines
    .flatMap((line) => parted(plainLine(line), width))
    .map((line, nth) => `${(nth === 0 ? label : "").padEnd(LABEL)} ${line}`);

function parted(line: string, width: number): readonly string[] {
  const at = line.length <= width ? 0 : line.lastIndexOf(" ", width);
  return at <= 0 ? [line] : [line.slice(0, at), `  ${line.slice(at + 1)}`];
}

/** What is shown of a list. */
function named(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_NAMED;
  return more > 0 ? [...lines.slice(0, MOST_NAMED), `${more} more`] : lines;
}

/** How late the load generator is, with the limits beyond which its timings are not usable. */
function generator({ newest, looks }: LiveState, width: number, c: Colours): readonly string[] {
  const { lag_p99_ms: lag, wake_p99_ms: wake, cpu, cpus } = newest;
  const rate = perSecond("started")(looks) ?? 0;
  const lagLimit = Math.max(LIMITS.lagMs, rate > 0 ? (LIMITS.lagShareOfInterArrival * 1_000) / rate : 0);
  const parts = [
    ...(lag === undefined ? [] : [`lag p99 ${short(lag)} of ${short(lagLimit)} ms`]),
    ...(wake === undefined ? [] : [`wake-up p99 ${short(wake)} of ${short(LIMITS.wakeMs)} ms`]),
    ...(cpu === undefined ? [] : [`CPU ${cpu.toFixed(2)}${cpus === undefined ? "" : ` of ${cpus}`}`]),
  ];
  const isLate = (lag ?? 0) > lagLimit || (wake ?? 0) > LIMITS.wakeMs;
  if (parts.length === 0) return [];
  return labelled("generator", [`${isLate ? "late: " : ""}${parts.join(", ")}`], width).map(isLate ? c.yellow : String);
}

/**
 * A load as lines that fit a terminal, at most as many as it has rows: of a low one, rows of the strip are left out.
 * @param ends what may end it before its time, in words
 */
export function liveFrame(state: LiveState, ends: readonly string[], { columns, rows, colour }: FrameSize) {
  const c = pc.createColors(colour);
  const width = rows < LOW ? 0 : Math.max(0, columns - LABEL - 1);
  const failed = state.failed.map(
    ({ name, detail, count }) => `${formatNumber(count)} × ${name}${detail === undefined ? "" : `: ${detail}`}`,
  );
  const below = [
    ...labelled("errors", failed.length === 0 ? ["none"] : named(failed), width).map(
      failed.length === 0 ? String : c.red,
    ),
    ...generator(state, width, c),
    ...labelled("ends when", state.newest.final === true ? [] : named(ends), width),
  ];
  const bars = strip(state, columns, c).slice(0, Math.max(0, rows - below.length - 1));
  return [timeLine(state, columns), ...bars, ...below].slice(0, rows).map((line) => cutTo(line, columns));
}
