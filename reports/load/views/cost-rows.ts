/** What a run cost, for every view. */

import type { CostOfRun } from "../../../formats/run-cost.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";

/** `1,234.50 EUR`; of less than 1 three significant digits, such as `0.00123 EUR`. */
export function formatAmount(amount: number, currency?: string): string {
  const size = Math.abs(amount);
  const maximumFractionDigits = size > 0 && size < 1 ? Math.min(12, 2 + Math.ceil(-Math.log10(size))) : 2;
  const text = amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits });
  return currency === undefined ? text : `${text} ${currency}`;
}

/** Each figure with its name. */
export function costFacts({ currency, ...cost }: CostOfRun): [string, string][] {
  const of = (name: string, amount: number | undefined): [string, string][] =>
    amount === undefined ? [] : [[name, formatAmount(amount, currency)]];
  const each = (kind: string, amounts: Readonly<Record<string, number>> = {}): [string, string][] =>
    Object.entries(amounts).flatMap(([name, amount]) => of(`${kind} ${name}`, amount));
  return [
    ...of("whole run, with warm-up and drain", cost.total),
    ...of("measured arrivals", cost.measured),
    ...of("per ok request", cost.perOk),
    ...of("per 1,000 good requests", cost.per1000Good),
    ...each("tenant", cost.tenants),
    ...each("workload", cost.workloads),
    ...each("model", cost.models),
  ];
}

/** The same in one line, without workloads and models. */
export function costInLine({ currency, total, measured, perOk, per1000Good, tenants = {} }: CostOfRun): string {
  const amount = (value: number): string => formatAmount(value, currency);
  const each = Object.entries(tenants).map(([name, own]) => `${name} ${amount(own)}`);
  return [
    measured === total ? amount(total) : `${amount(total)}, of this measured ${amount(measured)}`,
    ...(perOk === undefined ? [] : [`${amount(perOk)} per ok request`]),
    ...(per1000Good === undefined ? [] : [`${amount(per1000Good)} per 1,000 good requests`]),
    ...(each.length === 0 ? [] : [`tenants: ${each.join(", ")}`]),
  ].join("; ");
}

/** What is not in the cost, and where the target states another one, in sentences without their end. */
export function costRemarks({ currency, untold, unpriced, openTasks, stated }: CostOfRun): readonly string[] {
  return [
    ...(untold === undefined
      ? []
      : [
          `${formatNumber(untold.requests)} of ${plural(untold.of, "request")} stated no usage; their tokens are not in the cost`,
        ]),
    ...(unpriced === undefined
      ? []
      : [`the list has no price for ${plural(unpriced, "request")} (tasks for videos); the cost leaves them out`]),
    ...(openTasks === undefined
      ? []
      : [`${plural(openTasks, "video task")} did not complete and state no cost; what they cost is not known`]),
    ...(stated === undefined ? [] : statedInWords(stated, currency)),
  ];
}

function statedInWords({ tasks, total, listed }: NonNullable<CostOfRun["stated"]>, currency?: string): string[] {
  const of = `the target stated ${formatAmount(total, currency)} for ${plural(tasks, "video task")} (total_cost), which the cost includes`;
  if (total === listed) return [];
  const more = total > listed;
  const share = listed === 0 ? "" : ` (${formatShare(Math.abs(total - listed) / listed)})`;
  return [
    `${of}; by the price list they cost ${formatAmount(listed, currency)}: the target states ${formatAmount(Math.abs(total - listed), currency)}${share} ${more ? "more" : "less"}`,
  ];
}
