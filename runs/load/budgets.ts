/** What a load may use before it is ended: `--max-cost` and `--max-tokens-total`. */

import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { Budget } from "../../reports/load/live/budget.ts";
import { amountOf, inCurrency } from "../../reports/load/metrics/amounts.ts";
import { formatAmount } from "../../reports/load/views/cost-rows.ts";
import { formatNumber } from "../../reports/numbers.ts";
import { costsOf } from "../../scenarios/scenario-list.ts";
import { type Prices, pricesOf } from "../../settings/load/prices.ts";
import { withMeans } from "./drawn-lengths.ts";
import { longest, modelsOf, videosOf } from "./planned-cost.ts";

interface Planned {
  readonly scenario: string;
  readonly settings: LoadSettings;
}

/** As a list of prices, tokens cost 1 each. */
const TOKENS: Prices = { input: 1_000_000, output: 1_000_000 };

/** The budgets of a load; none where it has no limit. */
export function budgetsOf(plan: Planned): readonly Budget[] {
  const { maxCost, maxTokensTotal, prices } = plan.settings;
  const { currency } = prices ?? {};
  const tokens = (count: number): string => formatNumber(Math.round(count));
  const amount = (value: number): string => formatAmount(value, currency);
  return [
    ...(maxCost === undefined || prices === undefined
      ? []
      : [
          new Budget({
            ...largestOf(plan, prices),
            ...{ expr: `--max-cost ${maxCost}`, prices, most: maxCost, takesStated: true },
            inWords: (used, inFlight, next) =>
              `${amount(used)} spent, at most ${amount(inFlight)} in flight, and about ${amount(next)} more in the next second`,
          }),
        ]),
    ...(maxTokensTotal === undefined
      ? []
      : [
          new Budget({
            ...largestOf(plan, TOKENS),
            ...{
              expr: `--max-tokens-total ${maxTokensTotal}`,
              prices: TOKENS,
              most: maxTokensTotal,
              takesStated: false,
            },
            inWords: (used, inFlight, next) =>
              `${tokens(used)} tokens used, at most ${tokens(inFlight)} in flight, and about ${tokens(next)} more in the next second`,
          }),
        ]),
  ];
}

/** The most that a request may cost, by the settings. */
function largestOf({ scenario, settings }: Planned, prices: Prices) {
  const means = withMeans(settings);
  const most = { chat: 0, video: 0, inputTokens: 0 };
  // One request: later turns, whose inputs are longer, are known from the records.
  const single = longest(means, settings, { min: 1, max: 1 });
  for (const [index, { videoJobs, inputTokens, outputTokens }] of costsOf(scenario, single).entries()) {
    const workload = settings.workloads[index];
    if (workload === undefined) continue;
    const models = modelsOf(workload, scenario).map(({ model }) => pricesOf(prices, model));
    if (videoJobs > 0) {
      const usages = videosOf(workload).map(([video]) => ({ requests: 1, video }));
      const costs = models.flatMap((each) => usages.map((usage) => inCurrency(amountOf(each, usage))));
      most.video = Math.max(most.video, ...costs);
    } else {
      const costs = models.map((each) => inCurrency(amountOf(each, { requests: 1, inputTokens, outputTokens })));
      most.chat = Math.max(most.chat, ...costs);
      most.inputTokens = Math.max(most.inputTokens, inputTokens);
    }
  }
  return most;
}
