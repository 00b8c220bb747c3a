/** A run broken down into tables, the same in every view: by stage of its rate, by part of a mixed load, by operation. */

import type { RunResult } from "../../../formats/run.ts";
import { formatNumber, formatShare, formatValue } from "../../numbers.ts";
import { figureOf, headlineOf, NOT_MEASURED } from "./table-rows.ts";

/** A load whose rate has several stages, as a table: a head and a row per stage; undefined for another load. */
export function stepTable({ steps }: RunResult): Table | undefined {
  if (steps === undefined) return undefined;
  const name = steps.find(({ latency }) => latency !== undefined)?.latency?.name ?? "latency";
  const rows = steps.map(({ rate, fromS, toS, due, failed, latency }) => [
    `${formatNumber(fromS)} to ${formatNumber(toS)} s`,
    rate,
    formatNumber(due),
    due === 0 ? NOT_MEASURED : formatShare(failed / due),
    ...STEP_FIGURES.map((figure) => (latency === undefined ? NOT_MEASURED : figureOf(latency, figure))),
  ]);
  return { head: ["step", "rate", "due", "failed", `${name} mean`, "p50", "p99", "max (ms)"], rows };
}

const STEP_FIGURES = ["mean", "p50", "p99", "max"] as const;

export interface Table {
  readonly head: string[];
  readonly rows: string[][];
}

/** The parts of a mixed load, a row each; undefined for another load. */
export function partTable({ parts }: RunResult): Table | undefined {
  if (parts === undefined) return undefined;
  const rows = Object.entries(parts).map(([part, { counts, metrics }]) => {
    const latency = headlineOf(metrics);
    return [
      part,
      formatNumber(counts.offered),
      formatNumber(counts.ok),
      formatNumber(counts.failed),
      counts.offered === 0 ? NOT_MEASURED : formatShare(counts.failed / counts.offered),
      latency?.name ?? NOT_MEASURED,
      ...(["p50", "p95"] as const).map((figure) => (latency === undefined ? "" : figureOf(latency.result, figure))),
    ];
  });
  return { head: ["part", "due", "ok", "failed", "error rate", "latency", "p50", "p95 (ms)"], rows };
}

/** The requests by operation, a row each; undefined where each unit of work is one request. */
export function callTable({ ops, counts, durationS }: RunResult): Table | undefined {
  const entries = Object.entries(ops);
  const [only] = entries;
  if (entries.length < 2 && (only?.[1].calls.total ?? 0) === counts.started) return undefined;
  const rows = entries.map(([op, { calls }]) => [
    op,
    formatNumber(calls.total),
    formatNumber(calls.ok),
    otherOutcomes(calls.outcomes),
    durationS > 0 ? formatValue(calls.total / durationS, "1/s") : NOT_MEASURED,
  ]);
  return { head: ["operation", "requests", "ok", "other outcomes", "rate"], rows };
}

function otherOutcomes(outcomes: Readonly<Record<string, number>>): string {
  const others = Object.entries(outcomes).filter(([outcome]) => outcome !== "ok");
  return others.length === 0 ? "0" : others.map(([outcome, count]) => `${outcome} ${formatNumber(count)}`).join(", ");
}
