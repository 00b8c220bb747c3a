/** A run broken down into tables, the same in every view: by stage of its rate, by workload, tenant and model, by operation, by when video tasks were cancelled. */

import type { TaskEnd } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import { formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import { figureOf, headlineOf, NOT_MEASURED } from "./table-rows.ts";

export interface Table {
  readonly head: string[];
  readonly rows: string[][];
}

/** The table of the steps of a rate. */
export const STEPS_ID = "steps";

/** A run broken down by something. */
export interface Breakdown {
  readonly title: string;
  /** By which marks of the run refer to it. */
  readonly id?: typeof STEPS_ID;
  /** What it adds up to, a sentence without its end; absent: the table says everything. */
  readonly summary?: string;
  /** What the rows count, a sentence with its end. */
  readonly basis: string;
  readonly table: Table;
}

/** The latencies of a run by stage of its rate, workload, tenant, model and turn of a conversation: those that it has, in this order. */
export const latencyBreakdowns = (run: RunResult): readonly Breakdown[] => [
  ...stepBreakdown(run),
  ...groupBreakdown("Workloads", "workload", "Requests (tasks for videos) of each workload.", run.parts),
  ...groupBreakdown(
    "Tenants",
    "tenant",
    "Requests (tasks for videos) of each tenant, in all of its workloads.",
    run.tenants,
  ),
  ...groupBreakdown("Models", "model", "Requests (tasks for videos) of each model, of all workloads.", run.models),
  ...regionBreakdown(run),
  ...conversationBreakdowns(run),
];

/** A load that several regions share: a row per part, with its clock. */
function regionBreakdown({ regions }: RunResult): Breakdown[] {
  if (regions === undefined) return [];
  const rows = regions.map(({ segment, generators, calls: { total, ok, outcomes }, metrics, clock }, index) => {
    const latency = headlineOf(metrics);
    return [
      segment,
      ...[generators, total, ok].map(formatNumber),
      otherOutcomes(outcomes),
      latency?.name ?? NOT_MEASURED,
      ...(["p50", "p95", "p99"] as const).map((figure) => (latency ? figureOf(latency.result, figure) : "")),
      clock === undefined ? (index === 0 ? "-" : "not known") : `${clock.fromMs} to ${clock.toMs}`,
    ];
  });
  const basis =
    "Requests that were sent in the measured window, by the part of the load (--segment) of a machine or cluster. How far its clock is ahead of the first one's is estimated by the Date of the target's responses; latencies do not depend on it.";
  const head = [
    "region",
    "generators",
    "requests",
    "ok",
    "other outcomes",
    "latency",
    "p50",
    "p95",
    "p99 (ms)",
    "clock ahead (ms)",
  ];
  return [{ title: "Regions", basis, table: { head, rows } }];
}

/** A load whose rate has several stages: a row per stage. */
function stepBreakdown({ steps }: RunResult): Breakdown[] {
  if (steps === undefined) return [];
  const name = steps.find(({ latency }) => latency !== undefined)?.latency?.name ?? "latency";
  const rows = steps.map(({ rate, fromS, toS, due, failed, latency }) => [
    `${formatNumber(fromS)} to ${formatNumber(toS)} s`,
    rate,
    formatNumber(due),
    due === 0 ? NOT_MEASURED : formatShare(failed / due),
    ...STEP_FIGURES.map((figure) => (latency === undefined ? NOT_MEASURED : figureOf(latency, figure))),
  ]);
  const basis = "Arrivals by their scheduled time; latencies of requests with the outcome ok.";
  const head = ["step", "rate", "due", "failed", `${name} mean`, "p50", "p99", "max (ms)"];
  return [{ title: "Step by step", id: STEPS_ID, basis, table: { head, rows } }];
}

const STEP_FIGURES = ["mean", "p50", "p99", "max"] as const;

type Group = Pick<RunResult, "counts" | "metrics">;

/** A row per group; none where the load is not divided so. */
function groupBreakdown(
  title: string,
  kind: string,
  basis: string,
  groups: Readonly<Record<string, Group>> | undefined,
): Breakdown[] {
  if (groups === undefined) return [];
  const rows = Object.entries(groups).map(([name, { counts, metrics }]) => {
    const latency = headlineOf(metrics);
    return [
      name,
      formatNumber(counts.offered),
      formatNumber(counts.ok),
      formatNumber(counts.failed),
      metrics["error_rate"]?.value === undefined ? NOT_MEASURED : formatShare(metrics["error_rate"].value),
      latency?.name ?? NOT_MEASURED,
      ...(["p50", "p95"] as const).map((figure) => (latency === undefined ? "" : figureOf(latency.result, figure))),
    ];
  });
  const head = [kind, "due", "ok", "failed", "error rate", "latency", "p50", "p95 (ms)"];
  return [{ title, basis, table: { head, rows } }];
}

type Conversations = NonNullable<RunResult["conversations"]>;

/** The conversations of a load: of each workload that has any, else of all. */
function conversationBreakdowns({ conversations, parts }: RunResult): readonly Breakdown[] {
  const ofParts = Object.entries(parts ?? {}).flatMap(([name, part]) =>
    part.conversations === undefined ? [] : [conversationBreakdown(part.conversations, name)],
  );
  return conversations === undefined || ofParts.length > 0 ? ofParts : [conversationBreakdown(conversations)];
}

const TURN_BASIS =
  "Requests that were sent in the measured window, and the latencies of ok ones, including those of conversations that failed later. Conversations and their turns on average include what was sent in the drain.";

/** @param workload whose conversations they are; absent: the load has one */
const conversationBreakdown = (conversations: Conversations, workload?: string): Breakdown => ({
  title: workload === undefined ? "Turn by turn" : `Turn by turn: ${workload}`,
  summary: summaryOf(conversations, workload),
  basis: TURN_BASIS,
  table: turnTable(conversations),
});

function turnTable({ turns }: Conversations): Table {
  const streamed = turns.some(({ metrics }) => metrics["ttft"] !== undefined);
  const names = streamed ? ["ttft", "e2e"] : ["e2e"];
  const rows = turns.map(({ turn, calls, metrics }) => [
    String(turn),
    formatNumber(calls.total),
    formatNumber(calls.ok),
    otherOutcomes(calls.outcomes),
    meanOf(metrics["input_tokens"]),
    ...names.flatMap((name) => TURN_FIGURES.map((figure) => figureIn(metrics[name], figure))),
  ]);
  const heads = names.flatMap((name) => [`${name} mean`, "p50", "p95 (ms)"]);
  return { head: ["turn", "requests", "ok", "other outcomes", "input tokens", ...heads], rows };
}

const TURN_FIGURES = ["mean", "p50", "p95"] as const;

type Result = RunResult["metrics"][string];

const figureIn = (result: Result | undefined, figure: (typeof TURN_FIGURES)[number]): string =>
  result === undefined ? NOT_MEASURED : figureOf(result, figure);

const meanOf = (result: Result | undefined): string =>
  result?.mean === undefined ? NOT_MEASURED : formatNumber(Math.round(result.mean));

function summaryOf({ started, short, meanTurns }: Conversations, workload?: string): string {
  const of = workload === undefined ? "" : `${workload}: `;
  const cut =
    short === 0 ? "" : `; ${formatNumber(short)} ended early, by the context limit or a response without text`;
  return `${of}${plural(started, "conversation")} of ${formatNumber(meanTurns)} turns on average${cut}`;
}

/** The video tasks that were to be cancelled, a row for each point at which they were; undefined where none was. */
export function cancelTable({ cancels }: RunResult): Table | undefined {
  if (cancels === undefined) return undefined;
  const rows = cancels.map(({ at, tasks, ends, latency }) => {
    const count = (...names: readonly TaskEnd[]): number => names.reduce((sum, name) => sum + (ends[name] ?? 0), 0);
    const [cancelled, lost, before] = [count("cancelled"), count("cancel_lost_race"), count("completed", "failed")];
    const wentOn = count("uncancelled");
    return [
      at,
      ...[tasks, cancelled, lost, before, wentOn, tasks - cancelled - lost - before - wentOn].map(formatNumber),
      ...(["mean", "max"] as const).map((figure) => (latency === undefined ? NOT_MEASURED : figureOf(latency, figure))),
    ];
  });
  return {
    head: [
      "cancel at",
      "tasks",
      "cancelled",
      "lost race",
      "ended before",
      "went on",
      "other",
      "cancel mean",
      "max (ms)",
    ],
    rows,
  };
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
