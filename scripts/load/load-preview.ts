/** What a load would send, for `--plan`, which sends nothing. */

import type { TraceFacts } from "../../formats/load.ts";
import { haveOwnArrivals } from "../../load/inputs/random.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { type Stream, streamsOf, usersOf } from "../../load/shape/streams.ts";
import { arrivalsOfTrace, countWithin } from "../../load/shape/traces.ts";
import { eventsIn } from "../../load/spec/rates.ts";
import { traceRows } from "../../reports/load/views/trace-words.ts";
import { formatShare } from "../../reports/numbers.ts";
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
    ...(settings.plannedCached === undefined
      ? []
      : [["  of these in prefixes sent before", formatShare(settings.plannedCached)] as const]),
    [
      "max_tokens in all",
      formatCount(told && cost.outputTokens > 0 ? told.output(cost.outputTokens) : times * cost.outputTokens),
    ],
    ["video tasks", formatCount(times * cost.videoJobs)],
    ...(plan.replayed === undefined ? [] : traceRows(plan.replayed)),
  ]);
}

/**
 * The share of all input tokens in prefixes, or blocks of a trace, that are to be sent before; undefined where none are planned, and of
 * conversations, whose turns send what was sent before as well.
 */
export function plannedCached(
  plan: Pick<LoadPlan, "scenario" | "settings" | "trace"> & { readonly replayed?: TraceFacts | undefined },
): number | undefined {
  const { settings, replayed } = plan;
  const { sharedTokens, inputTokens } = replayed ?? {};
  if (sharedTokens !== undefined && inputTokens !== undefined) return sharedTokens / inputTokens;
  const { workloads } = withMeans(settings);
  if (!workloads.some((each) => each.sharedPrefixTokens) || workloads.some(({ turns }) => turns)) return undefined;
  const all = Math.min(arrivalsOf(plan), MANY_ARRIVALS);
  let [input, cached] = [0, 0];
  for (const [position, { promptTokens }] of workloads.entries()) {
    const own = settings.workloads[position];
    if (own === undefined) continue;
    const count = Math.min(arrivalsOfWorkload(own, plan, all), MANY_ARRIVALS);
    const { tokens = 0, texts = 0, share = 0 } = own.sharedPrefixTokens ?? {};
    input += count * promptTokens;
    cached += tokens * Math.max(0, count * share - (own.prime ? 0 : texts));
  }
  return cached / input;
}

/** In place of the number of arrivals of virtual users, which nobody knows before. */
const MANY_ARRIVALS = 1e9;

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
