/** A run broken down into tables, the same in every view: by stage of its rate, by workload and tenant, by operation, by when video tasks were cancelled. */

import type { RunResult } from "../../../formats/run.ts";
import { formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import type { TaskEnd } from "../read/task-histories.ts";
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

/** The workloads of a load, a row each; undefined where it has one. */
export const workloadTable = ({ parts }: RunResult): Table | undefined =>
  parts && groupTable("workload", Object.entries(parts));

/** The tenants of a load, a row each; undefined where none is named. */
export const tenantTable = ({ tenants }: RunResult): Table | undefined =>
  tenants && groupTable("tenant", Object.entries(tenants));

type Group = Pick<RunResult, "counts" | "metrics">;

function groupTable(kind: string, groups: readonly (readonly [string, Group])[]): Table {
  const rows = groups.map(([name, { counts, metrics }]) => {
    const latency = headlineOf(metrics);
    return [
      name,
      formatNumber(counts.offered),
      formatNumber(counts.ok),
      formatNumber(counts.failed),
      counts.offered === 0 ? NOT_MEASURED : formatShare(counts.failed / counts.offered),
      latency?.name ?? NOT_MEASURED,
      ...(["p50", "p95"] as const).map((figure) => (latency === undefined ? "" : figureOf(latency.result, figure))),
    ];
  });
  return { head: [kind, "due", "ok", "failed", "error rate", "latency", "p50", "p95 (ms)"], rows };
}

type Conversations = NonNullable<RunResult["conversations"]>;

/** How conversations went, in a sentence without its end, and the requests of each turn. */
interface ConversationTable {
  readonly title: string;
  readonly text: string;
  readonly table: Table;
}

/** The conversations of a load: of each workload that has any, else of all. */
export function conversationTables({ conversations, parts }: RunResult): readonly ConversationTable[] {
  const ofParts = Object.entries(parts ?? {}).flatMap(([name, part]) =>
    part.conversations === undefined
      ? []
      : [
          {
            title: `Turn by turn: ${name}`,
            text: textOf(part.conversations, name),
            table: turnTable(part.conversations),
          },
        ],
  );
  if (conversations === undefined || ofParts.length > 0) return ofParts;
  return [{ title: "Turn by turn", text: textOf(conversations), table: turnTable(conversations) }];
}

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

/** @param workload whose conversations they are; absent: the load has one */
function textOf({ started, short, meanTurns }: Conversations, workload?: string): string {
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
