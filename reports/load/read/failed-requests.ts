/**
 * The requests of a run that failed, in groups of one operation, outcome and status, each with its first reason: gathered
 * from the records, which hold reasons that are redacted already.
 */

import { z } from "zod";
import { TERMINAL_STATES } from "../../../contract/service.ts";
import { CLIENT_FAULTS, type ClientFault } from "../../../formats/outcomes.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { listOf } from "../../tables/columns.ts";
import { type Database, optionalCell } from "../../tables/database.ts";
import { HAS_FAILED } from "../../tables/outcome-sql.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import type { UnitOutcome } from "./unit-outcomes.ts";

/** Failures of one kind. Instants in milliseconds since 1970. */
export interface FailureGroup {
  /** The operation; `arrival` of arrivals that did not come to a request, `video` of video tasks. */
  readonly op: string;
  readonly outcome: string;
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Of a `client_error`. */
  readonly clientFault?: ClientFault | undefined;
  readonly warmup: boolean;
  readonly count: number;
  /** When the first was sent, and when the last ended. */
  readonly first: number;
  readonly last: number;
  /** How long after they were sent requests ended, in milliseconds: the 5th and the 95th percentile. */
  readonly ages?: readonly number[] | undefined;
  /** Of the first one that has a reason. */
  readonly reason: string | undefined;
}

/** Requests of one operation, in the warm-up or after it. */
export interface OpTotal {
  readonly op: string;
  readonly warmup: boolean;
  readonly requests: number;
  readonly answered: number;
  /** Milliseconds from when it was sent until the end of the ok one that took longest; undefined without any. */
  readonly longestOk: number | undefined;
}

/** Arrivals that did not come to a request, or not to the end of their scenario, are listed under this name. */
export const ARRIVAL = "arrival";

/** Video tasks that went wrong are listed under this name. */
export const TASK = "video";

export const TASK_REASONS: Readonly<Partial<Record<UnitOutcome, string>>> = {
  task_failed: "The task ended with the status failed.",
  task_cancelled: "The task ended with the status cancelled, and nobody had asked for that.",
  task_uncancelled: "The task went on after it was to be cancelled.",
  task_timed_out: "The task did not end in time, or its polls failed; Assay asked for its cancel.",
  task_orphaned: "The task was never seen to end, and may still run.",
};

const n = z.number();
const text = optionalCell(z.string());
const groupRow = z.object({
  op: z.string(),
  outcome: z.string(),
  status: optionalCell(n),
  clientFault: optionalCell(z.enum(CLIENT_FAULTS)),
  warmup: z.boolean(),
  count: n,
  first: n,
  last: n,
  ages: optionalCell(z.array(n)),
  reason: text,
});

// What clean-up could not cancel is a warning of its own, and says nothing about the load.
const COUNTED = "cancel_reason IS DISTINCT FROM 'clean_up'";

/** Requests that failed; a cancel that was refused because its task had ended by itself did not. */
const REQUESTS = `SELECT op, outcome, CASE WHEN status > 0 THEN status END AS status, client_fault, phase = 'warmup' AS warmup, sent_us AS first, end_us AS last, (end_us - sent_us) / 1000 AS age, detail AS reason, CAST(n AS HUGEINT) AS place
  FROM call_lines WHERE ${HAS_FAILED} AND ${COUNTED} AND n NOT IN (SELECT CAST(n AS BIGINT) FROM needless_cancels)`;

/** Arrivals that failed without a request of them saying so; what we cut off ourselves is no failure. */
const ARRIVALS = `SELECT '${ARRIVAL}' AS op, "end" AS outcome, NULL AS status, NULL AS client_fault, phase = 'warmup' AS warmup, scheduled_us AS first, scheduled_us AS last, NULL AS age, detail AS reason, 1000000000000000 + CAST(line AS HUGEINT) AS place
  FROM told_arrivals WHERE "end" <> 'unfinished'`;

/** Units of work whose video task went wrong, although their requests were answered as they must be. */
const TASKS = (taskError: string | undefined): string => {
  const reasons = Object.entries(TASK_REASONS).map(
    ([outcome, reason]) =>
      `WHEN ${literal(outcome)} THEN ${literal((outcome === "task_failed" ? taskError : undefined) ?? reason)}`,
  );
  return `SELECT '${TASK}' AS op, outcome, NULL AS status, NULL AS client_fault, NOT measured AS warmup, scheduled_us AS first, end_us AS last, NULL AS age, CASE outcome ${reasons.join(" ")} END AS reason, place
    FROM units WHERE outcome IN ${listOf(Object.keys(TASK_REASONS))}`;
};

/** Failures, those of a kind as one, in the order in which the first of each was recorded. */
export async function failureGroups(database: Database): Promise<readonly FailureGroup[]> {
  // What a response says of the first video task that failed.
  const [failed] = await database.all(
    `SELECT arg_min(detail, n) FILTER (detail IS NOT NULL) AS reason FROM ${NUMBERED} WHERE op = 'video.poll' AND task_state = ${literal(FAILED)}`,
    z.object({ reason: text }),
  );
  return database.all(
    `SELECT op, outcome, status, client_fault AS "clientFault", warmup, count(*) AS count, min(first) / 1000 AS first, max(last) / 1000 AS last, quantile_disc(age, [0.05, 0.95]) AS ages, arg_min(reason, (first, place)) FILTER (reason IS NOT NULL) AS reason
      FROM (${REQUESTS} UNION ALL ${ARRIVALS} UNION ALL ${TASKS(failed?.reason)}) GROUP BY ALL ORDER BY min(place)`,
    groupRow,
  );
}

const FAILED = TERMINAL_STATES.find((state) => state === "failed") ?? "failed";

/** Requests by operation, in the warm-up and after it: those without failure are what the others are a share of. */
export const opTotals = (database: Database): Promise<readonly OpTotal[]> =>
  database.all(
    `SELECT op, phase = 'warmup' AS warmup, count(*) AS requests, count(*) FILTER (answered) AS answered, max(end_us - sent_us) FILTER (outcome = 'ok') / 1000 AS "longestOk" FROM call_lines WHERE ${COUNTED} GROUP BY ALL ORDER BY min(n)`,
    z.object({ op: z.string(), warmup: z.boolean(), requests: n, answered: n, longestOk: optionalCell(n) }),
  );
