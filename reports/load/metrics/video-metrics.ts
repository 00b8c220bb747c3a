/** The metrics of video tasks; what was not seen of any task has no entry. */

import { z } from "zod";
import { TASK_ENDS } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { METRIC_NAMES, METRICS, type MetricName, metric, type VideoTotals } from "../../../load/objectives/metrics.ts";
import type { Database } from "../../tables/database.ts";
import { allOf, isOfSql, type Rows } from "../read/measured-requests.ts";
import { unitsSql, type WhichUnits } from "../read/unit-rows.ts";
import { censoredDistribution } from "../stats/censored-distribution.ts";
import { Sample } from "../stats/sample.ts";
import type { KnownValues } from "./beyond-bound.ts";
import { bandOf } from "./error-band.ts";
import type { Waits } from "./request-metrics.ts";
import { isWithinSql, type Span } from "./span.ts";
import { openBySecond } from "./tasks-by-second.ts";

/** The tasks of some units of work. */
export interface Tasks {
  readonly database: Database;
  /** No task was accepted. */
  readonly none?: boolean;
  readonly which: WhichUnits;
}

/** The tasks of units: all, or those whose arrival was due in the measured window. */
export const tasksSql = ({ which }: Tasks, measured: boolean): string =>
  `(SELECT t.*, u.scheduled_us AS due FROM tasks_seen AS t JOIN (SELECT shard, own, scheduled_us FROM units WHERE ${allOf(unitsSql(which), ...(measured ? ["measured"] : []))}) AS u ON u.shard = t.shard AND u.own = t.own)`;

/** Columns of the metrics of single tasks. */
export const TASK_COLUMNS: Readonly<Partial<Record<MetricName, string>>> = {
  video_queue: "queue",
  video_work: "work",
  video_work_scheduled: "work_scheduled",
  video_polls: "polls",
  video_cost: "cost",
  video_fetch: "fetched",
  video_bytes: "bytes",
  video_detection_error: "detection_error",
};

const endCount = z.object({ end: z.enum(TASK_ENDS), count: z.number() });

const endsOf = async (tasks: Tasks, measured: boolean) =>
  tasks.none
    ? []
    : tasks.database.all(`SELECT "end", count(*) AS count FROM ${tasksSql(tasks, measured)} GROUP BY "end"`, endCount);

/**
 * Those of tasks whose arrival was due in the measured window.
 * @param late by how many milliseconds a time of a task can have been measured too long
 */
export async function videoMetrics(tasks: Tasks, waits: Waits, late = 0): Promise<Record<string, MetricResult>> {
  const ends = await endsOf(tasks, true);
  const count = ends.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return {};
  const parts = Object.fromEntries(
    TASK_ENDS.flatMap((name) => {
      const some = ends.find(({ end }) => end === name)?.count ?? 0;
      return some > 0 ? [[name, some] as const] : [];
    }),
  );
  return {
    ...(await figures({ tasks, waits, unfinished: false, late })),
    video_outcome: { unit: METRICS.video_outcome.unit, count, parts },
  };
}

/** The same, with tasks that we cut off as further samples of which nothing is known; none without such tasks. */
export async function videoWithUnfinished(tasks: Tasks, waits: Waits, late = 0): Promise<Record<string, MetricResult>> {
  const ends = await endsOf(tasks, true);
  return ends.some(({ end }) => end === "unfinished") ? figures({ tasks, waits, unfinished: true, late }) : {};
}

interface Gathered {
  readonly tasks: Tasks;
  readonly waits: Waits;
  /** With the tasks that we cut off, of which nothing is known. */
  readonly unfinished: boolean;
  readonly late: number;
}

async function figures(gathered: Gathered): Promise<Record<string, MetricResult>> {
  const results: Record<string, MetricResult> = {};
  for (const name of METRIC_NAMES) {
    if (TASK_COLUMNS[name] === undefined) continue;
    const { values, largerThan, earlier } = samplesOf(name, gathered);
    const summary = await censoredDistribution(values, largerThan);
    if (summary === undefined) continue;
    const lowest =
      earlier === 0 ? undefined : await censoredDistribution(values.less(earlier), largerThan.less(earlier));
    const band = bandOf(summary, lowest, undefined);
    results[name] = { unit: metric(name).unit, ...summary, ...(band && { band }) };
  }
  return results;
}

/** The values of a metric, what those of further tasks are larger than, and by how much each may be smaller. */
function samplesOf(name: MetricName, { tasks, waits, unfinished, late }: Gathered) {
  const { unit, scheduled } = metric(name);
  const { database } = tasks;
  const column = TASK_COLUMNS[name];
  const values = new Sample(
    database,
    `SELECT ${column} AS v FROM ${tasksSql(tasks, true)} WHERE ${column} IS NOT NULL`,
  );
  const cutOff = unfinished
    ? new Sample(database, `SELECT CAST(0 AS DOUBLE) AS v FROM ${tasksSql(tasks, true)} WHERE "end" = 'unfinished'`)
    : new Sample();
  return {
    values,
    largerThan: scheduled ? cutOff.with(waits(name)) : cutOff,
    earlier: unit === "ms" ? late : 0,
  };
}

/** What is known of the values of a metric of tasks; undefined of any other metric. */
export function knownOfTasks(name: MetricName, of: Omit<Gathered, "unfinished">): KnownValues | undefined {
  if (TASK_COLUMNS[name] === undefined) return undefined;
  const { values, largerThan, earlier } = samplesOf(name, { ...of, unfinished: true });
  return { least: values.less(earlier), most: values, largerThan: largerThan.less(earlier) };
}

interface AllTasks {
  readonly span: Span;
  /** Whenever their arrival was due. */
  readonly tasks: Tasks;
}

/** Metrics of all video tasks together; none where no task was accepted. @param rows the requests to look at */
export async function videoTotals(all: AllTasks, rows: Rows): Promise<Record<string, MetricResult>> {
  if (all.tasks.none) return {};
  const totals = await totalsOf(all, rows);
  const results: Record<string, MetricResult> = {};
  for (const name of totals.tasks === 0 ? [] : METRIC_NAMES) {
    const { unit, ofVideo } = metric(name);
    const { count, value } = ofVideo?.(totals) ?? {};
    if (count !== undefined && value !== undefined) results[name] = { unit, count, value };
  }
  return results;
}

/** Parts of a cost that its sum is exact to. */
const PARTS = 1_000_000_000;

async function totalsOf({ span, tasks }: AllTasks, rows: Rows): Promise<VideoTotals> {
  const n = z.number();
  const [sum] = await tasks.database.all(
    `SELECT count(*) AS tasks, count(cost) AS priced, CAST(coalesce(sum(CAST(round(cost * ${PARTS}) AS HUGEINT)), 0) AS DOUBLE) / ${PARTS} AS cost,
      count(*) FILTER (unfetched) AS unfetched, count(*) FILTER (unfetched OR fetched IS NOT NULL) AS fetches FROM ${tasksSql(tasks, false)}`,
    z.object({ tasks: n, priced: n, cost: n, unfetched: n, fetches: n }),
  );
  const known = { tasks: 0, priced: 0, cost: 0, fetches: 0, unfetched: 0, ...sum };
  const seconds = { polls: 0, pollsInOneSecond: 0, open: 0, seconds: span.seconds };
  if (known.tasks === 0) return { ...known, ...seconds };
  const polls = await tasks.database.all(
    `SELECT count(*) AS polls FROM calls WHERE ${allOf("op = 'video.poll'", isWithinSql("sent_us / 1000", span), isOfSql(rows))} GROUP BY floor((sent_us / 1000 - ${span.from}) / 1000)`,
    z.object({ polls: n }),
  );
  return {
    ...known,
    ...seconds,
    polls: polls.reduce((all, each) => all + each.polls, 0),
    pollsInOneSecond: polls.reduce((most, each) => Math.max(most, each.polls), 0),
    open: (await openTasks(tasks, span.from, span.to)).reduce((most, open) => Math.max(most, open), 0),
  };
}

/** The mean number of open tasks in each second between two instants. */
export async function openTasks(tasks: Tasks, from: number, to: number): Promise<Float64Array> {
  if (tasks.none) return new Float64Array(Math.ceil(Math.max(0, to - from) / 1_000));
  const open: { submittedAt: number; overAt: number | undefined }[] = [];
  await tasks.database.eachNumbers(
    `SELECT submitted_at, over_at FROM ${tasksSql(tasks, false)}`,
    ([submittedAt = 0, overAt = Number.NaN]) =>
      open.push({ submittedAt, overAt: Number.isNaN(overAt) ? undefined : overAt }),
  );
  return openBySecond(open, from, to);
}

/** The tasks that were to be cancelled, by when; undefined where none was. */
export async function cancelsOf(tasks: Tasks): Promise<RunResult["cancels"]> {
  if (tasks.none) return undefined;
  const points = await tasks.database.all(
    `SELECT cancel_at AS at, "end", count(*) AS count FROM ${tasksSql(tasks, true)} WHERE cancel_at IS NOT NULL GROUP BY ALL ORDER BY min(place)`,
    endCount.extend({ at: z.string() }),
  );
  if (points.length === 0) return undefined;
  const all = [...new Set(points.map(({ at }) => at))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const cancels: NonNullable<RunResult["cancels"]> = [];
  for (const at of all) {
    const ends = points.filter((each) => each.at === at);
    const took = new Sample(
      tasks.database,
      `SELECT cancel AS v FROM ${tasksSql(tasks, true)} WHERE cancel IS NOT NULL AND cancel_at = ${literal(at)}`,
    );
    const latency = await took.distribution();
    cancels.push({
      at,
      tasks: ends.reduce((sum, { count }) => sum + count, 0),
      ends: Object.fromEntries(ends.map(({ end, count }) => [end, count])),
      ...(latency && { latency: { unit: METRICS.video_cancel.unit, ...latency } }),
    });
  }
  return cancels;
}
