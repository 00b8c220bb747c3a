/** What a run cost by its price list: the usage that the target reported, and what it stated of videos. */

import { z } from "zod";
import { VIDEO_DURATION_DEFAULT, VIDEO_RESOLUTION_DEFAULT } from "../../../contract/service.ts";
import type { Counts } from "../../../formats/run.ts";
import type { CostOfRun } from "../../../formats/run-cost.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { type Prices, pricesIn, pricesOf, type UnitPrices } from "../../../settings/load/prices.ts";
import type { Database } from "../../tables/database.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { type RunWorkload, tenantsOf } from "../read/run-workloads.ts";
import { amountIn, amountOf, inCurrency, videoPrice } from "./amounts.ts";
import type { Metrics } from "./request-metrics.ts";

/** A larger number is taken for no count of tokens, and no cost. */
const LARGEST = 1e12;

const summed = (column: string, which = "TRUE"): string =>
  `CAST(coalesce(sum(round(least(greatest(${column}, 0), ${LARGEST}))) FILTER (${which}), 0) AS DOUBLE)`;

/** The phase of the first request of an arrival is that of all: later ones may come in the drain. */
const FIRST =
  "(SELECT shard, arrival, arg_min(phase, line) AS phase FROM calls WHERE arrival IS NOT NULL GROUP BY ALL)";

/** What a request or a task belongs to. */
const OF = "c.workload, r.model, coalesce(first.phase, c.phase) = 'measure' AS measured";
const FROM = `calls AS c JOIN ${NUMBERED} AS r ON r.n = c.n LEFT JOIN ${FIRST} AS first ON first.shard = c.shard AND first.arrival = c.arrival`;

const TOLD = "r.input_tokens IS NOT NULL AND (r.op = 'embeddings' OR r.token_source = 'usage')";

/** Requests that the target may charge for: it had them, and returned no error status. */
const REQUESTS = `SELECT ${OF}, count(*) AS requests, count(*) FILTER (${TOLD}) AS told, count(*) FILTER (r.status >= 200) AS accepted,
    ${summed("r.input_tokens", TOLD)} AS "inputTokens", ${summed("least(coalesce(r.cached_tokens, 0), r.input_tokens)", TOLD)} AS "cachedTokens", ${summed("r.output_tokens", TOLD)} AS "outputTokens"
  FROM ${FROM} WHERE r.op IN ('chat', 'chat.stream', 'embeddings') AND c.reached AND coalesce(r.status, 200) NOT BETWEEN 300 AND 999
  GROUP BY ALL ORDER BY min(c.n)`;

/** Each task: its submission, and what was last seen of it. */
const TASK = `(SELECT min(n) FILTER (op = 'video.submit') AS n, arg_max(task_state, n) FILTER (task_state IS NOT NULL) AS state, arg_max(cost, n) FILTER (cost IS NOT NULL) AS cost
    FROM ${NUMBERED} WHERE task IS NOT NULL GROUP BY shard, task)`;
const STATED = `coalesce(t.cost BETWEEN 0 AND ${LARGEST}, FALSE)`;

/** Video tasks, by what is known of their cost. */
const TASKS = `SELECT ${OF}, coalesce(r.video_resolution, '${VIDEO_RESOLUTION_DEFAULT}') AS resolution, coalesce(t.state = 'completed', FALSE) AS completed, ${STATED} AS stated,
    count(*) AS tasks, ${summed(`coalesce(r.video_seconds, ${VIDEO_DURATION_DEFAULT})`)} AS seconds, CAST(coalesce(sum(round(t.cost, 6)) FILTER (${STATED}), 0) AS DOUBLE) AS "total"
  FROM ${FROM} JOIN ${TASK} AS t ON t.n = c.n
  GROUP BY ALL ORDER BY min(c.n)`;

const n = z.number();
const of = { workload: z.string().nullable(), model: z.string().nullable(), measured: z.boolean() };
const requestRow = z.object({
  ...of,
  ...{ requests: n, told: n, accepted: n, inputTokens: n, cachedTokens: n, outputTokens: n },
});
const taskRow = z.object({
  ...of,
  ...{ resolution: z.string(), completed: z.boolean(), stated: z.boolean(), tasks: n, seconds: n, total: n },
});
type Of = Pick<z.infer<typeof requestRow>, keyof typeof of>;

/** Adds up what a run cost. */
class CostSum {
  total = 0n;
  measured = 0n;
  readonly workloads = new Map<string, bigint>();
  readonly models = new Map<string, bigint>();
  readonly untold = { requests: 0, of: 0 };
  readonly stated = { tasks: 0, total: 0n, listed: 0n };
  unpriced = 0;
  openTasks = 0;
  readonly #prices: Prices;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  addRequests(row: z.infer<typeof requestRow>): void {
    const prices = this.#pricesOf(row);
    const { requests, told, accepted, ...tokens } = row;
    if ((prices.input ?? prices.output ?? prices.request) === undefined) this.unpriced += requests;
    this.untold.of += requests;
    if (prices.input !== undefined || prices.output !== undefined) this.untold.requests += requests - told;
    this.#add(row, amountOf(prices, { ...tokens, requests: accepted }));
  }

  addTasks(row: z.infer<typeof taskRow>): void {
    const { completed, stated, tasks, seconds, resolution } = row;
    const total = amountIn(row.total);
    const prices = this.#pricesOf(row);
    const isPriced = videoPrice(prices, resolution) !== undefined;
    const listed = amountOf(prices, { requests: tasks, video: { seconds, resolution } });
    if (stated && completed && isPriced) {
      this.stated.tasks += tasks;
      this.stated.total += total;
      this.stated.listed += listed;
    }
    if (stated) this.#add(row, total);
    else if (completed) this.#add(row, listed);
    else this.openTasks += tasks;
    if (completed && !stated && !isPriced) this.unpriced += tasks;
  }

  #pricesOf({ model }: Of): UnitPrices {
    return pricesOf(this.#prices, model ?? undefined);
  }

  #add({ workload, model, measured }: Of, amount: bigint): void {
    this.total += amount;
    if (measured) this.measured += amount;
    for (const [sums, name] of [
      [this.workloads, workload],
      [this.models, model],
    ] as const) {
      if (name !== null) sums.set(name, (sums.get(name) ?? 0n) + amount);
    }
  }
}

/** Amounts by name, where there are several. */
const several = (amounts: ReadonlyMap<string, bigint>): Record<string, number> | undefined =>
  amounts.size < 2
    ? undefined
    : Object.fromEntries([...amounts].map(([name, amount]) => [name, inCurrency(amount)] as const));

/** What is known of a run whose cost is asked for. */
interface Priced {
  readonly settings: { readonly prices?: unknown };
  readonly counts: Counts;
  readonly metrics: Metrics;
  readonly workloads: readonly RunWorkload[] | undefined;
}

/**
 * What a run cost; undefined without a price list.
 * @throws UsageError for one that cannot be read
 */
export async function costOf(
  database: Database,
  { settings, counts, metrics, workloads }: Priced,
): Promise<CostOfRun | undefined> {
  if (settings.prices === undefined) return undefined;
  const prices = pricesIn(settings.prices);
  const sum = new CostSum(prices);
  for (const row of await database.all(REQUESTS, requestRow)) sum.addRequests(row);
  for (const row of await database.all(TASKS, taskRow)) sum.addTasks(row);
  const measured = inCurrency(sum.measured);
  const { value: share = 0, count: due = 0 } = metrics["goodput_share"] ?? {};
  const good = Math.round(share * due);
  const { untold, unpriced, openTasks, stated } = sum;
  return omitUndefined<CostOfRun>({
    currency: prices.currency,
    total: inCurrency(sum.total),
    measured,
    perOk: counts.ok === 0 ? undefined : measured / counts.ok,
    per1000Good: good === 0 ? undefined : (1_000 * measured) / good,
    workloads: several(sum.workloads),
    tenants: several(byTenant(sum.workloads, workloads)),
    models: several(sum.models),
    untold: untold.requests === 0 ? undefined : { ...untold },
    unpriced: unpriced === 0 ? undefined : unpriced,
    openTasks: openTasks === 0 ? undefined : openTasks,
    stated:
      stated.tasks === 0
        ? undefined
        : { tasks: stated.tasks, total: inCurrency(stated.total), listed: inCurrency(stated.listed) },
  });
}

const byTenant = (
  ofWorkloads: ReadonlyMap<string, bigint>,
  workloads: readonly RunWorkload[] | undefined,
): ReadonlyMap<string, bigint> =>
  new Map(
    [...(tenantsOf(workloads) ?? [])].map(([tenant, own]) => [
      tenant,
      own.reduce((sum, { name }) => sum + (ofWorkloads.get(name) ?? 0n), 0n),
    ]),
  );
