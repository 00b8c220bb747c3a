/**
 * The table `calls`: of each request what figures are computed from, with what only the whole load tells of it: its workload, its
 * model, its phase, the least that each of its latencies may truly be, and how it compares with bounds on each request.
 * Instants are in microseconds since 1970, durations in milliseconds. Pure.
 */

import { isDeepStrictEqual } from "node:util";
import { OPS } from "../../../contract/operations.ts";
import { literal, quoted } from "../../../lib/duckdb.mjs";
import { longestAllowedUs } from "../../../load/objectives/bound.ts";
import { type MetricName, metric, STALL_MS } from "../../../load/objectives/metrics.ts";
import { isUpper, type Slo } from "../../../load/objectives/slo.ts";
import { listOf } from "../../tables/columns.ts";
import { metricSql, REQUEST_METRICS } from "../../tables/metric-sql.ts";
import { ENDED_BY_US } from "../../tables/outcome-sql.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { type ClockError, SLICE_MS } from "./clock-error.ts";
import type { Interruptions } from "./interruptions.ts";
import { canSend, type RunWorkload } from "./run-workloads.ts";

/** What is known of shards before their requests are read: of some that follow each other and differ in their clocks alone. */
export interface ShardGroup {
  /** The number of the first, from 0. */
  readonly first: number;
  /** In their order. */
  readonly clocks: readonly ClockError[];
  /** Those of the only one; of several there are none. */
  readonly interruptions: Interruptions;
  readonly workloads: readonly RunWorkload[] | undefined;
  /** Whether their requests name models. */
  readonly hasModels: boolean;
  /** What was due before this instant, in microseconds, is of the warm-up; absent: nothing. */
  readonly steadyFromUs: number | undefined;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
  /** What only some loads have. */
  readonly has: Peculiarities;
}

/** Slices whose lateness a query holds at most, unless one shard alone has more. */
const MOST_SLICES = 1_000_000;

/** Shards of a load as groups, so that a load of many needs few queries. @param mostSlices 0: each is a group of its own */
export function groupsOf(shards: readonly ShardGroup[], mostSlices = MOST_SLICES): ShardGroup[] {
  const groups: ShardGroup[] = [];
  for (const shard of shards) {
    const last = groups.at(-1);
    if (last !== undefined && areAlike(last, shard) && slicesOf(last.clocks) + slicesOf(shard.clocks) <= mostSlices)
      groups[groups.length - 1] = { ...last, clocks: [...last.clocks, ...shard.clocks] };
    else groups.push(shard);
  }
  return groups;
}

const slicesOf = (clocks: readonly ClockError[]): number => clocks.reduce((sum, { slices }) => sum + slices.length, 0);
export const isLate = ({ clocks }: Pick<ShardGroup, "clocks">): boolean => clocks.some(({ largest }) => largest > 0);

function areAlike(one: ShardGroup, other: ShardGroup): boolean {
  const areSimple = [one, other].every(
    (each) => each.interruptions.all.length === 0 && each.steadyFromUs === undefined,
  );
  return (
    areSimple &&
    isLate(one) === isLate(other) &&
    one.hasModels === other.hasModels &&
    isDeepStrictEqual(one.workloads, other.workloads)
  );
}

/** The condition that a row is of one of these shards. @param offset number of the first shard of a load in that column */
export const isOfShards = ({ first, clocks }: ShardGroup, column: string, offset: 0 | 1): string =>
  clocks.length === 1
    ? `${column} = ${first + offset}`
    : `${column} BETWEEN ${first + offset} AND ${first + offset + clocks.length - 1}`;

/** What only some loads have, so that others need not be asked for it. */
export interface Peculiarities {
  /** Points at which clients leave; and those of them that are after they read their first token. */
  readonly leave: readonly string[];
  readonly readsFirstToken: readonly string[];
  /** Requests that we cut off. */
  readonly cutOff: boolean;
  /** Gaps that a histogram counts. */
  readonly countedGaps: boolean;
  /** Whether a load generator was late, so that values may truly be less or more. */
  readonly lateness: boolean;
}

/** Latencies that grow until something happens. */
const GROWING: readonly MetricName[] = ["ttfb", "ttft", "ttft_any", "ttft_scheduled", "e2e", "e2e_scheduled"];
/** Latencies until the first token or before. */
const UNTIL_FIRST: readonly MetricName[] = ["ttfb", "ttft", "ttft_any", "ttft_scheduled"];

const CONTENT_FLAG = "coalesce(list_contains(flags, 'buffered'), FALSE)";
const isIn = (column: string, values: readonly string[]): string =>
  values.length === 0 ? "FALSE" : `${column} IN ${listOf(values)}`;

/** The least that a latency of a request that was cut off can be; NULL for one that it has not. */
function lastedSql(name: MetricName): string {
  const { ops, scheduled } = metric(name);
  if (!GROWING.includes(name)) return "CAST(NULL AS DOUBLE)";
  const seen = metricSql(name);
  const passed = scheduled ? "(coalesce(e2e_us, 0) + sent_us - scheduled_us) / 1000" : "coalesce(e2e_us, 0) / 1000";
  const value = `coalesce(${seen}, ${passed})`;
  return ops === undefined ? value : `CASE WHEN ${isIn("op", ops)} THEN ${value} END`;
}

/**
 * What is known of a metric of a request. Of one that we cut off, it is what it is at least; of one whose client was to leave, what
 * is as if it had stayed: a latency that grows until after it leaves is not, also where the response was complete before.
 */
function knownSql(name: MetricName, { leave, readsFirstToken, cutOff }: Peculiarities): string {
  const own = metricSql(name);
  if (metric(name).over === "all" || (leave.length === 0 && !cutOff)) return own;
  const isKnown = GROWING.includes(name)
    ? UNTIL_FIRST.includes(name)
      ? isIn("leave", readsFirstToken)
      : "FALSE"
    : "outcome = 'ok'";
  return `CASE WHEN leave IS NOT NULL AND NOT (${isKnown}) THEN NULL WHEN outcome = 'cancelled_by_us' THEN ${lastedSql(name)} ELSE ${own} END`;
}

/** Whether one of the interruptions lies between two instants, at least in part. */
export function overlapsSql({ all }: Interruptions, from: string, to = from): string {
  if (all.length === 0) return "FALSE";
  const parts = all.map(
    (each) => `(${from} <= ${Math.round(each.to * 1_000)} AND ${to} >= ${Math.round(each.from * 1_000)})`,
  );
  return `coalesce(${parts.join(" OR ")}, FALSE)`;
}

/** A value where a condition does not hold, and another where it does. */
export const unless = (condition: string, other: string, value: string): string =>
  condition === "FALSE" ? value : `CASE WHEN ${condition} THEN ${other} ELSE ${value} END`;

const SLICE_US = SLICE_MS * 1_000;

/** How late a reading in each slice of each shard may have been, as one list. */
export const latesOf = (group: ShardGroup): string =>
  `(SELECT list(late ORDER BY shard, slice) AS lates FROM lateness WHERE ${isOfShards(group, "shard", 0)}) AS clock`;

/** A number that each shard of a group has of its own, by the number of the shard from 1. */
export function ownSql(
  { first, clocks }: ShardGroup,
  shard: string,
  of: (clock: ClockError, index: number) => number,
): string {
  const all = clocks.map(of);
  return all.every((each) => each === all[0]) ? String(all[0]) : `([${all.join(", ")}])[${shard} - ${first}]`;
}

/**
 * How late a reading at an instant may have been, in milliseconds, by that list.
 * @param shard the number of its shard, from 1
 */
export function lateSql(group: ShardGroup, instantUs: string, shard: string): string {
  const begin = ownSql(group, shard, (_, index) => 1 + slicesOf(group.clocks.slice(0, index)));
  const last = ownSql(group, shard, ({ slices }) => slices.length - 1);
  const startedUs = ownSql(group, shard, ({ startedAt }) => Math.round(startedAt * 1_000));
  return `lates[${begin} + CAST(greatest(0, least(${last}, (${instantUs} - ${startedUs}) // ${SLICE_US})) AS INTEGER)]`;
}

/** The instants whose lateness is needed, by the name of the join that has it. */
const READINGS = {
  late_sent: "sent_us",
  late_due: "scheduled_us",
  late_ttft: "sent_us + ttft_us",
  late_any: "sent_us + ttft_any_us",
  late_ttfb: "sent_us + ttfb_us",
  late_slot: "scheduled_us + slot_wait_us",
  late_end: "end_us",
} as const;
type Reading = keyof typeof READINGS;

/** From which reading to which a latency is. */
const BETWEEN: Readonly<Partial<Record<MetricName, readonly [Reading, Reading]>>> = {
  ttft: ["late_sent", "late_ttft"],
  ttft_any: ["late_sent", "late_any"],
  ttfb: ["late_sent", "late_ttfb"],
  e2e: ["late_sent", "late_end"],
  video_submit: ["late_sent", "late_end"],
  video_cancel: ["late_sent", "late_end"],
  ttft_scheduled: ["late_due", "late_ttft"],
  e2e_scheduled: ["late_due", "late_end"],
  slot_wait: ["late_due", "late_slot"],
};

/** Latencies whose true values are bounded by the lateness of the load generator. */
export const BANDED: readonly MetricName[] = REQUEST_METRICS.filter(
  (name) => BETWEEN[name] !== undefined || name === "tpot",
);

export const lowColumn = (name: MetricName): string => quoted(`low_${name}`);
/** The most that a time per token may truly be; other latencies are measured too long and never too short. */
export const HIGH_TPOT = "high_tpot";

const TOKEN_GAPS = "greatest(1, output_tokens - coalesce(reasoning_tokens, 0) - 1)";

/** The least that a latency may truly be; NULL of a request that does not have it. */
function lowSql(name: MetricName, { interruptions }: ShardGroup): string {
  const value = quoted(name);
  const less = (from: string, to: string, late: string): string =>
    unless(overlapsSql(interruptions, from, to), `0 * ${value}`, `${value} - least(${value}, ${late})`);
  if (name === "tpot") return less("sent_us + ttft_us", "end_us", `late_end / ${TOKEN_GAPS}`);
  const [from, to] = BETWEEN[name] ?? ["late_sent", "late_end"];
  // A call that started late is measured too long by as much.
  const lag = metric(name).scheduled ? " + greatest(0, coalesce(lag_us, 0)) / 1000" : "";
  return less(READINGS[from], READINGS[to], `${from} + ${to}${lag}`);
}

const highTpotSql = ({ interruptions }: ShardGroup): string =>
  unless(overlapsSql(interruptions, "sent_us + ttft_us", "end_us"), "tpot", `tpot + late_ttft / ${TOKEN_GAPS}`);

/** Bits of a request, by the number of a bound: see `BoundCheck`. */
const CHECKS = ["met", "broken", "surely", "near", "unknown"] as const;
type Verdicts = Readonly<Partial<Record<(typeof CHECKS)[number], string>>>;

export const holdsSql = ({ comparison, bound }: Pick<Slo, "comparison" | "bound">, value: string): string =>
  `(${value} ${comparison} ${bound})`;

/** Compares a value, and the least and the most that it may truly be, with a bound; NULL is compared with nothing. */
export function rangeVerdicts(bound: Slo, value: string, low: string, high: string): Verdicts {
  const isMet = `coalesce(${holdsSql(bound, value)}, FALSE)`;
  const isMissed = `coalesce(NOT ${holdsSql(bound, value)}, FALSE)`;
  const isNear = `coalesce(${holdsSql(bound, low)} <> ${holdsSql(bound, value)} OR ${holdsSql(bound, high)} <> ${holdsSql(bound, value)}, FALSE)`;
  return { met: isMet, broken: isMissed, surely: `(${isMissed} AND NOT ${isNear})`, near: isNear };
}

const both = (when: string, verdicts: Verdicts): Verdicts =>
  Object.fromEntries(Object.entries(verdicts).map(([name, condition]) => [name, `(${when} AND ${condition})`]));

const either = (all: readonly Verdicts[]): Verdicts =>
  Object.fromEntries(
    CHECKS.flatMap((name) => {
      const conditions = all.flatMap((each) => each[name] ?? []);
      return conditions.length === 0 ? [] : [[name, `(${conditions.join(" OR ")})`]];
    }),
  );

/** An error below this share of a bound is not what made a gap exceed it. */
const COUNTED_SHARE = 0.1;

/** What a request says of a bound: an ok one, or one that was cut off, which can only have exceeded it. */
function verdictsOf(bound: Slo, index: number, group: ShardGroup): Verdicts {
  const cutOff = isUpper(bound)
    ? `coalesce(${ENDED_BY_US} AND NOT is_hit AND NOT ${holdsSql(bound, quoted(`lasted_${index}`))}, FALSE)`
    : "FALSE";
  const ok = both(
    "outcome = 'ok'",
    bound.metric === "icl" ? gapVerdicts(bound, index, group) : okVerdicts(bound, index, group),
  );
  return either([{ broken: cutOff, surely: cutOff }, ok]);
}

function okVerdicts(bound: Slo, index: number, group: ShardGroup): Verdicts {
  const { metric: name } = bound;
  const value = quoted(`own_${index}`);
  const isBuffered = name === "tpot" ? [{ near: `(${value} IS NULL AND ${CONTENT_FLAG} AND is_hit)` }] : [];
  const [low, high] =
    isLate(group) && BANDED.includes(name) ? [lowColumn(name), name === "tpot" ? HIGH_TPOT : value] : [value, value];
  return either([rangeVerdicts(bound, value, low, high), ...isBuffered]);
}

/** Every gap of the request; a response that came in one read has none to speak of. */
function gapVerdicts(bound: Slo, index: number, group: ShardGroup): Verdicts {
  const isListed = `(NOT ${CONTENT_FLAG} AND len(gaps_us) > 0)`;
  const of = (what: string): string => `coalesce(${what} & ${1 << index} <> 0, FALSE)`;
  const listed = both(isListed, {
    met: `(${of("gap_met")} AND NOT ${of("gap_broken")})`,
    broken: of("gap_broken"),
    surely: of("gap_surely"),
    near: of("gap_near"),
  });
  const isCounted = `(NOT ${CONTENT_FLAG} AND gaps_us IS NULL AND gaps_over_us IS NOT NULL AND coalesce(chunks, 0) >= 2)`;
  const buffered = { near: `(${CONTENT_FLAG} AND is_hit)` };
  if (bound.comparison !== "<" && bound.comparison !== "<=") return either([listed, buffered, { unknown: isCounted }]);
  const longer = `TRY_CAST(gaps_over_us ->> ${literal(String(longestAllowedUs(bound.comparison, bound.bound)))} AS BIGINT)`;
  // A count does not say by how much the gaps exceed the bound.
  const isOurs = `(is_hit OR ${ownSql(group, "shard", ({ largest }) => largest)} > ${COUNTED_SHARE * bound.bound})`;
  const counted = both(isCounted, {
    unknown: `${longer} IS NULL`,
    met: `coalesce(${longer} = 0, FALSE)`,
    broken: `coalesce(${longer} > 0, FALSE)`,
    near: `coalesce(${longer} > 0 AND ${isOurs}, FALSE)`,
    surely: `coalesce(${longer} > 0 AND NOT ${isOurs}, FALSE)`,
  });
  return either([listed, counted, buffered]);
}

/** The bits of all bounds. */
function checkColumns(group: ShardGroup): string[] {
  const verdicts = group.bounds.map((bound, index) => verdictsOf(bound, index, group));
  return CHECKS.map((name) => {
    const bits = verdicts.flatMap((each, index) =>
      each[name] === undefined ? [] : [`CASE WHEN ${each[name]} THEN ${1 << index} ELSE 0 END`],
    );
    return `CAST(${bits.length === 0 ? "0" : bits.join(" + ")} AS INTEGER) AS ${name}`;
  });
}

/** The workload of a request: the one that it names, or the first that can send it. */
function workloadSql(workloads: readonly RunWorkload[] | undefined): string {
  const byOp = OPS.flatMap((op) => {
    const name = workloads?.find((each) => canSend(each, op))?.name;
    return name === undefined ? [] : [`WHEN ${literal(op)} THEN ${literal(name)}`];
  });
  return byOp.length === 0 ? "workload" : `coalesce(workload, CASE op ${byOp.join(" ")} END)`;
}

/** Arrivals of a shard of which a request or a line is early. */
export const earlyArrivals = (shard: number, steadyFromUs: number): string =>
  `SELECT arrival FROM requests WHERE shard = ${shard + 1} AND phase = 'measure' AND arrival IS NOT NULL AND scheduled_us < ${steadyFromUs} UNION SELECT arrival FROM arrivals WHERE shard = ${shard + 1} AND phase = 'measure' AND "end" <> 'not_started' AND scheduled_us < ${steadyFromUs}`;

/** A group that leaves something out has one shard. */
function phaseSql({ first, steadyFromUs }: ShardGroup): string {
  if (steadyFromUs === undefined) return "phase";
  return `CASE WHEN phase = 'measure' AND (scheduled_us < ${steadyFromUs} OR arrival IN (${earlyArrivals(first, steadyFromUs)})) THEN 'warmup' ELSE phase END`;
}

const STALL_US = STALL_MS * 1_000;
/** A response began: `answered` in SQL. */
const IS_ANSWERED = "(coalesce(status, 0) > 0 OR ttfb_us IS NOT NULL)";
/** A connection to the target was open: one that TLS refuses is none, and bytes that are not HTTP come from something else. `reached` in SQL. */
const IS_REACHED = "(reused IS NOT NULL AND outcome NOT IN ('malformed', 'tls'))";

/** Of a stream whose gaps count: how many it has, whether they are listed, and those that are stalls. */
const GAP_COLUMNS = [
  `(gaps_us IS NOT NULL OR gaps_over_us IS NOT NULL) AND NOT ${CONTENT_FLAG} AS has_gaps`,
  "CAST(CASE WHEN gaps_us IS NOT NULL THEN len(gaps_us) ELSE greatest(0, coalesce(chunks, 0) - 1) END AS INTEGER) AS gaps",
  "gaps_us IS NOT NULL AS listed",
  `CAST(CASE WHEN list_max(gaps_us) > ${STALL_US} THEN len(list_filter(gaps_us, lambda us: us > ${STALL_US})) WHEN gaps_us IS NOT NULL THEN 0 ELSE TRY_CAST(gaps_over_us ->> '${STALL_US}' AS BIGINT) END AS INTEGER) AS stalls`,
  "CAST(coalesce(coalesced, 0) AS INTEGER) AS coalesced",
];

/** Columns of the lines of requests that some figures need in addition: `call_lines` has them with those of `calls`. */
export const OF_LINES = "detail, cancel_reason, address, task_state, flags, gaps_us, ttft_us, e2e_us";

/**
 * The query whose rows are those of `calls` for some shards; `gap_checks` has what gaps say of bounds, where one is on them.
 * @param more further columns of the lines
 */
export function callsOfShards(group: ShardGroup, more = ""): string {
  const { interruptions, bounds } = group;
  const late = isLate(group);
  const hasGapBound = bounds.some(({ metric: name }) => name === "icl");
  const counted = "token_source = 'usage' AND output_tokens = 0 AND coalesce(chunks, 0) > 0";
  const base = `SELECT * REPLACE (
    ${phaseSql(group)} AS phase,
    ${workloadSql(group.workloads)} AS workload,
    CASE WHEN ${counted} THEN chunks ELSE output_tokens END AS output_tokens,
    CASE WHEN ${counted} THEN 'chunks' ELSE token_source END AS token_source,
    nullif(input_tokens, 0) AS input_tokens),
    sent_us + coalesce(e2e_us, ttft_us, ttfb_us, 0) AS end_us FROM ${NUMBERED} WHERE ${isOfShards(group, "shard", 1)}`;
  const values = `SELECT *, ${REQUEST_METRICS.map((name) => `CAST(${knownSql(name, group.has)} AS DOUBLE) AS ${quoted(`m_${name}`)}`).join(", ")},
    ${overlapsSql(interruptions, "sent_us", "sent_us + coalesce(e2e_us, 0)")} AS is_hit
    ${bounds.map((bound, index) => `, ${bound.metric === "icl" || metric(bound.metric).ofRequest !== true ? "CAST(NULL AS DOUBLE)" : metricSql(bound.metric)} AS own_${index}, ${lastedSql(bound.metric)} AS lasted_${index}`).join("")}
    FROM base`;
  const readings = Object.entries(READINGS).map(([name, instant]) => `${lateSql(group, instant, "shard")} AS ${name}`);
  const lows = BANDED.map((name) => `${late ? lowSql(name, group) : quoted(name)} AS ${lowColumn(name)}`);
  return `WITH base AS (${base}), values_ AS (${values}),
  known AS (SELECT n, shard, line, id, op, phase, outcome, status, arrival, workload, model, turn, turns, task, leave, flags, reused, resent, client_fault, token_source,
    scheduled_us, sent_us, end_us, e2e_us, ttft_us, lag_us, ttft_any_us, ttfb_us, slot_wait_us, gaps_us, gaps_over_us, chunks, coalesced, is_hit, detail, cancel_reason, address, task_state,
    ${REQUEST_METRICS.map((name) => `${quoted(`m_${name}`)} AS ${quoted(name)}`).join(", ")}
    ${bounds.map((_, index) => `, own_${index}, lasted_${index}`).join("")}
    FROM values_),
  late AS (SELECT known.*${late ? `, ${readings.join(", ")}` : ""} FROM known${late ? `, ${latesOf(group)}` : ""}),
  ranged AS (SELECT *, ${lows.join(", ")}, ${late ? highTpotSql(group) : "tpot"} AS ${HIGH_TPOT} FROM late)
  SELECT n, CAST(shard - 1 AS INTEGER) AS shard, line, op, phase, outcome, status, ${IS_ANSWERED} AS answered, ${IS_REACHED} AS reached, arrival, workload,
    ${group.hasModels ? "CASE WHEN arrival IS NULL THEN model ELSE first_value(model IGNORE NULLS) OVER (PARTITION BY shard, arrival ORDER BY line ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) END" : "CAST(NULL AS VARCHAR)"} AS model,
    CAST(turn AS INTEGER) AS turn, CAST(turns AS INTEGER) AS turns, leave, coalesce(reused, FALSE) AS reused, coalesce(resent, 0) AS resent, client_fault, token_source,
    scheduled_us, sent_us, end_us, CASE WHEN ttft IS NULL THEN end_us ELSE sent_us + ttft_us END AS first_us, is_hit,
    ${REQUEST_METRICS.map(quoted).join(", ")}, ${BANDED.map(lowColumn).join(", ")}, ${HIGH_TPOT},
    ${GAP_COLUMNS.join(", ")}, ${checkColumns(group).join(", ")}${more === "" ? "" : `, ${more}`}
  FROM ranged ${hasGapBound ? "LEFT JOIN gap_checks USING (n)" : ""}`;
}
