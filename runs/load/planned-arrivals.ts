/** How many arrivals a load has, before it starts, and how much of what they send is sent before. */

import { haveOwnArrivals } from "../../load/inputs/random.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { type Stream, streamsOf } from "../../load/shape/streams.ts";
import { arrivalsOfTrace, arrivalsWithin, meansOfTrace } from "../../load/shape/trace-counts.ts";
import type { TraceFacts } from "../../load/shape/trace-facts.ts";
import type { Trace } from "../../load/shape/traces.ts";
import { eventsIn } from "../../settings/load/rates.ts";
import { withMeans } from "./drawn-lengths.ts";

/** A load whose settings are known. */
export interface Planned {
  readonly scenario: string;
  readonly settings: LoadSettings;
  /** What is replayed, by the name of the workload; of a load of one, by its scenario. */
  readonly traces?: Readonly<Record<string, Trace>>;
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

/**
 * Arrivals of a whole run; infinite for users that nothing else limits.
 * @param isMeasured only those after the warm-up
 */
export function arrivalsOf(plan: Planned, isMeasured = false): number {
  return streamsOf(plan.scenario, plan.settings).reduce(
    (sum, each) => sum + arrivalsOfStream(each, plan, isMeasured),
    0,
  );
}

/**
 * Those of one workload, of all that workloads share or of its own stream.
 * @param all arrivals of the whole run
 */
export function arrivalsOfWorkload(
  { name, weight = 1 }: Pick<Workload, "name" | "weight">,
  plan: Planned,
  all: number,
  isMeasured = false,
): number {
  const { workloads } = plan.settings;
  if (workloads.length === 1) return all;
  if (!haveOwnArrivals(workloads)) {
    return (all * weight) / workloads.reduce((sum, { weight: each = 1 }) => sum + each, 0);
  }
  const own = streamsOf(plan.scenario, plan.settings).filter((stream) => stream.name === name);
  return own.reduce((sum, stream) => sum + arrivalsOfStream(stream, plan, isMeasured), 0);
}

/** Those of one stream. */
function arrivalsOfStream(
  { name, rate, maxRequests = Number.POSITIVE_INFINITY }: Stream,
  { settings: { warmup, duration }, traces }: Planned,
  isMeasured: boolean,
): number {
  const trace = traces?.[name];
  if (trace !== undefined) {
    const all = arrivalsOfTrace(trace, { warmup, duration, maxRequests });
    return isMeasured ? all - arrivalsWithin(trace, warmup) : all;
  }
  const before = isMeasured ? 0 : warmup;
  if (rate === undefined) return before > 0 ? Number.POSITIVE_INFINITY : maxRequests;
  return (before / 1_000) * (rate[0]?.from ?? 0) + Math.min(maxRequests, eventsIn(rate, duration));
}

/** What the cost of a load is estimated from: mean lengths, those that a trace states, and the arrivals of workloads that have their own. */
export function costed(plan: Planned) {
  const { scenario, settings, traces } = plan;
  const means = withMeans(settings);
  const statedBy = (name: string) => {
    const trace = traces?.[name];
    if (trace === undefined) return {};
    const arrivals = arrivalsOfWorkload({ name }, plan, arrivalsOf(plan));
    return { stated: (unknown: Parameters<typeof meansOfTrace>[2]) => meansOfTrace(trace, arrivals, unknown) };
  };
  if (settings.workload === undefined) return { ...means, ...statedBy(scenario) };
  const workloads = means.workloads.map((each) => ({
    ...each,
    ...(traces && { arrivals: arrivalsOfWorkload(each, plan, arrivalsOf(plan)), ...statedBy(each.name ?? "") }),
  }));
  return { ...means, workloads };
}
