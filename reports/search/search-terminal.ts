/** A search for a terminal: the verdict first, then the latency over the load, then every run. */

import pc from "picocolors";
import type { SearchResult, SearchStep } from "../../formats/search.ts";
import { plainLine } from "../../lib/text.ts";
import { formatFigure } from "../numbers.ts";
import { type Colours, columns, joinSections, lyingBar, paint, type TerminalOptions } from "../terminal-text.ts";
import { wouldGoOn } from "./conclude-search.ts";
import { shownFigure, shownLatency } from "./step-latency.ts";
import {
  curveSteps,
  STEP_TONES,
  searchFacts,
  searchVerdict,
  stepCells,
  stepColumns,
  stepLoad,
  stepRemark,
} from "./step-rows.ts";

interface Options extends TerminalOptions {
  /** The result folder, for what to do next. */
  readonly folder: string;
}

/** A search as lines of text, ending with a line end. */
export function searchTerminal(search: SearchResult, { colour, folder }: Options): string {
  const c = pc.createColors(colour);
  const { word, tone } = searchVerdict(search);
  return joinSections([
    [
      `${paint(tone, c)(c.bold(word))}  ${plainLine(search.conclusion)}`,
      ...(wouldGoOn(search) ? [c.dim(`  to go on: repeat its command with --resume ${folder}`)] : []),
    ],
    columns(searchFacts(search).map(([name, text]) => [`  ${name}`, plainLine(text)])).map((line) => c.dim(line)),
    plot(search, c),
    runs(search, c),
  ]);
}

/** Widest bar, in characters. */
const WIDTH = 40;

/**
 * The statistic of the latency that an objective names as a bar per run, by load; on a logarithmic scale, since a target that is
 * overloaded takes far longer. A run with too few samples for it shows its median, and says so.
 */
function plot(search: SearchResult, c: Colours): string[] {
  const shown = shownLatency(search);
  if (shown === undefined) return [];
  const points = curveSteps(search).flatMap((step) => {
    const figure = shownFigure(step, shown.statistic);
    return figure === undefined || figure.ms <= 0 ? [] : [{ step, ...figure }];
  });
  if (points.length < 2) return [];
  const least = Math.min(...points.map(({ ms }) => ms)) / 2;
  const most = Math.max(...points.map(({ ms }) => ms));
  const bar = (ms: number): string => lyingBar(Math.log(ms / least) / Math.log(most / least), WIDTH);
  const rows = points.map(({ step, ms, label }) => [
    `  ${stepLoad(step)}`,
    label === shown.label ? formatFigure(ms) : `${label} ${formatFigure(ms)}`,
    bar(ms),
  ]);
  const lines = columns(rows, new Set([0, 1]));
  return [
    c.dim(`  ${shown.name} ${shown.label} in ms over the load, logarithmic`),
    ...lines.map((line, index) => paint(STEP_TONES[points[index]?.step.verdict ?? "met"], c)(line)),
  ];
}

function runs(search: SearchResult, c: Colours): string[] {
  const { steps } = search;
  if (steps.length === 0) return [];
  const named = stepColumns(search);
  const head = ["  run", ...named, "verdict", ""];
  const rows = steps.map((step) => [
    `  ${step.run}`,
    ...stepCells(step, search),
    step.verdict,
    plainLine(stepRemark(step)),
  ]);
  const [first = "", ...lines] = columns(
    [head, ...rows],
    new Set([...named.keys()].map((index) => index + 1).filter((index) => index !== 2)),
  );
  return [c.dim(first), ...lines.map((line, index) => paint(STEP_TONES[steps[index]?.verdict ?? "met"], c)(line))];
}

/** A run in one line, as soon as it has ended: `met  20/s  ttft_scheduled p95 210.3 ms`. */
export function stepLine(step: SearchStep): string {
  const { verdict, latency } = step;
  const figure = shownFigure(step, latency?.statistic ?? "p95");
  const parts = [
    `  ${verdict}`,
    stepLoad(step),
    ...(latency === undefined || figure === undefined
      ? []
      : [`${latency.name} ${figure.label} ${formatFigure(figure.ms)} ms`]),
    ...(stepRemark(step) === "" ? [] : [`(${plainLine(stepRemark(step))})`]),
  ];
  return parts.join("  ");
}
