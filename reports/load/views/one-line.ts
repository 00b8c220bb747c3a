/** A load run in one line, for a command that runs several, with its remarks below. */

import pc from "picocolors";
import type { RunResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { plainLine } from "../../../lib/text.ts";
import { formatNumber, formatShare, formatValue } from "../../numbers.ts";
import { paint, type TerminalOptions } from "../../terminal-text.ts";
import { runVerdict } from "../../verdict-words.ts";
import { failureLine } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { headlineOf, NOT_MEASURED, TOO_FEW, units } from "./table-rows.ts";

/**
 * A run such as `PASSED  chat-stream  20/s constant for 30s  ttft_scheduled p50 101.0 ms (n = 600)  error rate 0% of 600 units of work`,
 * without a line end. What kept it from passing follows in parentheses, and the most frequent failure, such as `401 unauthorized ×20: …`. Each
 * remark has a line of its own.
 */
export function loadLine(run: RunResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(run);
  const coloured = paint(tone, c);
  const errors = run.metrics["error_rate"]?.value;
  const parts = [
    coloured(c.bold(word)),
    plainLine(run.scenario),
    c.dim(plainLine(run.shape)),
    headlineLatency(run),
    `error rate ${errors === undefined ? NOT_MEASURED : formatShare(errors)} of ${units(run.metrics["error_rate"]?.count ?? run.counts.offered)}`,
    ...(run.exitCode === 0 ? [] : [coloured(`(${plainLine([run.conclusion, ...run.validity.reasons].join("; "))})`)]),
    ...run.failures.slice(0, 1).map((failure) => plainLine(failureLine(failure))),
  ];
  return [parts.join("  "), ...notesOf(run).map((note) => c.dim(`  ${plainLine(note)}`))].join("\n");
}

/** The latency that represents a run, with its number of samples: `ttft_scheduled p50 101.0 ms (n = 600)`. */
export function headlineLatency({ metrics, ops }: Pick<RunResult, "metrics" | "ops">): string {
  const blind = "chat.stream" in ops && metrics["ttft"] === undefined;
  const rest = nextLatency(metrics);
  return blind ? `ttft ${NOT_MEASURED}, ${rest}` : rest;
}

function nextLatency(metrics: RunResult["metrics"]): string {
  const headline = headlineOf(metrics);
  return headline === undefined ? `latency ${NOT_MEASURED}` : `${headline.name} ${median(headline.result)}`;
}

function median({ p50, count, mean, atLeast }: MetricResult): string {
  const n = `(n = ${formatNumber(count)})`;
  if (p50 !== undefined && atLeast?.p50 !== undefined) {
    return `p50 ${formatValue(atLeast.p50, "ms")} to ${formatValue(p50, "ms")} ${n}`;
  }
  if (p50 !== undefined) return `p50 ${formatValue(p50, "ms")} ${n}`;
  if (atLeast?.p50 !== undefined) return `p50 more than ${formatValue(atLeast.p50, "ms")} ${n}`;
  return mean === undefined ? `p50 ${TOO_FEW} ${n}` : `mean ${formatValue(mean, "ms")} ${n}`;
}
