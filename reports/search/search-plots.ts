/** The plots of a search: latency over the load, and what the target served of it. */

import { loadOf, loadUnitOf, type SearchResult, type SearchStep } from "../../formats/search.ts";
import { formatNumber } from "../numbers.ts";
import type { LinkedDot, Mark, Plot, PlotColour } from "../page/plot.ts";
import { aroundLog, fromZero } from "../page/plot-axis.ts";
import { listedStatistics, shownLatency } from "./step-latency.ts";
import { curveSteps, loadOnCurve } from "./step-rows.ts";

/** Of the statistics of the latency, in their order. */
const COLOURS: readonly PlotColour[] = ["s1", "s2", "s3", "s5"];

/** What the dots of a plot mean. */
const dotsInWords = ({ steps, unit }: SearchResult): string => {
  const alone = steps.some((step) => isAlone(step, unit)) ? "; off the line: one user alone" : "";
  return `a dot is a run, and leads to its report: filled where it met the objectives${alone}`;
};

/** Every plot that the search has data for. */
export function searchPlots(search: SearchResult): Plot[] {
  const steps = curveSteps(search);
  return [latency(search, steps), served(search, steps)].filter((plot) => plot !== undefined);
}

/** A figure of each run that has it, over the load. */
interface Curve {
  readonly name: string;
  readonly colour: PlotColour;
  readonly of: (step: SearchStep) => number | undefined;
}

const dotsOf = ({ unit }: SearchResult, steps: readonly SearchStep[], { name, colour, of }: Curve): LinkedDot[] =>
  steps.flatMap((step) => {
    const [x, y] = [loadOnCurve(step, unit), of(step)];
    if (y === undefined) return [];
    const alone = isAlone(step, unit) ? ", one user alone" : "";
    const text = `${step.run}, ${step.verdict}: ${name} ${formatNumber(y)} at ${formatNumber(x)}${alone}`;
    return [{ x, y, href: `${step.run}/run.html`, text, colour, hollow: step.verdict !== "met" }];
  });

/** Whether a run of a search for a rate is of one user, who sends no faster than the target serves: no load of its curve. */
const isAlone = (step: SearchStep, unit: SearchResult["unit"]): boolean => loadUnitOf(step) !== unit;

/** A line and its runs for each curve, if a run has any of them; the axis begins at no load. */
function plotOf(
  search: SearchResult,
  all: readonly SearchStep[],
  about: Pick<Plot, "name" | "title" | "caption"> & { readonly yOf: (values: number[]) => Plot["y"] },
  curves: readonly Curve[],
): Plot | undefined {
  const { yOf, ...texts } = about;
  const onCurve = all.filter((step) => !isAlone(step, search.unit));
  const drawn = curves.map((curve) => ({ ...curve, places: dotsOf(search, all, curve) }));
  const dots = drawn.flatMap(({ places }) => places);
  if (dots.length === 0) return undefined;
  const [unit, head] = search.unit === "vus" ? ["users", "users"] : ["/s", "arrivals /s"];
  const steps = all.filter((step) => curves.some(({ of }) => of(step) !== undefined));
  return {
    ...texts,
    x: fromZero(
      dots.map(({ x }) => x),
      unit,
    ),
    y: yOf(dots.map(({ y }) => y)),
    layers: drawn
      .filter(({ places }) => places.length > 0)
      .map((curve) => ({
        ...{ kind: "line", name: curve.name, colour: curve.colour },
        points: dotsOf(search, onCurve, curve).map(({ x, y }) => [x, y]),
      })),
    marks: foundMark(search),
    dots,
    dotsName: "",
    table: {
      head: [head, ...curves.map(({ name }) => name), "verdict", "run"],
      rows: steps.map((step) => [
        loadOnCurve(step, search.unit),
        ...curves.map(({ of }) => of(step) ?? null),
        step.verdict,
        step.run,
      ]),
    },
  };
}

const foundMark = ({ found }: SearchResult): Mark[] =>
  found === null ? [] : [{ kind: "x", at: loadOf(found), label: "found", missed: false }];

function latency(search: SearchResult, steps: readonly SearchStep[]): Plot | undefined {
  const shown = shownLatency(search);
  if (shown === undefined) return undefined;
  const about = {
    name: "latency-load",
    title: "Latency over the load",
    caption: `${shown.name}, ms, logarithmic; ${dotsInWords(search)}`,
    yOf: (values: number[]) => aroundLog(values, "ms"),
  };
  const curves = listedStatistics(search).map(({ statistic, label }, index) => ({
    name: label,
    colour: COLOURS[index] ?? "s1",
    of: ({ latency: of }: SearchStep) => of?.[statistic],
  }));
  return plotOf(search, steps, about, curves);
}

function served(search: SearchResult, steps: readonly SearchStep[]): Plot | undefined {
  const about = {
    name: "served-load",
    title: "Throughput over the load",
    caption: `requests with the outcome ok per second; ${dotsInWords(search)}`,
    yOf: (values: number[]) => fromZero(values, "/s"),
  };
  const plot = plotOf(search, steps, about, [{ name: "served", colour: "s1", of: ({ throughput }) => throughput }]);
  if (plot === undefined || search.unit !== "rate") return plot;
  const end = Math.min(plot.x.to, plot.y.to);
  const offered = { kind: "line", name: "all that was offered", colour: "s6", thin: true } as const;
  return {
    ...plot,
    layers: [
      ...plot.layers,
      {
        ...offered,
        points: [
          [0, 0],
          [end, end],
        ],
      },
    ],
  };
}
