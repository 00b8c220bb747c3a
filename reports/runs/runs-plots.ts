/** The curves of several runs, as data for plots: latency over throughput, and goodput over cost. */

import type { ComparedRun, RunsResult } from "../../formats/runs.ts";
import { formatNumber } from "../numbers.ts";
import type { BandPoint, Layer, LinkedDot, Plot, PlotColour, Point } from "../page/plot.ts";
import { aroundLog, fromZero } from "../page/plot-axis.ts";

const COLOURS: readonly PlotColour[] = ["s1", "s2", "s3", "s4", "s5", "s6"];
/** A larger range is drawn logarithmically. */
const WIDE = 20;

/** A run where it is drawn. */
interface Place {
  readonly run: ComparedRun;
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

interface Curve {
  readonly name: string;
  readonly colour: PlotColour;
  readonly places: readonly Place[];
}

/** Every plot that the runs have data for. */
export function runsPlots(result: RunsResult): Plot[] {
  return [latencyPlot(result), costPlot(result)].filter((plot) => plot !== undefined);
}

function curvesOf(
  { curves, runs }: RunsResult,
  placeOf: (run: ComparedRun) => Omit<Place, "run"> | undefined,
): Curve[] {
  return curves
    .map(({ name, runs: dirs }, index) => ({
      name: name === "" ? "all runs" : name,
      colour: COLOURS[index % COLOURS.length] ?? "s1",
      places: dirs.flatMap((dir) => {
        const run = runs.find((each) => each.dir === dir);
        const place = run && placeOf(run);
        return run === undefined || place === undefined ? [] : [{ run, ...place }];
      }),
    }))
    .filter(({ places }) => places.length > 0);
}

/** As many curves as there are colours: a caption says that others are in the table of the page only. */
const undrawn = (curves: readonly Curve[]): string =>
  curves.length <= COLOURS.length
    ? ""
    : `; ${COLOURS.length} of ${curves.length} sets are drawn, and the table has all`;

function latencyPlot(result: RunsResult): Plot | undefined {
  const rate = result.runs.some(({ figures }) => figures["requests_per_s"] !== undefined)
    ? "requests_per_s"
    : "tasks_per_s";
  const curves = curvesOf(result, ({ figures, latency }) => {
    const x = figures[rate];
    return x === undefined || latency === undefined
      ? undefined
      : { x, y: latency.value, low: latency.low, high: latency.high };
  });
  if (curves.length === 0) return undefined;
  const name = (result.latency ?? "").replace(/_(p\d+)$/, " $1");
  const values = curves.flatMap(({ places }) => places.flatMap(({ y, low = y, high = y }) => [low, y, high]));
  const isWide = Math.max(...values) > WIDE * Math.min(...values);
  return {
    name: "latency",
    title: "Throughput against latency",
    caption: `${name} in ms${isWide ? ", logarithmic" : ""}, over ${rate === "tasks_per_s" ? "completed tasks" : "ok requests"} per second; a line per set of runs that differ in rate or users only; band: the error of each run, by chance and its load generator; a point leads to its run${undrawn(curves)}`,
    x: fromZero(xOf(curves), "/s"),
    y: isWide ? aroundLog(values, "ms") : fromZero(values, "ms"),
    ...drawn(curves),
    table: tableOf(result, curves, [rate, `${name} ms`, "at least", "at most"], ({ y, low, high }) => [
      y,
      low ?? null,
      high ?? null,
    ]),
  };
}

function costPlot(result: RunsResult): Plot | undefined {
  const isGood = result.runs.some(({ figures }) => figures["cost_per_1000_good"] !== undefined);
  const [cost, of, factor] = isGood
    ? (["cost_per_1000_good", "goodput", 1] as const)
    : (["cost_per_ok", "requests_per_s", 1_000] as const);
  const curves = curvesOf(result, ({ figures }) => {
    const [x, y] = [figures[cost], figures[of]];
    return x === undefined || y === undefined ? undefined : { x: x * factor, y };
  });
  if (curves.length === 0) return undefined;
  const { currency = "" } = result;
  const word = isGood ? "good" : "ok";
  return {
    name: "cost",
    title: isGood ? "Goodput against cost" : "Throughput against cost",
    caption: `${word} requests per second, over the cost of 1,000 ${word} requests${currency === "" ? "" : ` in ${currency}`}; upper left is better; a point leads to its run${undrawn(curves)}`,
    x: fromZero(xOf(curves), ""),
    y: fromZero(
      curves.flatMap(({ places }) => places.map(({ y }) => y)),
      "/s",
    ),
    ...drawn(curves),
    table: tableOf(result, curves, [`cost per 1,000 ${word}`, `${of} /s`], ({ y }) => [y]),
  };
}

const xOf = (curves: readonly Curve[]): number[] => curves.flatMap(({ places }) => places.map(({ x }) => x));

/** Bands behind lines, and a point per run. */
function drawn(all: readonly Curve[]): Pick<Plot, "layers" | "dots" | "dotsName"> {
  const curves = all.slice(0, COLOURS.length);
  const bands = curves
    .filter(({ places }) => places.some(({ low, high }) => low !== undefined || high !== undefined))
    .map(({ colour, places }): Layer => {
      const points = places.map(({ x, y, low = y, high = y }): BandPoint => [x, low, high]);
      return { kind: "band", name: "", colour, points };
    });
  const lines = curves.map(({ name, colour, places }): Layer => {
    return { kind: "line", name, colour, thin: true, points: places.map(({ x, y }): Point => [x, y]) };
  });
  const dots = curves.flatMap(({ name, colour, places }) =>
    places.map(({ run: { dir }, x, y }): LinkedDot => {
      return { x, y, href: `${dir}/run.html`, text: `${dir}, ${name}: ${formatNumber(x)}, ${formatNumber(y)}`, colour };
    }),
  );
  return { layers: [...bands, ...lines], dots, dotsName: "" };
}

/** A row per point: what the pointer shows. */
function tableOf(
  { settings }: RunsResult,
  curves: readonly Curve[],
  [x = "", ...others]: readonly string[],
  cellsOf: (place: Place) => readonly (number | null)[],
): Plot["table"] {
  return {
    head: [x, ...others, "run", ...settings],
    rows: curves.flatMap(({ places }) =>
      places.map((place) => [
        place.x,
        ...cellsOf(place),
        place.run.dir,
        ...settings.map((name) => place.run.settings[name] ?? ""),
      ]),
    ),
  };
}
