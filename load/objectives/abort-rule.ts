/** Conditions that end a run, as they are written: an objective and the time over which it must hold. */

import { endSentence } from "../../lib/text.ts";
import { parseDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { parseSlo, type Slo } from "./slo.ts";

export interface AbortRule {
  /** As the user wrote it. */
  readonly expr: string;
  readonly slo: Slo;
  /** Length of the time that is looked at. */
  readonly windowMs: number;
}

const USAGE = "write one such as error_rate>20% over 10s or ttft_p99>5s over 30s";

/** A shorter time holds too few requests to say anything; progress comes once per second. */
const SHORTEST_MS = 1_000;

/**
 * Reads a condition such as `error_rate>20% over 10s`: what stands before `over` is written as objectives are.
 * @throws UsageError
 */
export function parseAbortRule(text: string): AbortRule {
  const expr = text.trim().replace(/\s+/g, " ");
  const [, condition, time] = /^(\S.*?) over (\S+)$/i.exec(expr) ?? [];
  if (condition === undefined || time === undefined) {
    throw new UsageError(`Cannot end the run on "${expr}": it does not name a time; ${USAGE}.`);
  }
  try {
    const slo = parseSlo(condition);
    const windowMs = parseDuration(time);
    if (windowMs < SHORTEST_MS) throw new UsageError(`"${time}" is shorter than 1s`);
    if (slo.within) throw new UsageError(`"${condition}" names windows; write the time after over alone`);
    if (slo.metric === "recovery") throw new UsageError(`"${condition}" is known at the end of the run only`);
    if (slo.each) throw new UsageError(`"${condition}" bounds each request; name a statistic`);
    return { expr, slo, windowMs };
  } catch (error) {
    const reason = reasonOf(error);
    const said = reason.includes("; write ") ? reason : `${reason}; ${USAGE}`;
    throw new UsageError(`Cannot end the run on "${expr}": ${endSentence(said)}`);
  }
}
