/** Prints the results of several runs: their median, smallest and largest value. */

import { cpus, loadavg } from "node:os";
import { print } from "../cli/console.mjs";
import { quantile } from "../reports/load/stats/quantiles.ts";
import { separateCores } from "./cpu-cores.ts";

export const say = (line: string): void => print(`${line}\n`);

/** The median by nearest rank: of two values, the smaller. */
export const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 500);

/** What `spread` prints of `count` runs, for a heading. */
export const runsLabel = (count: number): string => (count === 1 ? "1 run" : `${count} runs: median (min to max)`);

/** `1.25 (1.10 to 1.90)`: median, smallest and largest value; a single value alone. */
export function spread(values: readonly number[], decimals = 2): string {
  const text = (value: number): string =>
    value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const range = values.length < 2 ? "" : ` (${text(Math.min(...values))} to ${text(Math.max(...values))})`;
  return text(median(values)) + range;
}

/** The results of `count` runs, one after another; each is given its number, from 1. */
export async function repeat<T>(count: number, run: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let number = 1; number <= count; number += 1) results.push(await run(number));
  return results;
}

/** One line about the machine and what else runs on it. @param placement what has a core of its own */
export function machine(placement = "server and client on a core each"): string {
  const [cpu] = cpus();
  const cores = separateCores ? placement : "no taskset: all processes share the cores";
  return (
    `${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}; ${cores}; ` +
    `load average ${loadavg()[0]?.toFixed(2)} before the benchmark`
  );
}
