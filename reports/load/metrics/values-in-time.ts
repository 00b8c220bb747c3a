/** The values of a metric in the order of time: by when their request, or the arrival of their task, was due. */

import { quoted } from "../../../lib/duckdb.mjs";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import type { Database } from "../../tables/database.ts";
import { allOf, COUNTS, isOfSql, MEASURED, type Requests, type Rows } from "../read/measured-requests.ts";
import { FloatVector } from "../stats/float-vector.ts";
import { TASK_COLUMNS, type Tasks, tasksSql } from "./video-metrics.ts";

/** Of gaps, those of a request are one value: their mean. */
const ofRequest = (name: MetricName): MetricName => (name === "icl" ? "tpot" : name);

/** The values of requests of the measured phase that a metric is taken over. */
export async function requestsInTime(
  { database, facts }: Requests,
  name: MetricName,
  rows: Rows,
): Promise<Float64Array> {
  const own = ofRequest(name);
  if (!facts.present.has(own)) return new Float64Array(0);
  const counts = metric(own).over === "all" ? [] : [COUNTS];
  const where = allOf(MEASURED, ...counts, `${quoted(own)} IS NOT NULL`, isOfSql(rows));
  return valuesOf(database, `SELECT ${quoted(own)} FROM calls WHERE ${where} ORDER BY scheduled_us, n`);
}

/** The values of a metric of tasks, each by when its arrival was due. */
export async function tasksInTime(tasks: Tasks, name: MetricName): Promise<Float64Array> {
  const column = TASK_COLUMNS[name];
  if (column === undefined || tasks.none) return new Float64Array(0);
  return valuesOf(
    tasks.database,
    `SELECT CAST(${column} AS DOUBLE) FROM ${tasksSql(tasks, true)} WHERE ${column} IS NOT NULL ORDER BY due, place`,
  );
}

async function valuesOf(database: Database, sql: string): Promise<Float64Array> {
  const values = new FloatVector();
  await database.eachNumbers(sql, ([value = 0]) => values.push(value));
  return values.view();
}
