/** What a load would send, for `--plan`, which sends nothing. */

import { usersOf } from "../../load/shape/streams.ts";
import { formatAmount } from "../../reports/load/views/cost-rows.ts";
import { traceRows } from "../../reports/load/views/trace-words.ts";
import { formatShare } from "../../reports/numbers.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import { formatCount, preview, range } from "../cli/preview.ts";
import type { LoadPlan } from "./plan-load.ts";
import { arrivalsOf, costed, type Planned } from "./planned-arrivals.ts";
import { plannedCost } from "./planned-cost.ts";

/** What arrivals cost, where prices are given. @param arrivals the fewest and the most */
export function costRows(plan: Planned, arrivals: readonly [number, number]): [string, string][] {
  const { prices } = plan.settings;
  if (prices === undefined) return [];
  const costs = arrivals.map((count) => plannedCost({ ...plan, prices }, count));
  const between = (values: readonly number[]): string => range(values, (value) => formatAmount(value, prices.currency));
  return [
    ["cost, about, if responses have max_tokens", between(costs.map(({ expected }) => expected))],
    ["  at most, with the longest and dearest of each", between(costs.map(({ largest }) => largest))],
  ];
}

/** Which budgets a load is expected to use up before its end. */
function budgetRows(plan: Planned, arrivals: number): [string, string][] {
  const { maxCost, maxTokensTotal, prices } = plan.settings;
  const { inputTokens, outputTokens } = costOf(plan.scenario, costed(plan));
  const ends = (flag: string, most: number | undefined, used: number): [string, string][] =>
    most === undefined || used <= most
      ? []
      : [[`  ${flag} ${most}`, `ends the load after about ${formatShare(most / used)} of it`]];
  return [
    ...(prices === undefined ? [] : ends("--max-cost", maxCost, plannedCost({ ...plan, prices }, arrivals).expected)),
    ...ends("--max-tokens-total", maxTokensTotal, arrivals * (inputTokens + outputTokens)),
  ];
}

/** The plan of a load; a closed loop sends as much as its target can take, which nobody knows before. */
export function loadPreview(plan: LoadPlan): string {
  const { scenario, settings, repeat } = plan;
  const { target, segment } = settings;
  const cost = costOf(scenario, costed(plan));
  const arrivals = arrivalsOf(plan);
  const isKnown = Number.isFinite(arrivals);
  const times = isKnown ? arrivals : 1;
  const pace = isKnown ? "" : ` ${usersOf(settings)} virtual users send as fast as it responds; each iteration costs:`;
  const runs = repeat.times === 1 ? "" : ` ${repeat.times} runs, each with:`;
  return preview(`Would load ${target} with ${scenario}; nothing is sent.${runs}${pace}`, [
    ["arrivals", formatCount(times)],
    ...(segment === undefined || !isKnown
      ? []
      : [[`  in segment ${segment.part}/${segment.of}, about`, formatCount(times / segment.of)] as const]),
    ["input tokens, about", formatCount(times * cost.inputTokens)],
    ...(settings.plannedCached === undefined
      ? []
      : [["  of these in prefixes sent before", formatShare(settings.plannedCached)] as const]),
    ["max_tokens in all", formatCount(times * cost.outputTokens)],
    ["video tasks", formatCount(times * cost.videoJobs)],
    ...costRows(plan, [times, times]),
    ...(isKnown ? budgetRows(plan, times) : []),
    ...(plan.replayed === undefined ? [] : traceRows(plan.replayed)),
  ]);
}
