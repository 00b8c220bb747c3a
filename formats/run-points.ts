/** The requests that a load's page shows as points, as `run.json` holds them: in the order in which they were sent, a list per column. */

import { z } from "zod";
import { CLIENT_FAULTS } from "./outcomes.ts";

const whole = z.int().nonnegative();

const pointKind = z.object({
  op: z.string().describe("operation"),
  outcome: z.string().describe("how they ended"),
  status: whole.optional().describe("HTTP status; absent without a response"),
  clientFault: z.enum(CLIENT_FAULTS).optional().describe("of a client_error: what the load generator's machine lacked"),
  workload: z.string().optional().describe("name of the workload; absent: the load has one"),
  model: z.string().optional().describe("model of the request, of a load with several"),
  isOfMetric: z.boolean().describe("whether their value is that of the metric; false: the time until the end"),
  id: z.string().describe("what their ids begin with"),
  digits: whole.describe("hexadecimal digits with which their ids end"),
});
/** What requests have in common. */
export type PointKind = z.infer<typeof pointKind>;

export const runPoints = z.object({
  metric: z.string().describe("name of the latency that is the value of ok requests that have it"),
  requests: whole.describe(
    "number of requests of the run, without the calls that follow a video task and did not fail",
  ),
  failed: whole.describe("of these, those that failed"),
  slowest: whole.describe(
    "how many are here because they are the slowest by the metric; 0 where all requests are here",
  ),
  kinds: z.array(pointKind).describe("what requests have in common"),
  kind: z.array(whole).describe("of each request: place in the list of kinds"),
  sentMs: z.array(z.int()).describe("when it was sent, in milliseconds from the start of the run"),
  us: z.array(whole).describe("value, in microseconds"),
  number: z.array(whole).describe("the digits with which its id ends, as a number"),
});
export type RunPoints = z.infer<typeof runPoints>;
