/** What a load would send, for `--plan`, which sends nothing. */

import { haveOwnArrivals } from "../../load/inputs/random.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { type Stream, streamsOf, usersOf } from "../../load/shape/streams.ts";
import { arrivalsOfTrace, countWithin } from "../../load/shape/traces.ts";
import { eventsIn } from "../../load/spec/rates.ts";
import { traceRows } from "../../reports/load/views/trace-words.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import { formatCount, preview } from "../cli/preview.ts";
import { withMeans } from "./drawn-lengths.ts";
import type { LoadPlan } from "./plan-load.ts";

/** The plan of a load; a closed loop sends as much as its target can take, which nobody knows before. */
export function loadPreview(plan: LoadPlan): string {
  const { scenario, settings, trace, repeat } = plan;
  const { target, segment } = settings;
  const cost = costOf(scenario, withMeans(settings));
  const arrivals = arrivalsOf(plan);
  const isKnown = Number.isFinite(arrivals);
  const times = isKnown ? arrivals : 1;
  const pace = isKnown ? "" : ` ${usersOf(settings)} virtual users send as fast as it responds; each iteration costs:`;
  const runs = repeat.times === 1 ? "" : ` ${repeat.times} runs, each with:`;
  const told = trace && countWithin(trace, settings.warmup + settings.duration, arrivals);
  return preview(`Would load ${target} with ${scenario}; nothing is sent.${runs}${pace}`, [
    ["arrivals", formatCount(times)],
    ...(segment === undefined || !isKnown
      ? []
      : [[`  in segment ${segment.part}/${segment.of}, about`, formatCount(times / segment.of)] as const]),
    ["input tokens, about", formatCount(told ? told.input(cost.inputTokens) : times * cost.inputTokens)],
    [
      "max_tokens in all",
      formatCount(told && cost.outputTokens > 0 ? told.output(cost.outputTokens) : times * cost.outputTokens),
    ],
    ["video tasks", formatCount(times * cost.videoJobs)],
    ...(plan.replayed === undefined ? [] : traceRows(plan.replayed)),
  ]);
}

/** Arrivals of a whole run, warm-up included; infinite for users that nothing else limits. */
export function arrivalsOf({ scenario, settings, trace }: Pick<LoadPlan, "scenario" | "settings" | "trace">): number {
  if (trace !== undefined) return arrivalsOfTrace(trace, settings);
  return streamsOf(scenario, settings).reduce((sum, stream) => sum + arrivalsOfStream(stream, settings), 0);
}

/**
 * Those of one workload, of all that workloads share or of its own stream.
 * @param all arrivals of the whole run
 */
export function arrivalsOfWorkload(
  { name, weight = 1 }: Workload,
  { scenario, settings }: Pick<LoadPlan, "scenario" | "settings">,
  all: number,
): number {
  const { workloads } = settings;
  if (workloads.length === 1) return all;
  if (!haveOwnArrivals(workloads)) {
    return (all * weight) / workloads.reduce((sum, { weight: each = 1 }) => sum + each, 0);
  }
  const own = streamsOf(scenario, settings).filter((stream) => stream.name === name);
  return own.reduce((sum, stream) => sum + arrivalsOfStream(stream, settings), 0);
}

/** Those of one stream. */
function arrivalsOfStream(
  { rate, maxRequests = Number.POSITIVE_INFINITY }: Stream,
  { warmup, duration }: LoadSettings,
): number {
  if (rate === undefined) return warmup > 0 ? Number.POSITIVE_INFINITY : maxRequests;
  return (warmup / 1_000) * (rate[0]?.from ?? 0) + Math.min(maxRequests, eventsIn(rate, duration));
}
