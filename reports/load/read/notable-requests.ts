/** The requests of a run that are worth looking at: the slowest, and some that failed of each kind. In bounded memory. */

import { z } from "zod";
import { FOLLOWS_TASK } from "../../../contract/operations.ts";
import { type RequestRecord, requestRecord } from "../../../formats/records.ts";
import type { ListedRequests, NotableRequest } from "../../../formats/run-requests.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import type { Database } from "../../tables/database.ts";
import { HAS_FAILED } from "../../tables/outcome-sql.ts";
import { lineOf, NUMBERED } from "../../tables/stored-requests.ts";
import { TASK, TASK_REASONS } from "./failed-requests.ts";

/** What requests are slow by: of each the largest value, in milliseconds; undefined where a request has none. */
export const SLOW_BY = {
  ttft: ({ ttft }: RequestRecord) => ttft,
  gap: ({ gaps_us: gaps }: RequestRecord) => (gaps?.length ? largest(gaps) / 1_000 : undefined),
  // What follows a task is no unit of work to wait for.
  e2e: ({ op, e2e }: RequestRecord) => (FOLLOWS_TASK.includes(op) ? undefined : e2e),
} as const;
export type SlowBy = keyof typeof SLOW_BY;

const largest = (values: readonly number[]): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Kept of those that are slow by one value. */
const KEPT = 5;
/** Kept of each kind of failure. */
const KEPT_FAILED = 20;
/** Kinds of failures whose requests are kept. */
const KINDS = 20;

/** Whether a poll shows that its video task failed: the poll itself is ok, and stands for the task. */
const showsFailedTask = ({ op, outcome, task_state }: RequestRecord): boolean =>
  op === "video.poll" && outcome === "ok" && task_state === "failed";

const SLOW_BY_SQL: Readonly<Record<SlowBy, string>> = {
  ttft: "ttft_us",
  gap: "CASE WHEN len(gaps_us) > 0 THEN list_max(gaps_us) END",
  e2e: `CASE WHEN op NOT IN (${FOLLOWS_TASK.map(literal).join(", ")}) THEN e2e_us END`,
};

const SLOW_BY_NAMES = ["ttft", "gap", "e2e"] as const satisfies readonly SlowBy[];

/** Of requests that failed after the warm-up, and of polls that show that their task did. */
export const FAILED_OR_OF_FAILED = `phase <> 'warmup' AND (${HAS_FAILED} OR (op = 'video.poll' AND outcome = 'ok' AND task_state = 'failed'))`;

/** Those of the load, by the row of their line. */
const LINES = "(SELECT *, n AS row FROM call_lines)";

/**
 * The requests of a run that are worth looking at: of those that were measured and ok the slowest, and some that failed of each
 * kind, the first and others evenly spread over all of them.
 * @param origin instant of second 0, in milliseconds
 */
export async function notableRequests(database: Database, origin: number): Promise<ListedRequests> {
  const kind = "PARTITION BY op, outcome, coalesce(status, 0)";
  const kinds = `SELECT n, row_number() OVER (${kind} ORDER BY n) - 1 AS place, count(*) OVER (${kind}) AS of_all, min(n) OVER (${kind}) AS first
    FROM call_lines WHERE ${FAILED_OR_OF_FAILED}`;
  const isSpread = `of_all <= ${KEPT_FAILED} OR place = 0 OR (place * ${KEPT_FAILED}) // of_all <> ((place - 1) * ${KEPT_FAILED}) // of_all`;
  const spread = `SELECT n, first, dense_rank() OVER (ORDER BY first) AS kind FROM (${kinds}) WHERE ${isSpread}`;
  const queries = [
    ...SLOW_BY_NAMES.map((by) => slowestSql(by, KEPT, LINES)),
    `SELECT n AS picked, row_number() OVER (ORDER BY first, n) AS place FROM (${spread}) WHERE kind <= ${KINDS}`,
    medianSql(LINES),
  ];
  const all = queries.map((query, list) => `SELECT picked, ${list * LISTED} + place AS place FROM (${query})`);
  const lists = new Map<number, NotableRequest[]>();
  for (const { place, record } of await placedRecords(database, all.join(" UNION ALL "))) {
    const list = Math.floor(place / LISTED);
    lists.set(list, [...(lists.get(list) ?? []), notableOf(record, origin)]);
  }
  return {
    slowest: Object.fromEntries(
      SLOW_BY_NAMES.flatMap((by, list) => {
        const found = lists.get(list);
        return found === undefined ? [] : [[by, found]];
      }),
    ),
    failed: lists.get(SLOW_BY_NAMES.length) ?? [],
    ...omitUndefined({ median: lists.get(SLOW_BY_NAMES.length + 1) }),
  };
}

/** More than any list has. */
const LISTED = 1_000_000;

/**
 * A query that picks the slowest of the measured requests that were ok, the slowest first.
 * @param from the requests, each with its `row`
 */
export const slowestSql = (by: SlowBy, most: number, from = ROWS): string =>
  `SELECT picked, row_number() OVER (ORDER BY slow DESC, picked) AS place FROM (SELECT row AS picked, ${SLOW_BY_SQL[by]} AS slow FROM ${from}
    WHERE phase = 'measure' AND outcome = 'ok' AND slow IS NOT NULL ORDER BY slow DESC, picked LIMIT ${most})`;

/** A query that picks of each operation the measured ok request with the median time until the last byte. `from`: see `slowestSql`. */
export const medianSql = (from = ROWS): string => {
  const ok = `(SELECT row, op, e2e_us FROM ${from} WHERE phase = 'measure' AND outcome = 'ok' AND e2e_us IS NOT NULL)`;
  return `SELECT min(r.row) AS picked, row_number() OVER (ORDER BY picked) AS place FROM ${ok} AS r JOIN (SELECT op, quantile_disc(e2e_us, 0.5) AS median FROM ${ok} GROUP BY op) AS m ON m.op = r.op AND m.median = r.e2e_us GROUP BY r.op`;
};

const ROWS = `(SELECT *, n AS row FROM ${NUMBERED})`;

/** The records of the requests that a query picks: of each its row (`picked`) and its place among them. */
export const recordsOf = async (database: Database, picked: string): Promise<RequestRecord[]> =>
  (await placedRecords(database, picked)).map(({ record }) => record);

/** Their numbers first: by these few, the lists of gaps of all others need not be read. */
async function placedRecords(database: Database, picked: string) {
  const number = z.number();
  const chosen = await database.all(picked, z.object({ picked: number, place: number }));
  const found = await database.all(
    `SELECT * FROM ${NUMBERED} WHERE n IN (${["NULL", ...new Set(chosen.map((each) => each.picked))].join(", ")})`,
    z.looseObject({ n: number }),
  );
  const records = new Map(found.map((row) => [row.n, requestRecord.parse(lineOf(row))]));
  return chosen
    .toSorted((one, other) => one.place - other.place)
    .flatMap(({ place, picked: row }) => {
      const record = records.get(row);
      return record === undefined ? [] : [{ place, record }];
    });
}

/** What a list of requests says of one. @param origin instant of second 0, in milliseconds */
export function notableOf(record: RequestRecord, origin: number): NotableRequest {
  const { id, status, detail, ttft, e2e, model, workload, turn, task } = record;
  const isOfTask = showsFailedTask(record);
  return omitUndefined<NotableRequest>({
    id,
    op: isOfTask ? TASK : record.op,
    outcome: isOfTask ? "task_failed" : record.outcome,
    sentS: Math.round((readInstant(record.sent) - origin) * 1_000) / 1_000_000,
    status: isOfTask ? undefined : status || undefined,
    reason: detail ?? (isOfTask ? TASK_REASONS.task_failed : undefined),
    ttftMs: ttft,
    gapMs: SLOW_BY.gap(record),
    e2eMs: e2e,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    maxTokens: record.max_tokens,
    model,
    workload,
    turn,
    task,
    arrival: record.arrival,
    lateMs: record.lag === undefined ? undefined : rounded(readInstant(record.sent) - readInstant(record.scheduled)),
    slotMs: record.slot_wait || undefined,
    lookupMs: record.lookup,
    connectMs: record.connect,
    tlsMs: record.tls,
    ttfbMs: record.ttfb,
    chunks: record.chunks,
    progress: record.progress,
    state: record.task_state,
    ...chunkTimes(record),
    completion: record.completion,
    traceId: record.trace_id,
  });
}

/** Chunks and gaps of a request that are listed at most, and stalls. */
const MOST_CHUNKS = 100;
const MOST_STALLS = 20;
const STALL_US = STALL_MS * 1_000;

/** When chunks came, the gaps between them, and which of these are stalls; none of a request without gaps. */
function chunkTimes({
  ttft,
  gaps_us: gaps = [],
}: RequestRecord): Pick<NotableRequest, "chunksMs" | "gapsMs" | "stallsMs"> {
  if (ttft === undefined || gaps.length === 0) return {};
  const width = Math.min(MOST_CHUNKS, gaps.length);
  const chunksMs = [ttft];
  const gapsMs: number[] = [];
  const stallsMs: [number, number][] = [];
  let [at, most] = [ttft, 0];
  for (const [index, us] of gaps.entries()) {
    if (us > STALL_US && stallsMs.length < MOST_STALLS) stallsMs.push([rounded(at), rounded(at + us / 1_000)]);
    at += us / 1_000;
    most = Math.max(most, us / 1_000);
    if (Math.floor(((index + 1) * width) / gaps.length) === Math.floor((index * width) / gaps.length)) continue;
    chunksMs.push(rounded(at));
    gapsMs.push(rounded(most));
    most = 0;
  }
  return { chunksMs, gapsMs, ...(stallsMs.length > 0 && { stallsMs }) };
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
