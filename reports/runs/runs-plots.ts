/** The curves of several runs, as data for plots: latency over throughput, and goodput over cost. */

import type { ComparedRun, RunsResult } from "../../formats/runs.ts";
import { formatNumber } from "../numbers.ts";
import type { Layer, Plot, PlotColour } from "../page/plot.ts";
import { type Axis, aroundLog, fromZero } from "../page/plot-axis.ts";

/** As many curves are drawn: a caption says that others are in the table of the page only. */
const COLOURS: readonly PlotColour[] = ["s1", "s2", "s3", "s4", "s5", "s6"];
/** A larger range is drawn logarithmically. */
const WIDE = 20;

/** Where a run is drawn. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** What is drawn as one line. */
interface Curve {
  readonly name: string;
  /** Each with its folder, its page in there, and its settings in the order of the table. */
  readonly places: readonly (Place & {
    readonly dir: string;
    readonly page: string;
    readonly settings: readonly string[];
  })[];
}

/** Every plot that the runs have data for. */
export function runsPlots(result: RunsResult): Plot[] {
  return [latencyPlot(result), costPlot(result)].filter((plot) => plot !== undefined);
}

function latencyPlot(result: RunsResult): Plot | undefined {
  const name = (result.latency ?? "").replace(/_(p\d+)$/, " $1");
  const about = {
    name: "latency",
    title: "Throughput against latency",
    caption: `${name} in ms, over ok requests per second; a line per set of runs that differ in rate or users only; band: the error of each run, by chance and its load generator; a point leads to its run`,
    units: ["/s", "ms"],
    head: ["requests_per_s", `${name} ms`, "at least", "at most"],
  } as const;
  return plotOf(result, about, ({ figures: { requests_per_s: x }, latency }) =>
    x === undefined || latency === undefined ? undefined : { x, y: latency.value, ...latency },
  );
}

function costPlot(result: RunsResult): Plot | undefined {
  const isGood = result.runs.some(({ figures }) => figures["cost_per_1000_good"] !== undefined);
  const [of, word] = isGood ? (["goodput", "good"] as const) : (["requests_per_s", "ok"] as const);
  const about = {
    name: "cost",
    title: isGood ? "Goodput against cost" : "Throughput against cost",
    caption: `${word} requests per second, over the cost of 1,000 ${word} requests${result.currency === undefined ? "" : ` in ${result.currency}`}; upper left is better; a point leads to its run`,
    units: ["", "/s"],
    head: [`cost per 1,000 ${word}`, `${of} /s`],
  } as const;
  return plotOf(result, about, ({ figures: { cost_per_1000_good: good, cost_per_ok: ok = Number.NaN, [of]: y } }) => {
    const x = isGood ? good : 1_000 * ok;
    return x === undefined || y === undefined || Number.isNaN(x) ? undefined : { x, y };
  });
}

interface About extends Pick<Plot, "name" | "title" | "caption"> {
  readonly units: readonly [x: string, y: string];
  /** Of the table: what is drawn across, upwards, and the bounds of that where it has such. */
  readonly head: readonly string[];
}

/** From zero, or logarithmic where the values are far from each other. */
function axisOf(values: readonly number[], unit: string): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0 && most > WIDE * least ? aroundLog(values, unit) : fromZero(values, unit);
}

const bandOf = (places: readonly Place[], colour: PlotColour): Layer => ({
  ...{ kind: "band", name: "", colour },
  points: places.map(({ x, y, low = y, high = y }) => [x, low, high] as const),
});

function plotOf(result: RunsResult, about: About, placeOf: (run: ComparedRun) => Place | undefined): Plot | undefined {
  const curves = result.curves.map(({ name, runs }) => ({
    name: name === "" ? "all runs" : name,
    places: runs.flatMap((dir) => {
      const run = result.runs.find((each) => each.dir === dir);
      const place = run && placeOf(run);
      if (run === undefined || place === undefined) return [];
      const settings = result.settings.map((setting) => String(run.settings[setting] ?? ""));
      return [{ ...place, dir, page: "run.html", settings }];
    }),
  }));
  return curvesPlot({ ...about, more: ["run", ...result.settings] }, curves);
}

/** A line per curve, and a point of it for each place, which leads to its page; undefined when there is no place. */
export function curvesPlot(
  { units, head, more, caption, ...about }: About & { readonly more: readonly string[] },
  given: readonly Curve[],
): Plot | undefined {
  const all = given.filter(({ places }) => places.length > 0);
  if (all.length === 0) return undefined;
  const curves = all.slice(0, COLOURS.length).map((curve, index) => ({ ...curve, colour: COLOURS[index] ?? "s1" }));
  const places = all.flatMap((curve) => curve.places);
  const values = places.flatMap(({ y, low = y, high = y }) => [low, y, high]);
  const layers = curves.flatMap(({ name, colour, places: own }): Layer[] => [
    ...(head.length === 2 ? [] : [bandOf(own, colour)]),
    { kind: "line", name, colour, thin: true, points: own.map(({ x, y }) => [x, y] as const) },
  ]);
  const undrawn = all.length > curves.length ? `; ${curves.length} of ${all.length} sets are drawn` : "";
  return {
    ...about,
    caption: `${caption}${undrawn}`,
    x: axisOf(
      places.map(({ x }) => x),
      units[0],
    ),
    y: axisOf(values, units[1]),
    layers,
    dots: curves.flatMap(({ name, colour, places: own }) =>
      own.map(({ dir, page, x, y }) => {
        const text = `${dir}, ${name}: ${formatNumber(x)}${units[0]}, ${formatNumber(y)}${units[1]}`;
        return { x, y, href: `${dir}/${page}`, text, colour };
      }),
    ),
    dotsName: "",
    table: {
      head: [...head, ...more],
      rows: places.map(({ dir, settings, x, y, low = null, high = null }) => [
        ...[x, y, low, high].slice(0, head.length),
        dir,
        ...settings,
      ]),
    },
  };
}
