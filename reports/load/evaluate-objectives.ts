/** The objectives of a load, compared with what was measured. */

import type { Outage, SloResult } from "../../formats/run.ts";
import { parseSlo, type Slo, shareBeyond } from "../../load/objectives/slo.ts";
import { confidenceOf } from "../../settings/load/confidence.ts";
import type { Database } from "../tables/database.ts";
import { measuredByDuration } from "./load-course.ts";
import { type LoadFiles, type MeasuredLoad, measureLoad } from "./measured-load.ts";
import type { Beyond } from "./metrics/beyond-bound.ts";
import { type CanaryAnswers, canaryMetric } from "./metrics/canary-answers.ts";
import { evaluateSlos, type Measured } from "./metrics/evaluate-slo.ts";
import { isWindowed, type MeasuredWindows } from "./metrics/evaluate-windows.ts";
import { requestBounds } from "./metrics/request-bounds.ts";

/** What else was observed of the load. */
interface Observed {
  readonly outages?: readonly Outage[];
  readonly canary?: CanaryAnswers | undefined;
  /** The queue of the target grew. */
  readonly grows?: boolean;
}

/** The objectives, compared with what they ask for. */
export async function evaluateObjectives(
  load: MeasuredLoad,
  slos: readonly Slo[],
  { outages = [], canary, grows = false }: Observed = {},
): Promise<SloResult[]> {
  const measured = new Map<Slo["part"], Measured | undefined>();
  const beyond = new Map<Slo, Beyond | undefined>();
  const windows = new Map<Slo, MeasuredWindows | undefined>();
  const recoveries = new Map<Slo, SloResult | undefined>();
  const alike = new Map<Slo, number | undefined>();
  for (const slo of slos) {
    const part = load.named(slo.part);
    const units = await part?.units;
    measured.set(slo.part, units && { ...units, metrics: { ...units.metrics, ...canaryMetric(canary) } });
    if (slo.metric === "goodput_share") alike.set(slo, await part?.alike(slo));
    if (slo.metric === "recovery") recoveries.set(slo, await part?.recovery(slo, slos, outages));
    else if (isWindowed(slo)) windows.set(slo, await part?.windows(slo));
    else if (shareBeyond(slo) !== undefined) beyond.set(slo, await part?.beyond(slo));
  }
  return evaluateSlos(slos, (part) => measured.get(part), {
    beyondOf: (slo) => beyond.get(slo),
    windowsOf: (slo) => windows.get(slo),
    recoveryOf: (slo) => recoveries.get(slo),
    confidence: confidenceOf(load.course.plan),
    alikeOf: (slo) => alike.get(slo),
    grows,
    lasts: measuredByDuration(load.course),
  });
}

/** An objective of a load that is asked alone. */
export interface OneObjective extends LoadFiles {
  readonly objective: string;
  /** The other objectives of the load: goodput needs the bounds among them. */
  readonly others: readonly string[];
}

/**
 * What one objective came to, without the rest of the result, and of how many arrivals.
 * @param database an empty one
 * @throws UsageError for an objective that cannot be read
 */
export async function evaluateObjective(
  { objective, others, ...files }: OneObjective,
  database: Database,
): Promise<{ readonly result: SloResult | undefined; readonly offered: number }> {
  const slo = parseSlo(objective);
  const load = await measureLoad(files, requestBounds([slo, ...others.map(parseSlo)]), database);
  const [result] = await evaluateObjectives(load, [slo]);
  const units = await load.named(slo.part)?.units;
  return { result, offered: units?.counts.offered ?? 0 };
}
