/** A search for a terminal: the verdict first, then the latency over the load, then every run. */

import pc from "picocolors";
import { loadOf, type SearchResult, type SearchStep } from "../../formats/search.ts";
import { plainLine } from "../../lib/text.ts";
import { formatFigure } from "../numbers.ts";
import { type Colours, columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { formatLoad } from "./load-text.ts";
import {
  curveSteps,
  latencyName,
  STEP_COLUMNS,
  STEP_TONES,
  searchFacts,
  searchVerdict,
  stepCells,
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
      ...(search.found === null && search.exitCode === 2
        ? [c.dim(`  to go on: repeat its command with --resume ${folder}`)]
        : []),
    ],
    columns(searchFacts(search).map(([name, text]) => [`  ${name}`, plainLine(text)])).map((line) => c.dim(line)),
    plot(search, c),
    runs(search, c),
  ]);
}

/** Widest bar, in characters. */
const WIDTH = 40;
/** Eighths of a character. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** The p95 of the latency as a bar per run, by load; on a logarithmic scale, since a target that is overloaded takes far longer. */
function plot(search: SearchResult, c: Colours): string[] {
  const points = curveSteps(search).flatMap((step) => {
    const ms = step.latency?.p95 ?? step.latency?.p50;
    return ms === undefined || ms <= 0 ? [] : [{ step, ms }];
  });
  if (points.length < 2) return [];
  const least = Math.min(...points.map(({ ms }) => ms)) / 2;
  const most = Math.max(...points.map(({ ms }) => ms));
  const bar = (ms: number): string => {
    const eighths = Math.round((Math.log(ms / least) / Math.log(most / least)) * WIDTH * 8);
    return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
  };
  const rows = points.map(({ step, ms }) => [`  ${formatLoad(loadOf(step), search.unit)}`, formatFigure(ms), bar(ms)]);
  const lines = columns(rows, new Set([0, 1]));
  return [
    c.dim(`  ${latencyName(search)} p95 in ms over the load, logarithmic`),
    ...lines.map((line, index) => paint(STEP_TONES[points[index]?.step.verdict ?? "met"], c)(line)),
  ];
}

function runs({ steps, unit }: SearchResult, c: Colours): string[] {
  if (steps.length === 0) return [];
  const head = ["  run", ...STEP_COLUMNS, "verdict", ""];
  const rows = steps.map((step) => [
    `  ${step.run}`,
    ...stepCells(step, unit),
    step.verdict,
    plainLine(stepRemark(step)),
  ]);
  const [first = "", ...lines] = columns([head, ...rows], new Set([1, 3, 4, 5, 6, 7, 8]));
  return [c.dim(first), ...lines.map((line, index) => paint(STEP_TONES[steps[index]?.verdict ?? "met"], c)(line))];
}

/** A run in one line, as soon as it has ended: `met  20/s  ttft_scheduled p95 210.3 ms`. */
export function stepLine(step: SearchStep, unit: SearchResult["unit"]): string {
  const { verdict, latency } = step;
  const p95 = latency?.p95 ?? latency?.p50;
  const parts = [
    `  ${verdict}`,
    formatLoad(loadOf(step), unit),
    ...(latency === undefined || p95 === undefined
      ? []
      : [`${latency.name} ${latency.p95 === undefined ? "p50" : "p95"} ${formatFigure(p95)} ms`]),
    ...(stepRemark(step) === "" ? [] : [`(${plainLine(stepRemark(step))})`]),
  ];
  return parts.join("  ");
}
