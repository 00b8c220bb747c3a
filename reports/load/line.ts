/** A load run in one line, for a list of several. */

import pc from "picocolors";
import { formatValue } from "../format.ts";
import { plainLine } from "../text.ts";
import type { RunResult } from "./result.ts";
import { runVerdict } from "./rows.ts";

/** Medians of which the first that was measured stands for the run. */
const LATENCIES = ["ttft", "e2e", "video_work"];

/** Such as `PASSED  chat-stream  20/s constant for 8s   ttft p50 21.0 ms   20 /s   0 % errors`. */
export function loadLine(run: RunResult, { colour }: { readonly colour: boolean }): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(run);
  const paint = { good: c.green, bad: c.red, unsure: c.yellow }[tone];
  const latency = LATENCIES.find((name) => run.metrics[name]?.p50 !== undefined);
  const median = latency === undefined ? undefined : run.metrics[latency]?.p50;
  const rate = run.metrics["requests_per_s"]?.value;
  const errors = run.metrics["error_rate"]?.value;
  const figures = [
    ...(median === undefined ? [] : [`${latency} p50 ${formatValue(median, "ms")}`]),
    ...(rate === undefined ? [] : [formatValue(rate, "1/s")]),
    ...(errors === undefined ? [] : [`${formatValue(errors, "share")} errors`]),
  ];
  return `${paint(c.bold(word))}  ${plainLine(run.scenario).padEnd(12)}  ${c.dim(plainLine(run.shape))}  ${figures.join("  ")}`;
}
