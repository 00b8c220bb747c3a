/** A load whose rate changes in stages, stage by stage: from which rate on the target degrades. */

import { z } from "zod";
import type { RateStep } from "../../../formats/run.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { parseRates, type RateProfile } from "../../../settings/load/rates.ts";
import type { Database } from "../../tables/database.ts";
import { allOf, MEASURED, type Requests } from "../read/measured-requests.ts";
import { isFailure, UNIT_OUTCOMES } from "../read/unit-outcomes.ts";
import { waitedSql } from "../read/unit-rows.ts";
import { censoredDistribution } from "../stats/censored-distribution.ts";
import { Sample } from "../stats/sample.ts";
import type { Plan, Span } from "./span.ts";

/**
 * The latencies that represent a step: the first that the run has. Those from the scheduled start come first, because a
 * target that cannot keep up shows in them alone.
 */
const LATENCIES = ["ttft_scheduled", "e2e_scheduled", "ttft", "e2e"] as const satisfies readonly MetricName[];

/** The figures of each stage; undefined when the rate has one stage only, or is not known. */
export async function stepsOf(
  requests: Requests,
  { rate, duration }: Plan,
  span: Span,
): Promise<RateStep[] | undefined> {
  const stages = stagesOf(rate);
  if (stages.length < 2 || duration === undefined || span.seconds === 0) return undefined;
  const { database } = requests;
  const length = duration / stages.length;
  const stage = `least(greatest(CAST(floor((scheduled_us / 1000 - ${span.from}) / ${length}) AS INTEGER), 0), ${stages.length - 1})`;
  const name = LATENCIES.find((candidate) => requests.facts.present.has(candidate));
  const failures = UNIT_OUTCOMES.filter(isFailure).map(literal).join(", ");
  const n = z.number();
  const units = await database.all(
    `SELECT ${stage} AS stage, count(*) AS due, count(*) FILTER (outcome IN (${failures})) AS failed, count(*) FILTER (outcome = 'not_started') AS "notStarted" FROM units WHERE measured GROUP BY stage`,
    z.object({ stage: n, due: n, failed: n, notStarted: n }),
  );
  const steps: RateStep[] = [];
  for (const [index, { from, to }] of stages.entries()) {
    const { due = 0, failed = 0, notStarted = 0 } = units.find((each) => each.stage === index) ?? {};
    const latency = name === undefined ? undefined : await latencyOf(database, name, `${stage} = ${index}`, span);
    steps.push({
      rate: from === to ? `${from}/s` : `${from}..${to}/s`,
      fromS: (index * length) / 1_000,
      toS: ((index + 1) * length) / 1_000,
      due,
      failed,
      notStarted,
      ...(latency !== undefined && { latency }),
    });
  }
  return steps;
}

async function latencyOf(
  database: Database,
  name: MetricName,
  where: string,
  span: Span,
): Promise<RateStep["latency"]> {
  const { unit, scheduled } = metric(name);
  const values = new Sample(
    database,
    `SELECT ${name} AS v FROM calls WHERE ${allOf(MEASURED, "outcome = 'ok'", `${name} IS NOT NULL`, where)}`,
  );
  const waits = scheduled
    ? new Sample(
        database,
        `SELECT CAST(${waitedSql(span.to)} AS DOUBLE) AS v FROM units WHERE ${allOf("measured", "outcome = 'not_started'", where)}`,
      )
    : new Sample();
  const summary = await censoredDistribution(values, waits);
  return summary && { name, unit, ...summary };
}

/** The stages of a rate that is told; none of another. */
export function stagesOf(rate: Plan["rate"]): RateProfile {
  try {
    return typeof rate === "string" ? parseRates(rate) : [];
  } catch {
    return [];
  }
}
