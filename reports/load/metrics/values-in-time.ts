/** The values of a metric in the order of time: by when their request, or the arrival of their task, was due. */

import { METRIC_NAMES, type MetricName } from "../../../load/objectives/metrics.ts";
import type { Requests, Rows } from "../read/measured-requests.ts";
import { FloatVector } from "../stats/float-vector.ts";
import { TASK_COLUMNS, type Tasks, tasksSql } from "./video-metrics.ts";

/** Of gaps, those of a request are one value: their mean. */
const ofRequest = (name: MetricName): MetricName => (name === "icl" ? "tpot" : name);

/**
 * The values of requests of the measured phase that these metrics are taken over, each with the metrics that it is of. They are there
 * until the next are asked for, so that no more than one is held, however many requests there are.
 */
export async function* requestsInTime(
  requests: Requests,
  names: readonly MetricName[],
  rows: Rows,
): AsyncGenerator<readonly [readonly MetricName[], Float64Array]> {
  const present = METRIC_NAMES.filter((name) => requests.facts.present.has(name));
  const room = new Float64Array((await requests.places()).length);
  for (const name of present) {
    const of = names.filter((each) => ofRequest(each) === name);
    if (of.length > 0) yield [of, await requests.inTime(name, rows, room)];
  }
}

/** The values of a metric of tasks, each by when its arrival was due. */
export async function tasksInTime(tasks: Tasks, name: MetricName): Promise<Float64Array> {
  const column = TASK_COLUMNS[name];
  if (column === undefined || tasks.none) return new Float64Array(0);
  const values = new FloatVector();
  await tasks.database.eachNumbers(
    `SELECT CAST(${column} AS DOUBLE) FROM ${tasksSql(tasks, true)} WHERE ${column} IS NOT NULL ORDER BY due, place`,
    ([value = 0]) => values.push(value),
  );
  return values.view();
}
