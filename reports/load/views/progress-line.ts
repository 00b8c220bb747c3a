/** One line about a running load. */

import { clientLine } from "../../../formats/client.ts";
import { parseJson } from "../../../lib/json.ts";
import { plural } from "../../numbers.ts";

/**
 * A progress line from a line of `client.jsonl`, such as
 * ` 12s / 35s   240 started   238 ok   2 in flight   ttft p50 101 ms   0 errors`.
 * @param plannedSeconds length of warm-up and measured window
 * @returns an empty string for a line that cannot be read: it may be half written
 */
export function loadProgress(line: string, plannedSeconds: number): string {
  const parsed = clientLine.safeParse(parseJson(line));
  if (!parsed.success) return "";
  const { t, started, completed, ok, open, ttft_p50_ms, e2e_p50_ms } = parsed.data;
  const planned = `${Math.round(plannedSeconds)}s`;
  const latency = ttft_p50_ms === undefined ? ["e2e", e2e_p50_ms] : ["ttft", ttft_p50_ms];
  const parts = [
    `${`${Math.round(t)}s`.padStart(planned.length + 1)} / ${planned}`,
    `${started.warmup + started.measure} started`,
    ...(ok === undefined ? [] : [`${ok} ok`]),
    ...(open === undefined ? [] : [`${open} in flight`]),
    ...(latency[1] === undefined ? [] : [`${latency[0]} p50 ${Math.round(Number(latency[1]))} ms`]),
    ...(completed === undefined || ok === undefined ? [] : [plural(completed - ok, "error")]),
  ];
  return parts.join("   ");
}
