/** A load whose rate changes in stages, stage by stage: from which rate on the target degrades. */

import type { RateStep } from "../../../formats/run.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { parseRates, type RateProfile } from "../../../load/spec/rates.ts";
import type { Requests } from "../read/request-columns.ts";
import { isFailure, type Units } from "../read/work-units.ts";
import { censoredDistribution } from "../stats/censored-distribution.ts";
import { Column } from "../stats/column.ts";
import type { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import type { Plan, Span } from "./span.ts";

/**
 * The latencies that represent a step: the first that the run has. Those from the scheduled start come first, because a
 * target that cannot keep up shows in them alone.
 */
const LATENCIES = ["ttft_scheduled", "e2e_scheduled", "ttft", "e2e"] as const satisfies readonly MetricName[];

interface Step {
  due: number;
  failed: number;
  readonly latencies: Column;
  /** How long each arrival that never started had waited at the end of the measured window. */
  readonly waits: Column;
}

/** The figures of each stage; undefined when the rate has one stage only, or is not known. */
export function stepsOf(
  requests: Requests,
  units: Units,
  { rate, duration }: Plan,
  span: Span,
  store: PageStore,
): RateStep[] | undefined {
  const stages = stagesOf(rate);
  if (stages.length < 2 || duration === undefined || span.seconds === 0) return undefined;
  const length = duration / stages.length;
  const gathered = stages.map(
    (): Step => ({
      due: 0,
      failed: 0,
      latencies: new Column(store),
      waits: new Column(store),
    }),
  );
  const at = (instant: number): Step | undefined => {
    const index = Math.floor((instant - span.from) / length);
    return gathered[Math.min(Math.max(index, 0), stages.length - 1)];
  };
  const name = LATENCIES.find((candidate) => requests.sample(candidate).count > 0);
  addUnits(units, span, at);
  if (name !== undefined) addLatencies(requests, name, at);
  return gathered.map((step, index) => {
    const { from = 0, to = 0 } = stages[index] ?? {};
    const latency = name === undefined ? undefined : latencyOf(step, name, store);
    return {
      rate: from === to ? `${from}/s` : `${from}..${to}/s`,
      fromS: (index * length) / 1_000,
      toS: ((index + 1) * length) / 1_000,
      due: step.due,
      failed: step.failed,
      notStarted: step.waits.length,
      ...(latency !== undefined && { latency }),
    };
  });
}

function addUnits(units: Units, span: Span, at: (instant: number) => Step | undefined): void {
  for (let row = 0; row < units.length; row += 1) {
    const { measured, scheduled, outcome } = units.unit(row);
    const step = measured ? at(scheduled) : undefined;
    if (step === undefined) continue;
    step.due += 1;
    if (isFailure(outcome)) step.failed += 1;
    if (outcome === "not_started") step.waits.push(Math.max(0, span.to - scheduled));
  }
}

function addLatencies(requests: Requests, name: MetricName, at: (instant: number) => Step | undefined): void {
  for (let index = 0; index < requests.length; index += 1) {
    const latency = requests.at(name, index);
    if (!requests.measured(index) || !requests.ok(index) || Number.isNaN(latency)) continue;
    at(requests.at("scheduled", index))?.latencies.push(latency);
  }
}

function latencyOf({ latencies, waits }: Step, name: MetricName, store: PageStore): RateStep["latency"] {
  const { unit, scheduled } = metric(name);
  const largerThan = scheduled ? new Sample(waits.each, store) : Sample.of([]);
  const summary = censoredDistribution(new Sample(latencies.each, store), largerThan);
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
