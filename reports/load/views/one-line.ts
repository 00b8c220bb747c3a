/** A load run in one line, for a command that runs several. */

import pc from "picocolors";
import type { MetricResult, RunResult } from "../../../formats/run.ts";
import { plainLine } from "../../../lib/text.ts";
import { formatShare, formatValue, plural } from "../../numbers.ts";
import { paint, type TerminalOptions } from "../../terminal-text.ts";
import { runVerdict } from "../../verdict-words.ts";
import { failureLine } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { NOT_MEASURED, TOO_FEW } from "./table-rows.ts";

/** The latencies that represent a run: the first that it has. */
const HEADLINE = ["ttft", "e2e", "video_work"] as const;

/**
 * A run such as `PASSED  chat-stream  20/s constant for 30s  ttft p50 101.0 ms (n = 600)  error rate 0% of 600 requests`,
 * without a line end. The most frequent failure follows, such as `401 unauthorized ×20: …`. What kept it from passing follows in parentheses.
 */
export function loadLine(run: RunResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(run);
  const coloured = paint(tone, c);
  const { completed, not_started } = run.counts;
  const errors = run.metrics["error_rate"]?.value;
  const parts = [
    coloured(c.bold(word)),
    plainLine(run.scenario),
    c.dim(plainLine(run.shape)),
    headlineLatency(run),
    `error rate ${errors === undefined ? NOT_MEASURED : formatShare(errors)} of ${plural(completed + not_started, "request")}`,
    ...notesOf(run).map((note) => c.dim(note)),
    ...run.failures.slice(0, 1).map((failure) => plainLine(failureLine(failure))),
    ...(run.stock ? [c.dim(`k6 without Assay's extension`)] : []),
    ...(run.exitCode === 0 ? [] : [coloured(`(${plainLine([run.conclusion, ...run.validity.reasons].join("; "))})`)]),
  ];
  return parts.join("  ");
}

/** The latency that represents a run, with its number of samples: `ttft p50 101.0 ms (n = 600)`. */
export function headlineLatency({ metrics, ops }: Pick<RunResult, "metrics" | "ops">): string {
  const blind = "chat.stream" in ops && metrics["ttft"] === undefined;
  const rest = nextLatency(metrics);
  return blind ? `ttft ${NOT_MEASURED}, ${rest}` : rest;
}

function nextLatency(metrics: RunResult["metrics"]): string {
  const name = HEADLINE.find((candidate) => metrics[candidate] !== undefined);
  const result = name === undefined ? undefined : metrics[name];
  return name === undefined || result === undefined ? `latency ${NOT_MEASURED}` : `${name} ${median(result)}`;
}

const median = ({ p50, count, mean }: MetricResult): string => {
  if (p50 !== undefined) return `p50 ${formatValue(p50, "ms")} (n = ${count})`;
  return mean === undefined ? `p50 ${TOO_FEW} (n = ${count})` : `mean ${formatValue(mean, "ms")} (n = ${count})`;
};
