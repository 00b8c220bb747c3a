/** `run.json`: the result of a load run, as every view reads it. */

import { z } from "zod";
import { CLIENT_FAULTS } from "./outcomes.ts";
import { recordedSettings } from "./records.ts";

const optional = z.number().optional();
const countsByName = z.record(z.string(), z.number());
const percentiles = { p50: optional, p90: optional, p95: optional, p99: optional, p999: optional };

const metricResult = z.object({
  unit: z.string(),
  count: z.number().describe("number of samples: requests, gaps, tasks or units of work"),
  requests: optional.describe(
    "of gaps: number of requests that they are of, which decides which percentiles are given",
  ),
  mean: optional,
  min: optional,
  ...percentiles,
  max: optional,
  notStarted: optional.describe(
    "of a latency from the scheduled start: samples that are arrivals which never started, so that it is not known",
  ),
  atLeast: z
    .object({ mean: optional, min: optional, ...percentiles, max: optional })
    .optional()
    .describe(
      "with notStarted: what the figures that are not known exactly exceed, or equal; one that is also given itself is at most that",
    ),
  error: optional.describe("of a metric that comes from a histogram: the largest relative error of its values"),
  value: optional.describe("of a metric with one value"),
  parts: countsByName.optional().describe("counts by name: ends of video tasks, sources of token counts"),
});
export type MetricResult = z.infer<typeof metricResult>;

const counts = z
  .object({
    offered: z.number().describe("arrivals that were due"),
    started: z.number(),
    not_started: z.number(),
    completed: z.number().describe("units that ended by themselves, with any outcome, client_error among them"),
    unfinished: z.number().describe("units that the end of the drain or an interrupt cut off: no failures"),
    ok: z.number(),
    failed: z
      .number()
      .describe(
        "units with another outcome, those that never started among them and those with the outcome client_error not",
      ),
    outcomes: countsByName,
  })
  .describe("units of work of the measured phase: an arrival's whole task");

const calls = z
  .object({ total: z.number(), ok: z.number(), outcomes: countsByName })
  .describe("requests of the measured phase");
export type Calls = z.infer<typeof calls>;

const metrics = z.record(z.string(), metricResult);

const spread = z.object({ n: z.number(), min: z.number(), mean: z.number(), max: z.number(), p50: optional });

const runWindow = z.object({
  t: z.number().describe("second of the run"),
  phase: z.string(),
  due: z.number().describe("arrivals that were due"),
  notStarted: optional.describe("of those, arrivals that never started"),
  sent: z.number(),
  ended: z.number(),
  ok: z.number(),
  outcomes: countsByName,
  tokens: optional,
  ttft: spread.optional(),
  e2e: spread.optional(),
  ttft_scheduled: spread.optional().describe("by the second in which the arrival was due"),
  e2e_scheduled: spread.optional(),
  cpu: optional,
  open: optional,
  rssMb: optional,
  lagP99Ms: optional,
});
export type RunWindow = z.infer<typeof runWindow>;

const outage = z.object({
  fromS: z.number().describe("seconds from the start of the run"),
  toS: z.number(),
  requests: z.number(),
  outcomes: countsByName,
  recovered: z.boolean().describe("false: the target sent no further response until the end"),
});
export type Outage = z.infer<typeof outage>;

const failure = z.object({
  op: z.string().describe("operation; arrival: no request of it says how it failed"),
  outcome: z.string(),
  status: optional.describe("HTTP status; absent without a response"),
  clientFault: z.enum(CLIENT_FAULTS).optional().describe("of a client_error: what the load generator's machine lacked"),
  count: z.number(),
  share: z.number().describe("of the requests of the operation, or of the arrivals"),
  firstS: z.number().describe("seconds from the start of the run until the first one was sent"),
  lastS: z.number().describe("until the last one ended"),
  reason: z.string().optional().describe("of the first one, shortened; secrets are taken out"),
  advice: z.string().optional().describe("what to do, where every response of the operation was of this kind"),
});
/** Requests that failed in the same way. */
export type Failure = z.infer<typeof failure>;

const clientHealth = z
  .object({
    cpu: optional,
    cpuMax: optional,
    cpus: optional,
    rssMaxMb: optional,
    memoryLimitMb: optional.describe("memory below which garbage was collected in idle moments"),
    memoryLimitDropped: optional.describe("load generators that dropped that limit because it was too small"),
    gcCycles: optional,
    gcPauseMs: optional,
    runDelayMs: optional.describe("how long its threads waited for a CPU, in total"),
    throttled: optional.describe("how often its CPU limit throttled it"),
    wakeP50Ms: optional.describe("wake-up latency: the known error of the times of this run"),
    wakeP99Ms: optional,
    wakeMaxMs: optional,
    openMax: optional.describe("peak of the requests in flight"),
    inFlightLimit: optional,
    lagP99Ms: optional,
    connections: optional,
    reused: optional,
    resent: optional,
  })
  .describe("health of the load generator: CPU cores, milliseconds, megabytes; absent members were not measured");
export type ClientHealth = z.infer<typeof clientHealth>;

const VALIDITIES = ["VALID", "CLIENT-LIMITED", "INVALID"] as const;

const lateness = z
  .object({
    name: z.enum(["schedule lag", "wake-up latency"]),
    percentile: z.string().describe("that the number of samples allows, at most p99"),
    ms: z.number(),
    limitMs: z.number(),
    samples: z.number(),
    lateSeconds: z.number().describe("measured seconds whose own p99 was above the limit"),
    seconds: z.number().describe("measured seconds with samples"),
  })
  .describe("lateness of the load generator as validity compares it; of several, of the latest");
/** How late a load generator was, and the limit. */
export type Lateness = z.infer<typeof lateness>;

const shard = z.object({
  segment: z.string(),
  startedAt: z.string(),
  verdict: z.enum(VALIDITIES),
  offered: z.number().describe("arrivals of the measured phase"),
  started: z.number(),
  lagP99Ms: optional,
});

const step = z.object({
  rate: z.string(),
  fromS: z.number().describe("seconds of the measured window"),
  toS: z.number(),
  due: z.number().describe("arrivals"),
  failed: z.number().describe("units of work that failed, those that never started among them"),
  notStarted: z.number(),
  latency: metricResult.extend({ name: z.string() }).optional().describe("of ok requests, in milliseconds"),
});
export type RateStep = z.infer<typeof step>;

const sloResult = z.object({
  expr: z.string().describe("as it was given"),
  observed: z.number().nullable(),
  ok: z.boolean().nullable().describe("null: undecided, for the reason in note"),
  criterion: z.boolean().optional().describe("it only says which units are good, and an objective on goodput decides"),
  note: z.string().optional(),
});
/** Whether a run meets an objective. */
export type SloResult = z.infer<typeof sloResult>;

export const runResult = z.object({
  schema: z.literal("assay.load/1"),
  target: z.string(),
  scenario: z.string(),
  shape: z.string().describe("the load in words"),
  seed: z.number().nullable(),
  startedAt: z.string(),
  durationS: z.number().describe("length of the measured window, in seconds"),
  tool: z.string(),
  k6: z.string().optional(),
  stock: z
    .boolean()
    .optional()
    .describe("measured by a k6 without the extension: no first tokens, no gaps, no schedule lag"),
  segments: z.number().describe("number of merged result folders"),
  shards: z.array(shard).optional().describe("of a run that several load generators shared: each of them"),
  interrupted: z.boolean(),
  settings: recordedSettings.partial().describe("empty when no header of records could be read"),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  conclusion: z.string().describe("the reason for the exit code"),
  validity: z.object({ verdict: z.enum(VALIDITIES), reasons: z.array(z.string()), lateness: z.array(lateness) }),
  slos: z.array(sloResult),
  counts,
  metrics,
  parts: z
    .record(z.string(), z.object({ counts, metrics }))
    .optional()
    .describe("of a mixed load: the units of work of each part"),
  curves: z
    .record(z.string(), z.array(z.tuple([z.number(), z.number()])))
    .describe("percentile curves: share of the samples, value in milliseconds"),
  steps: z.array(step).optional().describe("of a rate with several stages: each"),
  ops: z.record(z.string(), z.object({ calls, metrics })).describe("the requests of each operation"),
  outages: z.array(outage),
  failures: z.array(failure).describe("after the warm-up, the most frequent first; what Assay cut off itself is none"),
  refused: z
    .string()
    .optional()
    .describe("of a target that refused every request that it answered, by its status: what to check"),
  flags: countsByName
    .optional()
    .describe("measured requests with the outcome ok that are unusual, by flag; absent: none"),
  windows: z.array(runWindow).describe("the run second by second"),
  client: clientHealth,
});
export type RunResult = z.infer<typeof runResult>;
export type Counts = RunResult["counts"];

/** Reads a `run.json` that was parsed from JSON. @throws ZodError */
export const parseRunResult = (value: unknown): RunResult => runResult.parse(value);

/** Writes `run.json`, checked against its schema first. */
export const runJson = (run: RunResult): string => `${JSON.stringify(runResult.parse(run), null, 2)}\n`;
