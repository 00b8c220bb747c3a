/** A load whose rate changes in stages, stage by stage: from which rate on the target degrades. */

import type { RateStep } from "../../../formats/run.ts";
import { parseRates, type RateProfile } from "../../../settings/rates.ts";
import type { Requests } from "../read/request-columns.ts";
import { distribution } from "../stats/quantiles.ts";
import type { Plan, Span } from "./span.ts";

/** The latencies that represent a step: the first that the run has. */
const LATENCIES = ["ttft", "e2e"] as const;

/** The figures of each stage; undefined when the rate has one stage only, or is not known. */
export function stepsOf(requests: Requests, { rate, duration }: Plan, span: Span): RateStep[] | undefined {
  const stages = stagesOf(rate);
  if (stages.length < 2 || duration === undefined || span.seconds === 0) return undefined;
  const length = duration / stages.length;
  const name = LATENCIES.find((candidate) => requests.values(candidate).length > 0);
  const gathered = stages.map(() => ({ requests: 0, ok: 0, latencies: [] as number[] }));
  for (let index = 0; index < requests.length; index += 1) {
    if (!requests.measured(index)) continue;
    const at = Math.floor((requests.at("scheduled", index) - span.from) / length);
    const step = gathered[Math.min(Math.max(at, 0), stages.length - 1)];
    if (step === undefined) continue;
    step.requests += 1;
    if (!requests.ok(index)) continue;
    step.ok += 1;
    const latency = name === undefined ? Number.NaN : requests.at(name, index);
    if (!Number.isNaN(latency)) step.latencies.push(latency);
  }
  return gathered.map(({ requests, ok, latencies }, at) => {
    const { from = 0, to = 0 } = stages[at] ?? {};
    const spread = distribution(Float64Array.from(latencies).sort());
    return {
      rate: from === to ? `${from}/s` : `${from}..${to}/s`,
      fromS: (at * length) / 1_000,
      toS: ((at + 1) * length) / 1_000,
      requests,
      ok,
      ...(name !== undefined && spread !== undefined && { latency: { name, ...spread } }),
    };
  });
}

function stagesOf(rate: Plan["rate"]): RateProfile {
  try {
    return typeof rate === "string" ? parseRates(rate) : [];
  } catch {
    return [];
  }
}
