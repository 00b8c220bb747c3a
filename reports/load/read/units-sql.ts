/**
 * The table `units`: the units of work of a load, one per arrival, which is a whole chat, an embedding batch or a video task from
 * submission to end. A request without an arrival is a unit of its own, unless it follows a task. Pure.
 */

import { FOLLOWS_TASK, WORKLOAD_KINDS } from "../../../contract/operations.ts";
import { BUSY_STATUSES, type TaskEnd } from "../../../formats/outcomes.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { listOf } from "../../tables/columns.ts";
import { TASK_FAILURES } from "./unit-outcomes.ts";

const FOLLOWS = `op IN ${listOf(FOLLOWS_TASK)}`;

const SERVER_ERRORS = 500;
/** Whether a status refuses what was asked for, whenever it was asked. A server error can follow from many requests at once. */
const REFUSES = `(outcome = 'http_error' AND coalesce(status, 0) > 0 AND status < ${SERVER_ERRORS} AND status NOT IN (${BUSY_STATUSES.join(", ")}))`;

const PART = `CASE ${Object.entries(WORKLOAD_KINDS)
  .map(([part, ops]) => `WHEN op IN ${listOf(ops)} THEN ${literal(part)}`)
  .join(" ")} END`;

/** @param anyOps workloads whose scenario may send any request: an operation says nothing of what they are */
function items(anyOps: readonly string[]): string {
  const part = anyOps.length === 0 ? PART : `CASE WHEN workload IN ${listOf(anyOps)} THEN NULL ELSE ${PART} END`;
  const requests = `SELECT shard, CASE WHEN arrival IS NULL THEN -1 - n ELSE arrival END AS own, line, phase, scheduled_us,
    CASE WHEN op <> 'video.fetch' THEN end_us END AS end_us, CASE WHEN outcome = 'cancelled_by_us' THEN 'unfinished' ELSE outcome END AS outcome,
    ${FOLLOWS} AS follows, op = 'video.submit' AS submits, ${REFUSES} AS refuses, ${part} AS part, workload, model, turn, turns, FALSE AS told,
    met, broken, surely, near, unknown FROM calls WHERE arrival IS NOT NULL OR NOT ${FOLLOWS}`;
  const arrivals = `SELECT shard - 1 AS shard, arrival AS own, line, phase, scheduled_us, NULL AS end_us, "end" AS outcome,
    FALSE AS follows, FALSE AS submits, FALSE AS refuses, part, workload, model, NULL AS turn, NULL AS turns, TRUE AS told,
    0 AS met, 0 AS broken, 0 AS surely, 0 AS near, 0 AS unknown FROM told_arrivals`;
  return `${requests} UNION ALL ${arrivals}`;
}

/** How rows of one arrival become one; where each arrival has one, it is that row. */
function folds(areSingle: boolean) {
  const of = (fold: string) => (value: string) => (areSingle ? value : `${fold}(${value})`);
  const at = (fold: string) => (value: string, filter: string) =>
    areSingle ? `CASE WHEN ${filter} THEN ${value} END` : `${fold}(${value}, line) FILTER (${filter})`;
  return { first: at("arg_min"), last: at("arg_max"), or: of("bool_or"), bits: of("bit_or"), most: of("max") };
}

/** Makes `begun_units`, without what video tasks say of them; `own` is the number of an arrival, or below 0. */
export const makeBegunUnits = (anyOps: readonly string[], areSingle: boolean): string => {
  const failed = "outcome <> 'ok'";
  const { first, last, or, bits, most } = folds(areSingle);
  return `CREATE ${areSingle ? "VIEW" : "TABLE"} begun_units AS SELECT shard, own,
    ${first("scheduled_us", "TRUE")} AS scheduled_us, ${first("phase", "TRUE")} AS phase, ${last("end_us", "end_us IS NOT NULL")} AS end_us,
    ${first("part", "part IS NOT NULL")} AS part, ${first("workload", "workload IS NOT NULL")} AS workload, ${first("model", "model IS NOT NULL")} AS model,
    coalesce(${first("outcome", `NOT follows AND ${failed}`)}, 'ok') AS outcome, coalesce(${first("refuses", `NOT follows AND ${failed}`)}, FALSE) AS refused,
    coalesce(${first("outcome", `follows AND ${failed}`)}, 'ok') AS followed, coalesce(${first("refuses", `follows AND ${failed}`)}, FALSE) AS follow_refused,
    ${or("submits")} AS submitted, ${or("told")} AS told, coalesce(${most("turn")}, 0) AS turn, coalesce(${last("coalesce(turns, turn)", "turn IS NOT NULL")}, 0) AS turns,
    ${BITS.map((name) => `${bits(name)} AS ${name}`).join(", ")}
    FROM (${items(anyOps)}) ${areSingle ? "" : "GROUP BY shard, own"}`;
};

const BITS = ["met", "broken", "surely", "near", "unknown"] as const;

/** A query of one row: whether no arrival has two requests, or one and a line, or a video task. */
export const areSingleUnits = (anyOps: readonly string[]): string =>
  `WITH own_items AS (SELECT shard, own FROM (${items(anyOps)})) SELECT (SELECT count(*) FROM own_items) = (SELECT count(*) FROM (SELECT DISTINCT * FROM own_items)) AND (SELECT count(*) FROM tasks_seen) = 0 AS single`;

const COMPLETED: readonly TaskEnd[] = ["completed", "cancel_lost_race"];

/** How a task decides about its unit; one whose end could not be seen failed on the load generator's machine. */
const TASK_OUTCOME = `CASE WHEN unseen THEN 'client_error' ${Object.entries(TASK_FAILURES)
  .map(([end, outcome]) => `WHEN "end" = ${literal(end)} THEN ${literal(outcome)}`)
  .join(" ")} END`;

const OF_TASKS = `SELECT shard, own, arg_min(${TASK_OUTCOME}, place) FILTER (${TASK_OUTCOME} IS NOT NULL) AS failure, bool_or("end" = 'unfinished') AS unfinished,
    bool_or("end" IN ${listOf(COMPLETED)}) AS completed, ${BITS.map((name) => `bit_or(CAST(${name} AS INTEGER)) AS ${name}`).join(", ")} FROM tasks_seen GROUP BY shard, own`;

/** The place of a unit in the order of time: by when its arrival was due. */
const PLACE = "(CAST(scheduled_us AS HUGEINT) * (1 << 12) + shard) * (CAST(1 AS HUGEINT) << 55) + own";

/** Makes `units` of these and of the tasks that they submitted. @param areSingle no unit has two requests, so that none has a task */
export const makeUnits = (
  areSingle: boolean,
): string => `CREATE ${areSingle ? "VIEW" : "TABLE"} units AS WITH of_tasks AS (${OF_TASKS}),
decided AS (${areSingle ? "SELECT *, FALSE AS completed FROM begun_units" : DECIDED}),
named AS (SELECT *, outcome = 'ok' AND NOT submitted AS by_follow FROM decided)
SELECT ${PLACE} AS place, shard, own, scheduled_us, phase = 'measure' AS measured, end_us, part, workload, model,
  CASE WHEN by_follow THEN followed ELSE outcome END AS outcome,
  CASE WHEN by_follow THEN followed = 'http_error' AND follow_refused ELSE outcome = 'http_error' AND refused END AS refused,
  CASE WHEN NOT submitted THEN NULL WHEN completed THEN 'completed' ELSE 'other' END AS task,
  turn, turns, told, ${BITS.join(", ")} FROM named`;

const DECIDED = `SELECT b.* EXCLUDE (outcome, ${BITS.join(", ")}),
  CASE WHEN b.outcome IN ('ok', 'unfinished') AND t.failure IS NOT NULL THEN t.failure WHEN b.outcome = 'ok' AND t.unfinished THEN 'unfinished' ELSE b.outcome END AS outcome,
  coalesce(t.completed, FALSE) AS completed, ${BITS.map((name) => `b.${name} | coalesce(t.${name}, 0) AS ${name}`).join(", ")}
  FROM begun_units AS b LEFT JOIN of_tasks AS t ON t.shard = b.shard AND t.own = b.own`;
