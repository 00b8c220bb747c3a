/** The values of a metric in the order of time: by when their request, or the arrival of their task, was due. */

import { quoted } from "../../../lib/duckdb.mjs";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { allOf, COUNTS, isOfSql, MEASURED, type Requests, type Rows } from "../read/measured-requests.ts";
import { FloatVector } from "../stats/float-vector.ts";
import { TASK_COLUMNS, type Tasks, tasksSql } from "./video-metrics.ts";

/** Of gaps, those of a request are one value: their mean. */
const ofRequest = (name: MetricName): MetricName => (name === "icl" ? "tpot" : name);

/** Values that are held at once, so that the memory is bounded whatever the number of requests is. */
const MOST_VALUES = 1_000_000;

/**
 * The values of requests of the measured phase that each of these metrics is taken over: those of many at once, which takes no longer
 * than one. They are there until the next is asked for.
 */
export async function* requestsInTime(
  requests: Requests,
  names: readonly MetricName[],
  rows: Rows,
): AsyncGenerator<readonly [MetricName, Float64Array]> {
  const present = names.filter((name) => requests.facts.present.has(ofRequest(name)));
  if (present.length === 0) return;
  const places = await requests.places();
  const atOnce = Math.min(present.length, Math.max(1, Math.floor(MOST_VALUES / places.length)));
  // Those of one group take the room of those before.
  const values = Array.from({ length: atOnce }, () => new Float64Array(places.length));
  for (let from = 0; from < present.length; from += atOnce) {
    const group = present.slice(from, from + atOnce);
    const columns = group.map(ofRequest);
    for (const own of values) own.fill(Number.NaN);
    // In no order: to sort the places once takes less than to sort the values of each metric.
    await requests.database.eachNumbers(
      `SELECT CAST(n AS DOUBLE), ${columns.map(valueSql).join(", ")} FROM calls WHERE ${allOf(MEASURED, isOfSql(rows))}`,
      (row) => {
        const place = places[row[0] ?? 0] ?? 0;
        for (let index = 0; index < columns.length; index += 1) {
          const own = values[index];
          if (own !== undefined) own[place] = row[index + 1] ?? Number.NaN;
        }
      },
    );
    for (const [index, name] of group.entries()) {
      yield [name, withoutNaN(values[index] ?? new Float64Array(0))];
    }
  }
}

/** The other values, moved together. */
function withoutNaN(values: Float64Array): Float64Array {
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    values[count] = value;
    count += 1;
  }
  return values.subarray(0, count);
}

const valueSql = (name: MetricName): string =>
  metric(name).over === "all" ? quoted(name) : `CASE WHEN ${COUNTS} THEN ${quoted(name)} END`;

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
