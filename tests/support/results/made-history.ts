/** Lines of a history of loads with planted changes. */

import { historyLine, type LoadLine } from "../../../formats/history.ts";

/** A result of a load: the number of the day on which it ran, and what differs from the others. */
export interface MadeResult {
  readonly day: number;
  readonly ttft?: number;
  readonly more?: Partial<LoadLine>;
}

/** The line of such a result. */
export function madeLine({ day, ttft = 200, more = {} }: MadeResult): LoadLine {
  const line = historyLine.parse({
    kind: "load",
    schema: "assay.history/1",
    id: day.toString(16).padStart(16, "0"),
    startedAt: new Date(Date.UTC(2026, 0, 1) + day * 86_400_000).toISOString(),
    tool: "assay 0.1.0",
    target: "http://t",
    title: "chat-stream",
    about: "20/s constant for 30s",
    exitCode: 0,
    verdict: "PASSED",
    conclusion: "all objectives met",
    settings: { scenario: "chat-stream", target: "http://t", rate: 20, duration: 30_000, warmup: 0 },
    validity: "VALID",
    machine: { cpus: 4, errorMs: 0.2, generators: 1 },
    objectives: [{ expr: "ttft_p95<800ms", ok: true }],
    values: [
      { name: "ttft_p95", unit: "ms", better: "lower", value: ttft, interval: [ttft * 0.99, ttft * 1.01] },
      { name: "error_rate", unit: "share", better: "lower", value: 0, interval: [0, 0.006] },
    ],
    ...more,
  });
  if (line.kind !== "load") throw new Error("A made line is of a load.");
  return line;
}

/** The same numbers from -1.5 to 1.5 for every test, spread evenly and out of order. */
export const wobble = (index: number): number => (((index * 0.618_034) % 1) - 0.5) * 3;
