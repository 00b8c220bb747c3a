/**
 * Gaps between chunks, one by one: each with the instant at which it ended and the least and the most that it may truly be. They are
 * counted by value, so that percentiles of all of them are exact. Gaps and instants are in microseconds. Pure.
 */

import type { Slo } from "../../../load/objectives/slo.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import {
  isLate,
  isOfShards,
  lateSql,
  latesOf,
  overlapsSql,
  ownSql,
  rangeVerdicts,
  type ShardGroup,
  unless,
} from "./calls-sql.ts";
import { MEASURED } from "./measured-requests.ts";

/** Streams whose gaps count. */
const LISTED = "outcome = 'ok' AND len(gaps_us) > 0 AND NOT coalesce(list_contains(flags, 'buffered'), FALSE)";

const callsOf = (group: ShardGroup): string => `call_lines WHERE ${isOfShards(group, "shard", 0)}`;

/**
 * A row per gap of some shards: `n` of its request, `us`, `at_us`, `low` and `high`. The instants are sums over all gaps before, from which
 * those of earlier requests are taken away: one pass in the order of the records, without a sort.
 * @param where which requests
 * @param columns more columns, of `call_lines`
 * @param areCalls whether that table is there
 */
export function gapsOfShards(group: ShardGroup, { where = "TRUE", columns = "", areCalls = true } = {}): string {
  const { clocks, interruptions } = group;
  const late = isLate(group);
  const number = late && clocks.length > 1 ? `, ${areCalls ? "shard + 1" : "shard"} AS number` : "";
  const more = columns === "" ? "" : `, ${columns}`;
  const from = areCalls ? callsOf(group) : `${NUMBERED} WHERE ${isOfShards(group, "shard", 1)}`;
  const requests = `SELECT n, gaps_us, sent_us + coalesce(ttft_us, 0) AS first_us${number}${more} FROM ${from} AND ${LISTED} AND ${where}`;
  const begun = `SELECT *, CAST(sum(list_sum(gaps_us)) OVER (ROWS UNBOUNDED PRECEDING) - list_sum(gaps_us) AS BIGINT) AS begun FROM (${requests})`;
  const single = `SELECT * EXCLUDE (gaps_us), unnest(gaps_us) AS us FROM (${begun})`;
  const timed = `SELECT * EXCLUDE (first_us, begun), first_us - begun + CAST(sum(us) OVER (ROWS UNBOUNDED PRECEDING) AS BIGINT) AS at_us FROM (${single})`;
  if (!late) return `SELECT *, us AS low, us AS high FROM (${timed})`;
  const lateAt = (instant: string): string => `CAST(ceil(${lateSql(group, instant, "number")} * 1000) AS BIGINT)`;
  const isHit = overlapsSql(interruptions, "at_us - us", "at_us");
  const low = `greatest(0, us - ${lateAt("at_us")})`;
  return `SELECT timed.*, ${unless(isHit, "0", low)} AS low, us + ${lateAt("at_us - us")} AS high FROM (${timed}) AS timed, ${latesOf(group)}`;
}

/** What the gaps of each request say of these bounds. */
export function gapChecks(group: ShardGroup): string {
  const columns = group.bounds.flatMap((bound: Slo, index) => {
    if (bound.metric !== "icl") return [];
    const { met, broken, surely, near } = rangeVerdicts(bound, "us / 1000", "low / 1000", "high / 1000");
    return Object.entries({ met, broken, surely, near }).map(
      ([name, condition]) => `bool_or(${condition}) AS gap_${name}_${index}`,
    );
  });
  return `SELECT n, ${columns.join(", ")} FROM (${gapsOfShards(group, { areCalls: false })}) GROUP BY n`;
}

/** Gaps of measured requests counted by value, as recorded (`pool`) and as they are at least and at most. */
export function countedByValue(group: ShardGroup): string {
  if (!group.has.lateness) {
    // Without their instants, which take most of the time.
    const lengths = `SELECT kind, unnest(gaps_us) AS us FROM ${callsOf(group)} AND ${LISTED} AND ${MEASURED}`;
    return `SELECT kind, 'pool' AS shape, TRUE AS listed, us, count(*) AS n FROM (${lengths}) GROUP BY kind, us`;
  }
  const gaps = gapsOfShards(group, { where: MEASURED, columns: "kind" });
  return `SELECT kind, CASE WHEN us IS NOT NULL THEN 'pool' WHEN low IS NOT NULL THEN 'least' ELSE 'most' END AS shape, TRUE AS listed, coalesce(us, low, high) AS us, n
    FROM (SELECT kind, us, low, high, count(*) AS n FROM (${gaps}) GROUP BY GROUPING SETS ((kind, us), (kind, low), (kind, high)))`;
}

/** The same of gaps out of a histogram, which does not say when each was: any may have the largest error of all. */
export function countedInHistograms(group: ShardGroup): string {
  const largest = ownSql(group, "shard", (clock) => Math.ceil(clock.largest * 1_000));
  const counted = `SELECT kinds.kind, c.shard, gap_us, count AS n FROM counted_gaps AS c JOIN kinds ON kinds.op = c.op AND kinds.workload IS NOT DISTINCT FROM c.workload AND kinds.model IS NULL AND kinds.turn IS NULL WHERE ${isOfShards(group, "c.shard", 1)} AND c.phase = 'measure'`;
  const shape = (name: string, us: string): string =>
    `SELECT kind, '${name}' AS shape, FALSE AS listed, ${us} AS us, n FROM (${counted})`;
  const own = shape("pool", "gap_us");
  if (!group.has.lateness) return own;
  return [own, shape("least", `greatest(0, gap_us - ${largest})`), shape("most", `gap_us + ${largest}`)].join(
    " UNION ALL ",
  );
}
