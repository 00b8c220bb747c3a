/** How many arrivals a load has, before it starts, and how much of what they send is sent before. */

import { haveOwnArrivals } from "../../load/inputs/random.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { type Stream, streamsOf } from "../../load/shape/streams.ts";
import type { TraceFacts } from "../../load/shape/trace-facts.ts";
import { arrivalsOfTrace, type Trace } from "../../load/shape/traces.ts";
import { eventsIn } from "../../load/spec/rates.ts";
import { withMeans } from "./drawn-lengths.ts";

/** A load whose settings are known. */
interface Planned {
  readonly scenario: string;
  readonly settings: LoadSettings;
  readonly trace?: Trace;
}

/**
 * The share of all input tokens in prefixes, or blocks of a trace, that are to be sent before; undefined where none are planned, and of
 * conversations, whose turns send what was sent before as well.
 */
export function plannedCached(plan: Planned & { readonly replayed?: TraceFacts | undefined }): number | undefined {
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
export function arrivalsOf({ scenario, settings, trace }: Planned): number {
  if (trace !== undefined) return arrivalsOfTrace(trace, settings);
  return streamsOf(scenario, settings).reduce((sum, stream) => sum + arrivalsOfStream(stream, settings), 0);
}

/**
 * Those of one workload, of all that workloads share or of its own stream.
 * @param all arrivals of the whole run
 */
export function arrivalsOfWorkload(
  { name, weight = 1 }: Workload,
  { scenario, settings }: Planned,
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
