/** Whether the queue of the target grew, of a whole load or of a workload that has a rate of its own. */

import { z } from "zod";
import type { RunResult } from "../../../formats/run.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { parseRates, steadyRate } from "../../../settings/load/rates.ts";
import type { Span } from "../metrics/span.ts";
import { allOf } from "../read/measured-requests.ts";
import type { RunWorkload } from "../read/run-workloads.ts";
import type { Read } from "../read/shards.ts";
import type { UnitOutcome } from "../read/unit-outcomes.ts";
import { unitsSql } from "../read/unit-rows.ts";
import { BLOCK_QUANTILES, QUEUE_BLOCKS, saturationOf } from "./saturation.ts";

type Gathered = Pick<Read, "database">;

/** What was planned, and when it took place. */
interface Course {
  readonly plan: RunResult["settings"];
  readonly span: Span;
}

/**
 * Outcomes of units that took their time, and of those that were cut off, which took at least that; other failures may have been
 * quick because the target refused them.
 */
const TOOK_THEIR_TIME: readonly UnitOutcome[] = ["ok", "timeout", "stalled", "unfinished"];

/**
 * Growth of the target's queue, of an open loop whose rate is constant.
 * @param own a workload that has arrivals of its own; absent: the whole load
 */
export async function queueGrowth(
  { database }: Gathered,
  { plan, span }: Course,
  own?: RunWorkload,
): Promise<RunResult["saturation"]> {
  const rate = own === undefined ? plan.rate : ownRateOf(own);
  if (typeof rate !== "number" || plan.vus !== undefined || span.seconds === 0) return undefined;
  const block = `least(greatest(floor((scheduled_us / 1000 - ${span.from}) / ${(span.seconds * 1_000) / QUEUE_BLOCKS}), 0), ${QUEUE_BLOCKS - 1})`;
  const took = `CASE WHEN outcome = 'not_started' THEN CAST('infinity' AS DOUBLE) ELSE (end_us - scheduled_us) / 1000 END`;
  const isTimed = `(outcome = 'not_started' OR (outcome IN (${TOOK_THEIR_TIME.map(literal).join(", ")}) AND end_us IS NOT NULL))`;
  // A number, or infinite.
  const n = z.custom<number>((value) => typeof value === "number");
  const blocks = await database.all(
    `SELECT count(*) AS count, ${Object.entries(BLOCK_QUANTILES)
      .map(([name, share]) => `quantile_disc(${took}, ${share}) AS ${name}`)
      .join(", ")} FROM units
      WHERE ${allOf("measured", isTimed, unitsSql(own === undefined ? {} : { workloads: [own.name] }))} GROUP BY ${block} ORDER BY ${block}`,
    z.object({ count: z.number(), p10: n, p50: n, p90: n, low: n }),
  );
  return saturationOf(blocks, span.seconds);
}

/** A constant rate of a workload's own, in arrivals per second. */
function ownRateOf({ settings }: RunWorkload): number | undefined {
  const rate = settings?.["rate"];
  return rate === undefined ? undefined : steadyRate(parseRates(rate));
}

/** The workloads with a rate of their own for which the queue of the target grew. */
export async function saturatedWorkloads(
  read: Gathered,
  course: Course,
  workloads: readonly RunWorkload[] = [],
): Promise<ReadonlyMap<string, NonNullable<RunResult["saturation"]>>> {
  const saturated = new Map<string, NonNullable<RunResult["saturation"]>>();
  for (const workload of workloads) {
    const saturation = await queueGrowth(read, course, workload);
    if (saturation !== undefined) saturated.set(workload.name, saturation);
  }
  return saturated;
}
