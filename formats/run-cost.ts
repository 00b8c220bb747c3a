/** What `run.json` says of the cost of a run, by its price list. */

import { z } from "zod";

const amounts = z.record(z.string(), z.number()).optional();

export const costOfRun = z.object({
  currency: z.string().optional().describe("of all amounts, as the price list names it; absent: it does not"),
  total: z.number().describe("of all requests of the run, those of the warm-up and the drain included"),
  measured: z.number().describe("of this, of the arrivals of the measured phase, whatever their outcome"),
  perOk: z
    .number()
    .optional()
    .describe("measured, per request (task for videos) with the outcome ok; absent: none was"),
  per1000Good: z
    .number()
    .optional()
    .describe(
      "measured, per 1,000 good ones, which also met every bound on each request; absent: there is no such bound",
    ),
  workloads: amounts.describe("of the total, that of each workload, where there are several"),
  tenants: amounts.describe("that of each tenant, where there are several"),
  models: amounts.describe("that of each model, where there are several"),
  untold: z
    .object({
      requests: z.int().describe("how many"),
      of: z.int().describe("requests that the target may charge for: it had them, and returned no error status"),
    })
    .optional()
    .describe("requests whose tokens are not in the cost, because no usage came; absent: none"),
  unpriced: z
    .int()
    .optional()
    .describe("requests, and completed video tasks, for which the list has no price; absent: none"),
  openTasks: z
    .int()
    .optional()
    .describe("video tasks that did not complete and state no cost, which are not in the cost; absent: none"),
  stated: z
    .object({
      tasks: z.int().describe("completed video tasks with a usage.total_cost, for which the list has a price too"),
      total: z.number().describe("sum of their total_cost, which is in the cost"),
      listed: z.number().describe("what they cost by the list"),
    })
    .optional()
    .describe("absent: no such task"),
});
export type CostOfRun = z.infer<typeof costOfRun>;
