/** What a load would send, for `--plan`, which sends nothing. */

import { formatCount, preview, range } from "../../cli/preview.ts";
import { usersOf } from "../../load/shape/streams.ts";
import { formatAmount } from "../../reports/load/views/cost-rows.ts";
import { traceRows } from "../../reports/load/views/trace-words.ts";
import { formatSeconds, formatShare } from "../../reports/numbers.ts";
import { columns } from "../../reports/terminal-text.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import { drainOf } from "../../settings/load/load-table.ts";
import type { GridCell } from "./plan-grid.ts";
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
      : [[`  ${flag} ${most}`, `ends the load after about ${formatShare(most / used)} of its requests`]];
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

/** The plan of a grid: each combination in the order in which it runs, what it sends and costs, and the time that all take. */
export function gridPreview(axes: readonly string[], cells: readonly GridCell[]): string {
  const [first] = cells;
  if (first === undefined) return "";
  const { scenario, settings, repeat } = first.plan;
  const isPriced = cells.some(({ plan }) => plan.settings.prices !== undefined);
  const rows = cells.map(({ texts, plan }) => [
    ...texts,
    ...sentCells(plan),
    formatSeconds(lengthOf(plan) / 1_000),
    ...(isPriced ? [costCell([plan])] : []),
  ]);
  const head = [
    ...axes,
    "arrivals",
    "input tokens",
    "max_tokens",
    "video tasks",
    "time",
    ...(isPriced ? ["cost"] : []),
  ];
  const sum = (of: (plan: LoadPlan) => number): number => cells.reduce((total, { plan }) => total + of(plan), 0);
  const time = sum(lengthOf) + repeat.pauseMs * (cells.length - 1);
  const [names = "", ...lines] = columns(
    [head, ...rows].map(([one = "", ...others]) => [`  ${one}`, ...others]),
    new Set(head.keys()),
  );
  return preview(
    `Would load ${settings.target} with ${scenario} ${cells.length} times, in this order; nothing is sent.`,
    [
      ["time in all", `${formatSeconds(time / 1_000)}, pauses included`],
      [
        "  at most, with requests in flight at the end",
        formatSeconds((time + sum(({ settings: each }) => drainOf(each))) / 1_000),
      ],
      ...(isPriced
        ? [["cost in all, about, if responses have max_tokens", costCell(cells.map(({ plan }) => plan))] as const]
        : []),
    ],
  ).replace("\n", `\n${[names, ...lines].join("\n")}\n\n`);
}

const lengthOf = ({ settings: { warmup, duration } }: LoadPlan): number => warmup + duration;

/** Arrivals, tokens and video tasks; of virtual users, whose number of requests nobody knows before, none. */
function sentCells(plan: LoadPlan): string[] {
  const arrivals = arrivalsOf(plan);
  const { inputTokens, outputTokens, videoJobs } = costOf(plan.scenario, costed(plan));
  return [1, inputTokens, outputTokens, videoJobs].map((each) =>
    Number.isFinite(arrivals) ? formatCount(arrivals * each) : "-",
  );
}

function costCell(plans: readonly LoadPlan[]): string {
  const amounts = plans.map((plan) => {
    const { prices } = plan.settings;
    return prices === undefined ? Number.NaN : plannedCost({ ...plan, prices }, arrivalsOf(plan)).expected;
  });
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  return Number.isFinite(total) ? formatAmount(total, plans[0]?.settings.prices?.currency) : "-";
}
