/** Sides of a comparison from made-up runs: the same for the same options. */

import type { RequestRecord } from "../../../formats/records.ts";
import { draw } from "../../../load/inputs/random.ts";
import type { SideRun } from "../../../reports/compare/side-samples.ts";
import { DEFAULT_SLOS } from "../../../settings/load/load-table.ts";
import { makeRun, type RunOptions } from "./load-run.ts";
import { analyzeOpen } from "./summarize-shards.ts";

/** The lines of a run. */
interface Lines {
  readonly records: readonly string[];
  readonly client: readonly string[];
}

const read = new Map<string, ReturnType<typeof analyzeOpen>>();

/** Reads a run as a comparison does: the same lines once. */
export async function comparedRun(
  lines: Lines,
  slos: readonly string[] = DEFAULT_SLOS,
  folder = "run",
): Promise<SideRun> {
  const input = { target: "http://t", scenario: "chat-stream", shape: "20/s", tool: "assay", slos, shards: [lines] };
  const key = JSON.stringify(input);
  const analyzed = read.get(key) ?? analyzeOpen(input);
  read.set(key, analyzed);
  return { folder, ...(await analyzed) };
}

/** Latencies vary by 10% either way, by a seed. */
export function varied(seed: number, slower = 1): NonNullable<RunOptions["change"]> {
  return (record, index): RequestRecord => {
    const factor = slower * (0.9 + 0.2 * draw(seed, index, "latency"));
    const scaled = (ms: number | undefined) => (ms === undefined ? undefined : Number((ms * factor).toFixed(3)));
    const { ttft = 0, ttft_scheduled = 0, e2e = 0, e2e_scheduled = 0, gaps_us = [] } = record;
    return {
      ...record,
      arrival: index,
      ttft: scaled(ttft),
      ttft_scheduled: scaled(ttft_scheduled),
      e2e: scaled(e2e),
      e2e_scheduled: scaled(e2e_scheduled),
      gaps_us: gaps_us.map((gap) => Math.round(gap * factor)),
    };
  };
}

/** A run whose latencies vary by a seed; `slower` multiplies them. */
export const variedRun = (seed: number, slower = 1, options: RunOptions = {}): Lines =>
  makeRun({ change: varied(seed, slower), ...options });

/** The same run, of which the last arrivals never started. */
export function neverStarted({ records, client }: Lines, count: number): Lines {
  const never = records.slice(-count).map((line) => {
    const { arrival: index, phase, scheduled } = JSON.parse(line);
    return JSON.stringify({ arrival: { index, phase, scheduled, end: "not_started" } });
  });
  const counted = client.map((line) => {
    const { started, records: written, ...rest } = JSON.parse(line);
    const measure = written === undefined ? started.measure : started.measure - count;
    return JSON.stringify({ ...rest, started: { ...started, measure }, ...(written && { records: written - count }) });
  });
  return { records: [...records.slice(0, -count), ...never], client: counted };
}
