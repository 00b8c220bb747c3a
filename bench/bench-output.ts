/** How figures of several runs are told: the middle one and the two at the ends. */

import { cpus, loadavg } from "node:os";
import { apart } from "./cpu-cores.ts";

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** The middle one of some values, the lower of two. */
export const median = (values: readonly number[]): number => {
  const sorted = ascending(values);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
};

/** `1.25 (1.10 to 1.90)`: the middle one of some values, the smallest and the largest. */
export function spread(values: readonly number[], decimals = 2): string {
  const sorted = ascending(values);
  const text = (value: number | undefined): string =>
    (value ?? Number.NaN).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  if (sorted.length < 2) return text(sorted[0]);
  return `${text(median(sorted))} (${text(sorted[0])} to ${text(sorted.at(-1))})`;
}

/** The machine in a line, and what else runs on it. */
export function machine(): string {
  const [cpu] = cpus();
  const cores = apart ? "server and client on a core each" : "no taskset: server and client share the cores";
  return (
    `${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}; ${cores}; ` +
    `load average ${loadavg()[0]?.toFixed(2)} before the bench`
  );
}
