/** The requests that a page shows as points: all, or the slowest, those that failed, and others drawn by the seed of the run. */

import { z } from "zod";
import { FOLLOWS_TASK } from "../../../contract/operations.ts";
import { CLIENT_FAULTS } from "../../../formats/outcomes.ts";
import type { PointKind, RunPoints } from "../../../formats/run-points.ts";
import { quoted } from "../../../lib/duckdb.mjs";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { listOf } from "../../tables/columns.ts";
import { type Database, optionalCell } from "../../tables/database.ts";
import { HAS_FAILED } from "../../tables/outcome-sql.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";

/** Shown at most, and how many of the slowest first. */
const MOST = 20_000;
const SLOWEST = 1_000;

const n = z.number();
const optionalText = optionalCell(z.string());
const pointRow = z.object({
  op: z.string(),
  outcome: z.string(),
  status: n.nullable().transform((value) => value || undefined),
  clientFault: optionalCell(z.enum(CLIENT_FAULTS)),
  workload: optionalText,
  model: optionalText,
  isOfMetric: z.boolean(),
  id: z.string(),
  us: n,
  sentUs: n,
});

/** Which requests are chosen. */
interface Chosen {
  /** The latency that is their value; of video tasks, that of the task is the value of its submission. */
  readonly by: MetricName;
  /** Instant of second 0, in milliseconds. */
  readonly origin: number;
  readonly seed: number | null;
  readonly most?: number;
  readonly slowest?: number;
}

/** Undefined of a run without requests. */
export async function requestPoints(database: Database, chosen: Chosen): Promise<RunPoints | undefined> {
  const { by, origin, seed, most = MOST, slowest = SLOWEST } = chosen;
  const all = candidatesSql(by);
  const [counted] = await database.all(
    `SELECT count(*) AS requests, count(*) FILTER (${HAS_FAILED}) AS failed, least(count(main), ${slowest}) AS slowest FROM (${all})`,
    z.object({ requests: n, failed: n, slowest: n }),
  );
  if (counted === undefined || counted.requests === 0) return undefined;
  const isSample = counted.requests > most;
  // To look at all again takes less memory than to keep them; a table of the few that are drawn is joined as such.
  if (isSample)
    await database.run(`CREATE OR REPLACE TEMP TABLE drawn AS
      WITH p AS NOT MATERIALIZED (${all}), slow AS (SELECT n FROM p WHERE main IS NOT NULL ORDER BY main DESC, n LIMIT ${slowest})
      SELECT p.n FROM p LEFT JOIN slow ON slow.n = p.n WHERE slow.n IS NOT NULL OR ${mayBeDrawnSql(counted, most, seed)}
      ORDER BY CASE WHEN slow.n IS NOT NULL THEN 0 WHEN ${HAS_FAILED} THEN 1 ELSE 2 END, ${lotSql(seed)}, p.n LIMIT ${most}`);
  const rows = await database.all(
    `SELECT p.op, p.outcome, p.status, p.client_fault AS "clientFault", p.workload, p.model, main IS NOT NULL AS "isOfMetric", r.id, greatest(0, round(coalesce(main * 1000, end_us - p.sent_us)))::DOUBLE AS us, p.sent_us AS "sentUs"
      FROM (${all}) AS p ${isSample ? "JOIN drawn ON drawn.n = p.n" : ""} JOIN ${NUMBERED} AS r ON r.n = p.n ORDER BY p.sent_us, p.n`,
    pointRow,
  );
  return { metric: by, ...counted, ...(!isSample && { slowest: 0 }), ...columnsOf(rows, origin) };
}

const LOTS = 2 ** 32;

/** A number from 0 to 2^32 that each request draws: its own number, multiplied by the first prime of xxHash32 and mixed by the first two steps of its avalanche. */
function lotSql(seed: number | null): string {
  const own = `((p.n::UBIGINT * 2654435761 + ${(seed ?? 0) % LOTS}) % ${LOTS})`;
  const mixed = `(xor(${own}, ${own} >> 15) * 2246822519 % ${LOTS})`;
  return `xor(${mixed}, ${mixed} >> 13)`;
}

/**
 * Whether the lot of a request is among the lowest, of which there are more than are drawn, by ten standard errors: so that only
 * these are put in order.
 */
function mayBeDrawnSql(
  { requests, failed, slowest }: { readonly requests: number; readonly failed: number; readonly slowest: number },
  most: number,
  seed: number | null,
): string {
  const below = (drawn: number, of: number): number =>
    Math.min(LOTS, Math.ceil(((drawn + 10 * Math.sqrt(drawn) + 10) / Math.max(1, of)) * LOTS));
  const failures = Math.max(0, Math.min(failed, most - slowest));
  const others = most - slowest - failures;
  return `${lotSql(seed)} < CASE WHEN ${HAS_FAILED} THEN ${below(failures, failed)} ELSE ${below(others, requests - failed - slowest)} END`;
}

/** All that can be shown, each with the value of the metric (`main`, in milliseconds) of one that is ok and has it. */
function candidatesSql(by: MetricName): string {
  const own = metric(by).ofRequest !== true ? "NULL::DOUBLE" : `c.${quoted(by)}`;
  const isOfTasks = by === "video_work" || by === "video_work_scheduled";
  const main = isOfTasks ? `CASE WHEN c.op = 'video.submit' THEN t.work END` : own;
  const join = isOfTasks
    ? `LEFT JOIN (SELECT shard, own, max(${quoted(by)}) AS work FROM (SELECT shard, own, work AS video_work, work_scheduled AS video_work_scheduled FROM tasks_seen) GROUP BY ALL) AS t
      ON t.shard = c.shard AND t.own = CASE WHEN c.arrival IS NULL THEN -1 - c.n ELSE c.arrival END`
    : "";
  return `SELECT c.n, c.op, c.outcome, c.status, c.client_fault, c.workload, c.model, c.sent_us, c.end_us, CASE WHEN c.outcome = 'ok' THEN ${main} END AS main
    FROM calls AS c ${join} WHERE c.op NOT IN ${listOf(FOLLOWS_TASK)} OR c.${HAS_FAILED}`;
}

/** An id by which it begins, and the hexadecimal digits at its end, which number the requests of a load generator. */
const ID = /^(.*?)([0-9a-f]{0,12})$/s;

function columnsOf(rows: readonly z.infer<typeof pointRow>[], origin: number) {
  const places = new Map<string, number>();
  const kinds: PointKind[] = [];
  const points = rows.map(({ id, us, sentUs, ...more }) => {
    const [, begin = id, end = ""] = ID.exec(id) ?? [];
    const kind: PointKind = omitUndefined<PointKind>({ ...more, id: begin, digits: end.length });
    const key = JSON.stringify(kind);
    const place = places.get(key) ?? kinds.push(kind) - 1;
    places.set(key, place);
    return { place, us, sentMs: Math.round(sentUs / 1_000 - origin), number: Number.parseInt(`0${end}`, 16) };
  });
  return {
    kinds,
    kind: points.map(({ place }) => place),
    sentMs: points.map(({ sentMs }) => sentMs),
    us: points.map(({ us }) => us),
    number: points.map(({ number }) => number),
  };
}
