/** The metrics of video tasks; what was not seen of any task has no entry. */

import { OPS, TASK_ENDS } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { METRIC_NAMES, METRICS, type MetricName, metric, type VideoTotals } from "../../../load/objectives/metrics.ts";
import type { Requests, Rows } from "../read/request-columns.ts";
import type { SubmittedTask } from "../read/task-histories.ts";
import { censoredDistribution } from "../stats/censored-distribution.ts";
import { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import type { KnownValues } from "./beyond-bound.ts";
import { bandOf } from "./error-band.ts";
import type { Waits } from "./request-metrics.ts";
import { isWithin, type Span } from "./span.ts";
import { openBySecond } from "./tasks-by-second.ts";

/** Tasks, one after another, as often as they are asked for: a list of them would be most of what a report holds. */
export type Tasks = () => Iterable<SubmittedTask>;

/**
 * @param tasks those whose arrival was due in the measured window
 * @param late by how many milliseconds a time of a task can have been measured too long
 */
export function videoMetrics(
  tasks: Tasks,
  waits: Waits,
  store = new PageStore(),
  late = 0,
): Record<string, MetricResult> {
  const counts = new Map<string, number>(TASK_ENDS.map((name) => [name, 0]));
  let count = 0;
  for (const { end } of tasks()) {
    counts.set(end, (counts.get(end) ?? 0) + 1);
    count += 1;
  }
  if (count === 0) return {};
  const parts = Object.fromEntries([...counts].filter(([, some]) => some > 0));
  return {
    ...figures({ tasks, waits, unfinished: 0, store, late }),
    video_outcome: { unit: METRICS.video_outcome.unit, count, parts },
  };
}

/** The same, with tasks that we cut off as further samples of which nothing is known; none without such tasks. */
export function videoWithUnfinished(
  tasks: Tasks,
  waits: Waits,
  store = new PageStore(),
  late = 0,
): Record<string, MetricResult> {
  const unfinished = unfinishedIn(tasks);
  return unfinished === 0 ? {} : figures({ tasks, waits, unfinished, store, late });
}

function unfinishedIn(tasks: Tasks): number {
  let unfinished = 0;
  for (const { end } of tasks()) if (end === "unfinished") unfinished += 1;
  return unfinished;
}

interface Gathered {
  readonly tasks: Tasks;
  readonly waits: Waits;
  /** Further tasks of which nothing is known. */
  readonly unfinished: number;
  readonly store: PageStore;
  readonly late: number;
}

function figures(gathered: Gathered): Record<string, MetricResult> {
  const results: Record<string, MetricResult> = {};
  for (const name of METRIC_NAMES) {
    if (metric(name).ofTask === undefined) continue;
    const { values, largerThan, earlier } = samplesOf(name, gathered);
    const summary = censoredDistribution(values, largerThan);
    if (summary === undefined) continue;
    const lowest = earlier && censoredDistribution(values.map(earlier), largerThan.map(earlier));
    const band = bandOf(summary, lowest, undefined);
    results[name] = { unit: metric(name).unit, ...summary, ...(band && { band }) };
  }
  return results;
}

/** The values of a metric, what those of further tasks are larger than, and how each may be smaller; undefined where none may. */
function samplesOf(name: MetricName, { tasks, waits, unfinished, store, late }: Gathered) {
  const { unit, ofTask, scheduled } = metric(name);
  const values = new Sample((take) => {
    for (const { figures: own } of tasks()) {
      const value = ofTask?.(own);
      if (value !== undefined) take(value);
    }
  }, store);
  const cutOff = new Sample((take) => {
    for (let task = 0; task < unfinished; task += 1) take(0);
  }, store);
  const earlier = (value: number) => Math.max(0, value - late);
  return {
    values,
    largerThan: scheduled ? cutOff.with(waits(name)) : cutOff,
    earlier: late === 0 || unit !== "ms" ? undefined : earlier,
  };
}

/** What is known of the values of a metric of tasks; undefined of any other metric. */
export function knownOfTasks(name: MetricName, of: Omit<Gathered, "unfinished">): KnownValues | undefined {
  if (metric(name).ofTask === undefined) return undefined;
  const { values, largerThan, earlier = same } = samplesOf(name, { ...of, unfinished: unfinishedIn(of.tasks) });
  return { least: values.map(earlier), most: values, largerThan: largerThan.map(earlier) };
}

const same = (value: number): number => value;

interface AllTasks {
  readonly requests: Requests;
  readonly span: Span;
  /** Whenever their arrival was due. */
  readonly tasks: Tasks;
}

/** Metrics of all video tasks together; none where no task was accepted. @param rows the requests to look at */
export function videoTotals(all: AllTasks, rows: Rows): Record<string, MetricResult> {
  const totals = totalsOf(all, rows);
  const results: Record<string, MetricResult> = {};
  for (const name of totals.tasks === 0 ? [] : METRIC_NAMES) {
    const { unit, ofVideo } = metric(name);
    const { count, value } = ofVideo?.(totals) ?? {};
    if (count !== undefined && value !== undefined) results[name] = { unit, count, value };
  }
  return results;
}

const POLL = OPS.indexOf("video.poll");

function totalsOf({ requests, span, tasks }: AllTasks, rows: Rows): VideoTotals {
  const sum = { tasks: 0, priced: 0, cost: 0, polls: 0, fetches: 0, unfetched: 0 };
  for (const { figures } of tasks()) {
    sum.tasks += 1;
    if (figures.unfetched) sum.unfetched += 1;
    if (figures.unfetched || figures.fetch !== undefined) sum.fetches += 1;
    if (figures.cost === undefined) continue;
    sum.priced += 1;
    sum.cost += figures.cost;
  }
  const polls = new Uint32Array(Math.ceil(span.seconds) + 1);
  for (let index = 0; index < requests.length && sum.tasks > 0; index += 1) {
    const sent = requests.at("sent", index);
    if (requests.at("op", index) !== POLL || !isWithin(sent, span) || !requests.isOf(index, rows)) continue;
    const second = Math.floor((sent - span.from) / 1_000);
    polls[second] = (polls[second] ?? 0) + 1;
    sum.polls += 1;
  }
  return {
    ...sum,
    pollsInOneSecond: largest(polls),
    open: largest(openBySecond(tasks(), span.from, span.to)),
    seconds: span.seconds,
  };
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** The tasks that were to be cancelled, by when; undefined where none was. */
export function cancelsOf(tasks: Tasks, store = new PageStore()): RunResult["cancels"] {
  const points = new Map<string, Map<string, number>>();
  for (const { cancelAt, end } of tasks()) {
    if (cancelAt === undefined) continue;
    const ends = points.get(cancelAt) ?? new Map<string, number>();
    points.set(cancelAt, ends.set(end, (ends.get(end) ?? 0) + 1));
  }
  if (points.size === 0) return undefined;
  return [...points]
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([at, ends]) => {
      const took = new Sample((take) => {
        for (const { cancelAt, cancelMs } of tasks()) if (cancelAt === at && cancelMs !== undefined) take(cancelMs);
      }, store);
      const latency = took.distribution();
      return {
        at,
        tasks: [...ends.values()].reduce((all, count) => all + count, 0),
        ends: Object.fromEntries(ends),
        ...(latency && { latency: { unit: METRICS.video_cancel.unit, ...latency } }),
      };
    });
}
