/** The units of work of a load: what is asked of them are queries over the table `units`. */

import { z } from "zod";
import { isWorkloadKind, type WorkloadKind } from "../../../contract/operations.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { metric } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import { listOf } from "../../tables/columns.ts";
import { type Database, optionalCell } from "../../tables/database.ts";
import type { BoundCheck } from "./bound-check.ts";
import { holdsSql } from "./calls-sql.ts";
import { allOf, type Due, dueSql } from "./measured-requests.ts";
import { UNIT_OUTCOMES, type UnitOutcome } from "./unit-outcomes.ts";

/** Units that are alike in everything that is counted. */
export interface Unit {
  readonly outcome: UnitOutcome;
  /** Whether they failed by a status that no pause of the load generator causes, such as 400. */
  readonly refused: boolean;
  /** Whether their arrivals were due in the measured window. */
  readonly measured: boolean;
  /** Undefined when no request was sent for them, or their workload is a scenario, which may send any. */
  readonly part: WorkloadKind | undefined;
  /** Name of their workload; undefined where the run has one. */
  readonly workload: string | undefined;
  /** Their model; undefined where no workload has several. */
  readonly model: string | undefined;
  /** Of those that submitted a video task: whether it was completed. */
  readonly task: "completed" | "other" | undefined;
  /** How they compare with the bounds that hold for each request. */
  readonly bounds: BoundCheck;
}

/** So many units. */
export interface UnitGroup extends Unit {
  readonly count: number;
  /** Whether they ended within the measured window. */
  readonly within: boolean;
  /** Of those that never started: bounds that they had waited too long for at its end, a bit each. */
  readonly waited: number;
}

/** Which units are looked at; absent: all. */
export interface WhichUnits {
  readonly workloads?: readonly string[];
  readonly model?: string;
  readonly due?: Due;
}

export const unitsSql = ({ workloads, model, due }: WhichUnits): string =>
  allOf(
    ...(workloads === undefined ? [] : [workloads.length === 0 ? "FALSE" : `workload IN ${listOf(workloads)}`]),
    ...(model === undefined ? [] : [`model = ${literal(model)}`]),
    ...dueSql(due),
  );

const optional = optionalCell(z.string());
const bits = z.number();

const groupRow = z
  .object({
    outcome: z.enum(UNIT_OUTCOMES as [UnitOutcome, ...UnitOutcome[]]),
    refused: z.boolean(),
    measured: z.boolean(),
    part: z
      .string()
      .nullable()
      .transform((part) => (isWorkloadKind(part) ? part : undefined)),
    workload: optional,
    model: optional,
    task: optionalCell(z.enum(["completed", "other"])),
    ...{ met: bits, broken: bits, surely: bits, near: bits, unknown: bits, waited: bits },
    within: z.boolean(),
    count: z.number(),
  })
  .transform(
    ({ met, broken, surely, near, unknown, ...unit }): UnitGroup => ({
      ...unit,
      bounds: { met, broken, surely, near, unknown },
    }),
  );

export class Units {
  readonly database: Database;
  /** Whether every unit has the number of its arrival, so that no arrival can have two. */
  readonly numbered: boolean;
  /** Whether some arrivals never started, and whether video tasks were accepted. */
  readonly someNeverStarted: boolean;
  readonly haveTasks: boolean;
  readonly #groups = new Map<string, Promise<readonly UnitGroup[]>>();

  private constructor(database: Database, found: Pick<Units, "numbered" | "someNeverStarted" | "haveTasks">) {
    this.database = database;
    this.numbered = found.numbered;
    this.someNeverStarted = found.someNeverStarted;
    this.haveTasks = found.haveTasks;
  }

  static async of(database: Database): Promise<Units> {
    const flag = z.boolean();
    const [found] = await database.all(
      `SELECT count(*) FILTER (own < 0) = 0 AS numbered, count(*) FILTER (outcome = 'not_started') > 0 AS "someNeverStarted", (SELECT count(*) FROM tasks_seen) > 0 AS "haveTasks" FROM units`,
      z.object({ numbered: flag, someNeverStarted: flag, haveTasks: flag }),
    );
    return new Units(database, found ?? { numbered: true, someNeverStarted: false, haveTasks: false });
  }

  /**
   * The units, those that are alike as one.
   * @param span the measured window, in milliseconds since 1970
   */
  groups(
    which: WhichUnits,
    { from, to }: { readonly from: number; readonly to: number },
    bounds: readonly Slo[] = [],
  ): Promise<readonly UnitGroup[]> {
    const exceeded = bounds.flatMap((bound, index) =>
      metric(bound.metric).scheduled
        ? [`CASE WHEN NOT ${holdsSql(bound, waitedSql(to))} THEN ${1 << index} ELSE 0 END`]
        : [],
    );
    const waited =
      exceeded.length === 0 ? "0" : `CASE WHEN outcome = 'not_started' THEN ${exceeded.join(" + ")} ELSE 0 END`;
    const sql = `SELECT outcome, refused, measured, part, workload, model, task, met, broken, surely, near, unknown,
      coalesce(end_us / 1000 BETWEEN ${from} AND ${to}, FALSE) AS within, ${waited} AS waited, count(*) AS count
      FROM units WHERE ${unitsSql(which)} GROUP BY ALL ORDER BY min(place)`;
    const known = this.#groups.get(sql) ?? this.database.all(sql, groupRow);
    this.#groups.set(sql, known);
    return known;
  }
}

/** How long an arrival that never started had waited at the end of the measured window, in milliseconds. */
export const waitedSql = (to: number): string => `greatest(0, ${to} - scheduled_us / 1000)`;
