/** Objectives on what no response of a target holds: no load and no longer run decides them. Pure. */

import type { RunResult } from "../../formats/run.ts";
import { metric } from "../../load/objectives/metrics.ts";
import { parseSlo } from "../../load/objectives/slo.ts";

/** Ok requests of which one at least would have had a value, if the target sent what the metric measures. */
const ENOUGH = 10;

/** The objectives of a run that none of its requests has a value for, though many could have had one. */
export const neverMeasured = ({ slos, metrics, ops }: Pick<RunResult, "slos" | "metrics" | "ops">): readonly string[] =>
  slos.flatMap(({ expr, ok, criterion }) => {
    const { metric: name } = parseSlo(expr);
    const { ofRequest, ops: measured } = metric(name);
    if (ok !== null || criterion === true || ofRequest !== true || measured === undefined) return [];
    const could = measured.reduce((sum, op) => sum + (ops[op]?.calls.ok ?? 0), 0);
    return could >= ENOUGH && (metrics[name]?.count ?? 0) === 0 ? [expr] : [];
  });
