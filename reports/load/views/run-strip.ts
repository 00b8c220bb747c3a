/** A whole run in one strip: how many requests were ok and failed, the latency that matters with its objective, and what happened when. */

import type { RunResult } from "../../../formats/run.ts";
import type { ChartGroup } from "../../../formats/run-charts.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { formatSeconds, formatValue } from "../../numbers.ts";
import { type Html, html } from "../../page/html-template.ts";
import { axisText, type Box, dataTable, type Layer, labelsOf, layerOf, percent } from "../../page/plot.ts";
import { type Axis, fromZero, ofTime, placeOf, SIZE, ticksOf } from "../../page/plot-axis.ts";
import { timesOf, wholeGroups } from "./moments.ts";
import { type Objective, objectivesOf, type PlottedGroup, titleOf } from "./plotted-group.ts";
import { lanesOf, marksHtml, marksInWords, marksLegend, marksList, type StripMark } from "./strip-marks.ts";
import { headlineOf, sloRows } from "./table-rows.ts";
import { bandOf, halfOf, latencyAxis } from "./time-plots.ts";

/** Which parts of the height the latency and the requests take, from below. */
const LATENCY = { base: 0.42, share: 0.58 } as const;
const REQUESTS = { base: 0, share: 0.34 } as const;
type Panel = typeof LATENCY | typeof REQUESTS;

/**
 * The strip; undefined without data over time.
 * @param alike runs whose strips are shown together, with the same axes and latency: that of the first
 * @param id of the strip; the pattern of what failed is in the one named `strip`
 */
export function runStrip(
  run: RunResult,
  marks: readonly StripMark[],
  alike: readonly RunResult[] = [run],
  id = "strip",
): Html | undefined {
  const rates = ratesOf(run);
  if (rates.length === 0) return undefined;
  const x = ofTime(0, Math.max(...alike.map((each) => timesOf(each).to)));
  const latency = latencyOf(run, alike);
  const requests = upTo(
    alike.flatMap(ratesOf).map(({ ok, failed }) => ok + failed),
    "/s",
  );
  const layers = requestLayers(rates, requests, 2 * halfOf(run));
  const shown = latency === undefined ? [] : [html`${panel(LATENCY, latency.layers, x, latency.y, latency.within)}`];
  const scales = [scale(REQUESTS, requests), ...(latency === undefined ? [] : [scale(LATENCY, latency.y)])];
  const title = id === "strip" ? "The run over time" : "The other run over time";
  return html`<figure class="plot strip" id="${id}" data-x="${axisText(x)}" data-y="${axisText(requests)}">
<div class="frame" style="--lanes:${lanesOf(marks)}">${marksHtml(run, marks)}<svg viewBox="0 0 ${SIZE} ${SIZE}" preserveAspectRatio="none" role="img" aria-label="${inWords(run, rates, latency, marks)}">${id === "strip" ? HATCH : ""}${panel(REQUESTS, layers, x, requests)}${shown}</svg><div class="y" aria-hidden="true">${scales}</div>${labelsOf("x", x)}${latency === undefined ? "" : boundLabels(latency)}</div>
<figcaption class="legend">${layers.map(keyOf)}${latency === undefined ? "" : html`<span class="key band" style="--c:var(--s1)">${latency.caption}</span>`}${marksLegend(marks)}</figcaption>
${dataTable({ title, table: tableOf(rates, latency) }, marksList(marks))}</figure>`;
}

/** Requests per second of an interval. */
interface Rate {
  readonly t: number;
  readonly ok: number;
  /** With the arrivals that were due and never started. */
  readonly failed: number;
}

/** All requests of the run; of videos, the tasks. */
function ratesOf({ charts }: RunResult): Rate[] {
  const all = new Map<number, Rate>();
  const add = (t: number, ok: number, failed: number): void => {
    const before = all.get(t) ?? { t, ok: 0, failed: 0 };
    all.set(t, { t, ok: before.ok + ok, failed: before.failed + failed });
  };
  for (const { rates, arrivals = [] } of wholeGroups(charts)) {
    for (const [t, , ok, failed] of rates) add(t, ok, failed);
    for (const [t, due, started] of arrivals) if (due > started) add(t, 0, due - started);
  }
  return [...all.values()].toSorted((a, b) => a.t - b.t);
}

/** Height of failures at least, as a share of the axis: one in a thousand is seen. */
const SEEN = 0.08;

/** Failed at the bottom, ok above. */
function requestLayers(rates: readonly Rate[], y: Axis, width: number): Layer[] {
  const heightOf = ({ failed }: Rate): number => (failed > 0 ? Math.max(failed, SEEN * y.to) : 0);
  const boxes = (of: (rate: Rate) => readonly [number, number]): Box[] =>
    rates.flatMap((rate) => {
      const [low, high] = of(rate);
      const [from, to] = [rate.t + 0.06 * width, rate.t + 0.94 * width];
      return high > low ? [{ x: [from, to], y: [low, Math.min(high, y.to)] }] : [];
    });
  const hasFailed = rates.some(({ failed }) => failed > 0);
  return [
    { kind: "boxes", name: "ok/s", colour: "s4", boxes: boxes((rate) => [heightOf(rate), heightOf(rate) + rate.ok]) },
    ...(hasFailed
      ? [{ kind: "boxes", name: "failed/s", colour: "bad", boxes: boxes((rate) => [0, heightOf(rate)]) } as const]
      : []),
  ];
}

/** Lines across what failed, which tell it from what is ok without colour. */
const HATCH = html`<pattern id="strip-failed" width="${SIZE}" height="125" patternUnits="userSpaceOnUse"><rect class="on" width="${SIZE}" height="125"/><rect class="line" width="${SIZE}" height="36"/></pattern>`;

const keyOf = ({ name, colour, kind }: Layer, index: number): Html =>
  html`<span class="key ${kind}${colour === "bad" ? " failed" : ""}" data-layer="${index}" style="--c:var(--${colour})">${name}</span>`;

interface Latency {
  readonly name: MetricName;
  readonly y: Axis;
  readonly layers: Layer[];
  /** Objectives on it whose bounds are within the axis. */
  readonly within: readonly Objective[];
  readonly caption: string;
  readonly rows: readonly (readonly [t: number, p50: number, p99: number])[];
}

/** The latency that the first objective on one is about, missed ones before others; else the one that represents the run. */
function latencyOf(run: RunResult, alike: readonly RunResult[]): Latency | undefined {
  const main = alike[0] && mainLatency(alike[0]);
  if (main === undefined) return undefined;
  const { name } = main;
  const drawn = alike.flatMap((each) => {
    const group = each.charts?.groups.find((one) => one.name === main.group.name);
    const series = group?.series[name];
    if (group === undefined || series === undefined || series.intervals.length === 0) return [];
    return [{ run: each, group, series, objectives: objectivesOf({ run: each, group, id: "" }, name) }];
  });
  const own = drawn.find((each) => each.run === run);
  if (own === undefined) return undefined;
  const { group, series, objectives } = own;
  const { unit } = metric(name);
  const intervals = drawn.flatMap((each) => each.series.intervals);
  const values = intervals.map(([, , , , p99]) => p99);
  const bounds = drawn.flatMap((each) => each.objectives);
  const round = latencyAxis({ ...series, intervals }, values, bounds, unit);
  const near = bounds.map(({ bound }) => bound).filter((bound) => bound <= round.to);
  const y = round.scale === "log" ? round : upTo([...values, ...near], unit);
  const beyond = objectives.filter(({ bound }) => bound > y.to).map(({ expr }) => expr);
  const isOneOfSeveral = (run.charts?.groups.length ?? 0) > 1;
  const what = `${titleOf(name)}${isOneOfSeveral ? ` of ${group.name}` : ""}, p50 to p99`;
  return {
    name,
    y,
    layers: [
      { kind: "band", name: "p50 to p99", colour: "s1", points: bandOf(series, halfOf(run), 2, 4) },
      {
        ...{ kind: "line", name: "p50", colour: "s1", thin: true },
        points: bandOf(series, halfOf(run), 2, 4).map((point) => (point === null ? [0, null] : [point[0], point[1]])),
      },
    ],
    within: objectives.filter(({ bound }) => bound <= y.to),
    caption: beyond.length === 0 ? what : `${what}; above the drawing: ${beyond.join(", ")}`,
    rows: series.intervals.map(([t, , p50, , p99]) => [t, p50, p99]),
  };
}

/** The latency that a run is about, and the group that it is drawn of. */
export function mainLatency(run: RunResult): (PlottedGroup & { readonly name: MetricName }) | undefined {
  const groups = run.charts?.groups ?? [];
  const having = (name: MetricName) => groups.filter(({ series }) => (series[name]?.intervals.length ?? 0) > 0);
  const isFor = (group: ChartGroup, name: MetricName, expr: string): boolean =>
    objectivesOf({ run, group, id: "" }, name).some((objective) => objective.expr === expr);
  for (const { metric: name, expr } of sloRows(run).map((row) => parseSlo(row.expr))) {
    const group = having(name).find((each) => isFor(each, name, expr));
    if (group !== undefined) return { run, group, id: "", name };
  }
  const name = headlineOf(run.metrics)?.name;
  const group = name && having(name)[0];
  return group && { run, group, id: "", name };
}

/** An axis from 0 to just above the largest value: the strip has no height to spare for a round end. */
function upTo(values: readonly number[], unit: string): Axis {
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  return { ...fromZero(values, unit), ...(most > 0 && { to: most * 1.05 }) };
}

const panel = (
  { base, share }: Panel,
  layers: readonly Layer[],
  x: Axis,
  y: Axis,
  objectives: readonly Objective[] = [],
): Html =>
  html`<g transform="translate(0 ${Math.round((1 - base - share) * SIZE)}) scale(1 ${share})">${layers.map((layer, index) => layerOf(layer, index, x, y))}${objectives.map(({ bound, missed }) => html`<path class="mark objective${missed ? " missed" : ""}" d="M0 ${((1 - placeOf(y, bound)) * SIZE).toFixed(1)}H${SIZE}"/>`)}</g>`;

/** Where a place on the axis of a panel is, as a style. */
const bottomOf = ({ base, share }: Panel, place: number): string => `bottom:${percent(base + share * place)}`;

/** The largest and, of latencies that begin above 0, the least labelled value. */
function scale(of: Panel, y: Axis): Html {
  const ticks = ticksOf(y);
  const [low, high] = [y.from > 0 ? ticks[0] : undefined, ticks.at(-1)];
  const least = low && html`<span class="least" style="${bottomOf(of, low.at)}">${low.label}</span>`;
  return html`${least}${high && html`<span style="${bottomOf(of, high.at)}">${high.label}</span>`}`;
}

/** Height of a label, as a share of the panel of the latency. */
const LABEL = 0.27;

/** The objectives at their lines, missed ones first; those that another one covers are left out. */
function boundLabels({ within, y }: Latency): Html {
  const shown: number[] = [];
  const labels = within
    .toSorted((a, b) => Number(b.missed) - Number(a.missed))
    .flatMap(({ expr, bound }) => {
      const place = placeOf(y, bound);
      if (shown.some((other) => Math.abs(other - place) < LABEL)) return [];
      shown.push(place);
      const side = place > 1 - LABEL ? " below" : "";
      return [html`<span class="label objective${side}" style="${bottomOf(LATENCY, place)}">${expr}</span>`];
    });
  return html`${labels}`;
}

function tableOf(rates: readonly Rate[], latency: Latency | undefined) {
  const own = new Map(latency?.rows.map(([t, ...values]) => [t, values] as const));
  const times = [...new Set([...rates.map(({ t }) => t), ...own.keys()])].toSorted((a, b) => a - b);
  const at = new Map(rates.map((rate) => [rate.t, rate] as const));
  return {
    head: ["from second", "ok /s", "failed /s", ...(latency === undefined ? [] : [`${latency.name} p50 ms`, "p99"])],
    rows: times.map((t) => [
      ...[t, at.get(t)?.ok ?? null, at.get(t)?.failed ?? null],
      ...(latency === undefined ? [] : (own.get(t) ?? [null, null])),
    ]),
  };
}

/** What the strip shows, for those who do not see it. */
function inWords(
  run: RunResult,
  rates: readonly Rate[],
  latency: Latency | undefined,
  marks: readonly StripMark[],
): string {
  const most = (of: (rate: Rate) => number): string => formatValue(Math.max(0, ...rates.map(of)), "1/s");
  const { from, to } = timesOf(run);
  const requests = `${formatSeconds(to - from)} of the run: up to ${most(({ ok }) => ok)} ok and ${most(({ failed }) => failed)} failed`;
  return [requests, ...(latency === undefined ? [] : [latencyInWords(latency)]), marksInWords(marks)].join("; ");
}

function latencyInWords({ name, rows, within }: Latency): string {
  const [low, high] = [Math.min(...rows.map(([, p50]) => p50)), Math.max(...rows.map(([, , p99]) => p99))];
  const bounds = within.map(({ expr, missed }) => ` (${expr} ${missed ? "missed" : "is the line"})`).join("");
  return `${titleOf(name)}, p50 to p99, from ${formatValue(low, "ms")} to ${formatValue(high, "ms")}${bounds}`;
}
