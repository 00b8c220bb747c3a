/** `run.json`: the result of a load run, as every view reads it. */

import { z } from "zod";
import { evidenceFile } from "./conformance.ts";
import { ending, optional } from "./members.ts";
import { CLIENT_FAULTS } from "./outcomes.ts";
import { recordedSettings } from "./records.ts";
import { runCharts } from "./run-charts.ts";
import { costOfRun } from "./run-cost.ts";
import { inputsOfRun, timesByConnection } from "./run-inputs.ts";
import { calls, interval, metricResult, metrics } from "./run-metrics.ts";
import { runPoints } from "./run-points.ts";
import { listedRequests } from "./run-requests.ts";
import { toolResult } from "./run-tools.ts";
import { trafficCounts, verdictLine } from "./verdicts.ts";

const countsByName = z.record(z.string(), z.number());
const counts = z
  .object({
    offered: z.number().describe("arrivals that were scheduled"),
    started: z.number().describe("arrivals that started"),
    not_started: z.number().describe("arrivals that never started"),
    completed: z.number().describe("requests that ended by themselves, with any outcome, client_error among them"),
    unfinished: z.number().describe("requests that the end of the drain or an interrupt cut off: no failures"),
    ok: z.number().describe("with the outcome ok"),
    failed: z
      .number()
      .describe(
        "requests with another outcome, those that never started among them and those with the outcome client_error not",
      ),
    outcomes: countsByName.describe("number per outcome"),
  })
  .meta({
    id: "counts",
    description: "requests (tasks for videos) of the measured phase: each is one arrival's whole work",
  });

const spread = z
  .object({
    n: z.number().describe("number of samples"),
    min: z.number().describe("minimum"),
    mean: z.number().describe("mean"),
    max: z.number().describe("maximum"),
    p50: optional.describe("median"),
  })
  .meta({ id: "spread" });

const runWindow = z.object({
  t: z.number().describe("second of the run"),
  phase: z.string().describe("phase of the run: warmup, measure or drain"),
  due: z.number().describe("arrivals that were scheduled"),
  notStarted: optional.describe("of those, arrivals that never started"),
  sent: z.number().describe("requests sent"),
  ended: z.number().describe("requests that ended"),
  ok: z.number().describe("with the outcome ok"),
  outcomes: countsByName.describe("number per outcome"),
  tokens: optional.describe("output tokens received"),
  ttft: spread.optional().describe("of ok requests that were sent in this second, in milliseconds"),
  e2e: spread.optional().describe("of ok requests that were sent in this second, in milliseconds"),
  ttft_scheduled: spread.optional().describe("by the second for which the arrival was scheduled"),
  e2e_scheduled: spread.optional().describe("by the second for which the arrival was scheduled, in milliseconds"),
  cpu: optional.describe("CPU cores used"),
  open: optional.describe("requests in flight"),
  tasks: optional.describe("video tasks that were open at once: the mean over the second"),
  polls: optional.describe("polls of video tasks that were sent"),
  rssMb: optional.describe("memory of the process, in megabytes"),
  lagP99Ms: optional.describe("99th percentile of the schedule lag, in milliseconds"),
  wakeP90Ms: optional.describe("90th percentile of the wake-up latency, in milliseconds"),
});
export type RunWindow = z.infer<typeof runWindow>;

const outage = z.object({
  fromS: z.number().describe("seconds from the start of the run"),
  toS: z.number().describe("seconds from the same start until its end"),
  requests: z.number().describe("requests of that time"),
  outcomes: countsByName.describe("number per outcome"),
  recovered: z.boolean().describe("false: the target sent no further response until the end"),
});
export type Outage = z.infer<typeof outage>;

const interruption = z.object({
  fromS: z.number().describe("seconds from the start of the run, at the earliest"),
  toS: z.number().describe("seconds from the same start, at the latest"),
});

const failure = z.object({
  op: z.string().describe("operation; arrival: no request of it says how it failed"),
  outcome: z.string().describe("how they ended"),
  status: optional.describe("HTTP status; absent without a response"),
  clientFault: z.enum(CLIENT_FAULTS).optional().describe("of a client_error: what the load generator's machine lacked"),
  count: z.number().describe("number of requests or arrivals"),
  share: z.number().describe("of the requests of the operation, or of the arrivals"),
  firstS: z.number().describe("seconds from the start of the run until the first one was sent"),
  lastS: z.number().describe("until the last one ended"),
  reason: z.string().optional().describe("of the first one, shortened; secrets are taken out"),
  afterMs: optional.describe(
    "milliseconds after they were sent at which nine of ten of them ended, within 2 % or 100 ms, as a time limit of the target, or before it, ends requests (the 95th percentile); absent: at different times, within a second, sooner than an ok response, or sent at one time",
  ),
  advice: z
    .string()
    .optional()
    .describe(
      "what to do, where every response of the operation was of this kind, a time limit ended them, or inputs were too long",
    ),
});
/** Requests that failed in the same way. */
export type Failure = z.infer<typeof failure>;

const warmupFailure = failure.omit({ share: true });
/** The same of the warm-up, whose arrivals are not counted. */
export type WarmupFailure = z.infer<typeof warmupFailure>;

const clientHealth = z
  .object({
    cpu: optional.describe("CPU cores used"),
    cpuMax: optional.describe("most CPU cores used in a second"),
    cpus: optional.describe("CPU cores available"),
    rssMaxMb: optional.describe("peak of the memory of the process, in megabytes"),
    memoryLimitMb: optional.describe("memory below which garbage was collected in idle moments"),
    memoryLimitDropped: optional.describe("load generators that dropped that limit because it was too small"),
    gcCycles: optional.describe("collections of garbage"),
    gcPauseMs: optional.describe("time for which they stopped the process, in milliseconds"),
    runDelayMs: optional.describe("how long its threads waited for a CPU, in total"),
    throttled: optional.describe("how often its CPU limit throttled it"),
    wakeP50Ms: optional.describe("wake-up latency: the known error of the times of this run"),
    wakeP99Ms: optional.describe("99th percentile of the wake-up latency, in milliseconds"),
    wakeMaxMs: optional.describe("maximum of the wake-up latency, in milliseconds"),
    openMax: optional.describe("peak of the requests in flight"),
    inFlightLimit: optional.describe("virtual users: as many requests could be in flight"),
    lagP99Ms: optional.describe("99th percentile of the schedule lag, in milliseconds"),
    connections: optional.describe("connections opened"),
    packets: optional.describe("packets with data that came; absent where the system does not tell"),
    packetsOutOfOrder: optional.describe("those that came before an earlier one, which was lost or late"),
    packetsSentAgain: optional.describe("packets sent again that had not arrived, also to open a connection"),
    roundTripMs: optional.describe(
      "the least time from a packet to its confirmation: between the load generator and what its connections lead to",
    ),
    reused: optional.describe("requests on a connection that was open already"),
    resent: optional.describe("requests that the HTTP client sent again on another connection"),
  })
  .describe("health of the load generator: CPU cores, milliseconds, megabytes; absent members were not measured");
export type ClientHealth = z.infer<typeof clientHealth>;

export const VALIDITIES = ["VALID", "CLIENT-LIMITED", "INVALID"] as const;

const lateness = z
  .object({
    name: z.enum(["schedule lag", "wake-up latency"]).describe("which lateness"),
    percentile: z.string().describe("that the number of samples allows, at most p99, or p90 of the wake-up latency"),
    ms: z.number().describe("lateness at that percentile, in milliseconds"),
    limitMs: z.number().describe("limit above which the load generator was too slow (CLIENT-LIMITED), in milliseconds"),
    samples: z.number().describe("number of samples"),
    lateSeconds: z
      .number()
      .describe("measured seconds whose own p99, or p90 of the wake-up latency, was above the limit"),
    seconds: z.number().describe("measured seconds with samples"),
  })
  .describe("lateness of the load generator as validity compares it; of several, of the latest");
/** How late a load generator was, and the limit. */
export type Lateness = z.infer<typeof lateness>;

const shard = z.object({
  segment: z.string().describe("execution segment as k6 writes it"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  verdict: z.enum(VALIDITIES).describe("whether the figures can be trusted"),
  offered: z.number().describe("arrivals of the measured phase"),
  started: z.number().describe("arrivals that started"),
  lagP99Ms: optional.describe("99th percentile of the schedule lag, in milliseconds"),
});

const step = z.object({
  rate: z.string().describe("rate of the stage"),
  fromS: z.number().describe("seconds of the measured window"),
  toS: z.number().describe("seconds from the same start until its end"),
  due: z.number().describe("arrivals"),
  failed: z.number().describe("requests that failed, with those that never started"),
  notStarted: z.number().describe("arrivals that never started"),
  latency: metricResult
    .extend({ name: z.string().describe("name of the metric, such as ttft_scheduled") })
    .optional()
    .describe("of ok requests, in milliseconds"),
});
export type RateStep = z.infer<typeof step>;

const targetSeries = z.object({
  name: z.string().describe("queue, running or cache; of any other series its name with its labels"),
  role: z
    .enum(["queue", "running", "cache"])
    .optional()
    .describe(
      "of a gauge that is known: what it tells; several series of a source are one, summed or, of cache, the largest",
    ),
  count: z.number().describe("number of readings that have it"),
  mean: z.number().describe("mean"),
  max: z.number().describe("maximum"),
  maxAtS: z.number().describe("seconds from the start of the run until the maximum was first read"),
  points: z
    .array(z.tuple([z.number(), z.number()]))
    .describe("seconds from the start of the run, and value; of a long run neighbours are joined to the largest"),
});
export type TargetSeries = z.infer<typeof targetSeries>;

const targetMetrics = z.array(
  z.object({
    source: z.string().describe("name of the source"),
    url: z.string().describe("its address"),
    readings: z.number().describe("how often it was read"),
    failures: z.number().describe("how often that failed"),
    reason: z.string().optional().describe("why, the first time"),
    dropped: optional.describe("series beyond those that are kept"),
    series: z.array(targetSeries).describe("what was read, warm-up and drain included"),
  }),
);
export type TargetMetrics = z.infer<typeof targetMetrics>;

const conversations = z
  .object({
    started: z.number().describe("measured conversations that sent a request"),
    whole: z.number().describe("with the outcome ok and all their turns"),
    short: z
      .number()
      .describe("with the outcome ok and fewer turns: the context limit, or a response without text, ended them"),
    meanTurns: z.number().describe("mean number of turns that were sent"),
    turns: z
      .array(z.object({ turn: z.number().describe("number of the turn, from 1"), calls, metrics }))
      .describe("requests of the measured phase by turn"),
  })
  .meta({ id: "conversations", description: "of a load whose arrivals are conversations (--turns)" });

const recovery = z.object({
  after: z
    .enum(["fall", "rise", "idle", "outage", "failures"])
    .describe("fall or rise of the rate, idle time, an outage, or a time in which most requests failed"),
  atS: z.number().describe("seconds from the start of the run at which that was over"),
  tookS: optional.describe("seconds until the objectives held again for good; absent: they did not"),
});
export type Recovery = z.infer<typeof recovery>;

const sloResult = z.object({
  expr: z.string().describe("as it was given"),
  observed: z
    .number()
    .nullable()
    .describe(
      "the value that is compared, of an objective in windows the share of those that met it; null when there is none",
    ),
  ok: z.boolean().nullable().describe("null: undecided, for the reason in note"),
  criterion: z
    .boolean()
    .optional()
    .describe("it only says which requests are good, and an objective on goodput decides"),
  note: z.string().optional().describe("why it is undecided, or how it was decided"),
  interval: interval
    .optional()
    .describe("of a mean or a percentile: where that of the target lies, at the confidence of the run on either side"),
  byFigure: z
    .boolean()
    .optional()
    .describe("of a percentile that chance leaves undecided: whether the figure of this run alone meets the bound"),
  needsS: z
    .int()
    .optional()
    .describe("of what chance leaves undecided: measured seconds of a run that decides it if its share stays as it is"),
  missedAt: z
    .array(
      z.object({
        fromS: z.number().describe("seconds from the start of the run"),
        toS: z.number().describe("seconds from the same start until its end"),
      }),
    )
    .optional()
    .describe("of an objective that is to hold in windows: those that missed it; absent: none did"),
  recoveries: z.array(recovery).optional().describe("of an objective on recovery: what the target had to recover from"),
  cause: z.string().optional().describe("of a missed objective: what made it miss, as far as the records tell"),
});
/** Whether a run meets an objective. */
export type SloResult = z.infer<typeof sloResult>;

const sampleCheck = z
  .object({
    share: z.number().describe("share of the arrivals whose exchanges were to be checked"),
    videoTasks: z
      .literal(true)
      .optional()
      .describe("the exchanges of all video tasks were to be checked, whatever the share"),
    exchanges: trafficCounts.describe("how many exchanges were sampled and checked"),
    verified: z.int().describe("clauses that hold in every exchange that they are about"),
    findings: z
      .array(
        verdictLine
          .pick({ id: true, level: true, text: true, verdict: true, reason: true, share: true })
          .extend({ folder: z.string().optional().describe("of several merged folders: the one with its evidence") }),
      )
      .describe("clauses that do not hold, violations before warnings; evidence is in the folder check"),
  })
  .describe("exchanges of the load that were checked against the specification");
/** How the queue of a target grew. */
const saturation = z
  .object({
    fromMs: z.number().describe("median time from scheduled start to end in the first eighth of the measured window"),
    toMs: z.number().describe("the largest such median of an eighth"),
    growthMsPerS: z.number().describe("how fast it rose, in milliseconds per second"),
    servedShare: z.number().describe("arrivals that the target can serve, of those that were due, estimated from that"),
  })
  .meta({ id: "saturation" });

/** Whether the target was equally fast over the measured window. */
const steadiness = z.object({
  steady: z.boolean().describe("no change of the latency was found that is certain and at least a tenth"),
  metric: z.enum(["ttft", "e2e"]).optional().describe("of one that is not steady: the latency that changed"),
  form: z.enum(["step", "drift"]).optional().describe("whether it changed at once or little by little"),
  sinceS: z
    .number()
    .optional()
    .describe("seconds of the measured window after which it is steady; absent: no third at its end is"),
  ratio: z.number().optional().describe("median before, as a multiple of the median afterwards"),
  fromMs: z.number().optional().describe("median before, in milliseconds; absent of several kinds of requests"),
  toMs: z.number().optional().describe("median afterwards"),
});
export type RunSteadiness = z.infer<typeof steadiness>;

const periodicStalls = z.object({
  periodS: z.number().describe("time from one to the next, in seconds"),
  stallMs: z.number().describe("median of how long streams were silent, in milliseconds"),
  count: z.number().describe("number of them in the measured window"),
  firstS: z.number().describe("seconds of the measured window until the first one ended"),
  endedS: z.array(z.number()).optional().describe("the same of each; absent where they are more than 300"),
});
export type PeriodicStalls = z.infer<typeof periodicStalls>;

const canary = z.object({
  prompts: z.number().describe("canary prompts"),
  unstable: z.number().describe("of these, those without two equal responses before the load, which are not compared"),
  refused: z
    .object({
      prompts: z.number().describe("how many"),
      reason: z.string().describe("what came in place of the first response"),
    })
    .optional()
    .describe("of the unstable, those without any response before the load"),
  asked: z.number().describe("responses during the load that were compared"),
  changed: z.number().describe("of these, those that differ from the one before the load"),
  empty: z.number().describe("of the changed, those without text"),
  looping: z.number().describe("those that end with the same piece four times"),
  brokenText: z.number().describe("those with a character that is not UTF-8 (U+FFFD)"),
  failed: z.number().describe("requests during the load without a response"),
  first: z
    .object({
      prompt: z.number().describe("number of the prompt, from 1"),
      atS: z.number().describe("seconds from the start of the run"),
      from: z.number().describe("characters that are equal"),
      before: z.string().describe("what came there before the load"),
      now: z.string().describe("what came there during it"),
    })
    .optional()
    .describe("the first that changed"),
});

const left = z.object({
  at: z.string().describe("when clients were to leave, as --leave has it"),
  asked: z.number().describe("measured requests whose client was to leave"),
  left: z.number().describe("those that were left; the others ended before"),
  work: z
    .union([
      z.object({
        seconds: z.number().describe("how long the target went on with the work of a client that left, on average"),
        low: z.number().describe("the same, at least"),
        high: z.number().describe("at most"),
        rest: z.number().describe("how much longer the responses would have taken, by those of clients that stayed"),
      }),
      z.object({ notVisible: z.string().describe("why that is not known") }),
    ])
    .describe("by the running requests that the target tells of (--scrape), compared with the warm-up; in seconds"),
});

/** What came of checking a sample of a load against the specification. */
export type SampleCheck = z.infer<typeof sampleCheck>;

export const runResult = z.object({
  schema: z.literal("assay.load/1"),
  target: z.string().describe("base address of the target"),
  scenario: z.string().describe("name or file of the scenario"),
  shape: z.string().describe("the load in words"),
  seed: z.number().nullable().describe("seed of all random choices; null when it is not known"),
  inputs: inputsOfRun.optional().describe("what requests sent; absent: the records do not say, as older ones do not"),
  connections: timesByConnection
    .optional()
    .describe(
      "requests of one operation, workload and model on new and on reused connections, at least 20 of each, where their times differ by 5 % and more than chance",
    ),
  promptSeed: z.number().optional().describe("further seed of what prompts say; absent: there is none"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  durationS: z.number().describe("length of the measured window, in seconds"),
  tool: z.string().describe("version of Assay"),
  k6: z.string().optional().describe("version of k6"),
  k6Sha256: z
    .array(z.string())
    .optional()
    .describe("SHA-256 of each different k6 that measured, as the records have it; absent in older results"),
  segments: z.number().describe("number of merged result folders"),
  shards: z.array(shard).optional().describe("of a run that several load generators shared: each of them"),
  interrupted: z.boolean().describe("whether the run was ended before its time"),
  aborted: z
    .object({
      atS: z.number().describe("seconds from the start of the run"),
      phase: z.string().describe("phase of the run: warmup or measure"),
      expr: z
        .string()
        .optional()
        .describe(
          "the condition of --abort-on that held, or the budget that was reached, such as --max-cost 5; absent: the target did not respond",
        ),
      reason: z.string().describe("what was observed"),
    })
    .optional()
    .describe("why Assay ended the run before its time; absent: it did not"),
  settings: recordedSettings.partial().describe("empty when no header of records could be read"),
  ...ending,
  validity: z
    .object({
      verdict: z.enum(VALIDITIES).describe("whether the figures can be trusted"),
      reasons: z.array(z.string()).describe("why, a sentence each; empty when it is VALID"),
      lateness: z.array(lateness).describe("how late the load generator was"),
    })
    .describe("whether the figures can be trusted"),
  saturation: saturation
    .optional()
    .describe(
      "of a constant rate that the target could not sustain, so that its queue grew; absent: no such growth was found",
    ),
  steadiness: steadiness
    .optional()
    .describe("of a constant load whose run is VALID; absent: not looked at, or too few requests to say"),
  leftOut: steadiness
    .extend({ until: z.string().describe("instant since when arrivals are measured") })
    .optional()
    .describe("the change before which steady-only left the measured time out; absent: it left out nothing"),
  periodicStalls: periodicStalls
    .optional()
    .describe("moments in which several streams were silent, at equal distances; absent: none were found"),
  slos: z.array(sloResult).describe("objectives, each with its result"),
  counts,
  metrics,
  parts: z
    .record(
      z.string(),
      z.object({
        counts,
        metrics,
        conversations: conversations.optional(),
        saturation: saturation
          .optional()
          .describe("of a workload whose rate is its own and constant: growth of the queue of the target"),
      }),
    )
    .optional()
    .describe("of a load of several workloads: the requests of each, by its name"),
  tenants: z
    .record(
      z.string(),
      z.object({ workloads: z.array(z.string()).describe("names of the workloads of the tenant"), counts, metrics }),
    )
    .optional()
    .describe("of a load of several tenants: the requests of each"),
  models: z
    .record(z.string(), z.object({ counts, metrics }))
    .optional()
    .describe("of a load with several models for a workload: the requests of each model"),
  cost: costOfRun.optional().describe("what the run cost by its price list (--set prices); absent without one"),
  cancels: z
    .array(
      z.object({
        at: z.string().describe("when they were to be cancelled, as --set cancel-at has it"),
        tasks: z.number().describe("accepted tasks that were to be cancelled then"),
        ends: countsByName.describe("number of these tasks per end; completed or failed: they ended before that"),
        latency: metricResult.optional().describe("duration of accepted cancels, without tasks that completed anyway"),
      }),
    )
    .optional()
    .describe("of a load that cancels video tasks: those that were due in the measured window, by when"),
  canary: canary.optional().describe("of a load with canary prompts (--canary)"),
  left: left.optional().describe("of a load with clients that leave (--leave)"),
  regions: z
    .array(
      z.object({
        segment: z.string().describe("part of the load, as --segment has it"),
        generators: z.number().describe("load generators that share it"),
        calls,
        metrics,
        clock: z
          .object({
            fromMs: z.number().describe("at least, in milliseconds"),
            toMs: z.number().describe("at most"),
          })
          .optional()
          .describe(
            "estimate of how far its clock is ahead of that of the first region, by the Date of the target's responses; absent of the first, and where they do not tell",
          ),
      }),
    )
    .optional()
    .describe("of a load whose parts are those of 2 to 16 machines or clusters (--segment): the requests of each"),
  steps: z.array(step).optional().describe("of a rate with several stages: each"),
  ops: z.record(z.string(), z.object({ calls, metrics })).describe("the requests of each operation"),
  conversations: conversations.optional(),
  outages: z.array(outage).describe("times in which the target sent nothing that is ok"),
  interruptions: z
    .array(interruption)
    .optional()
    .describe("times in which a load generator did not run: its process was stopped, or got no CPU; absent: none"),
  failures: z.array(failure).describe("after the warm-up, the most frequent first; without what Assay cut off itself"),
  warmupFailures: z
    .array(warmupFailure)
    .optional()
    .describe("those of the warm-up, which no figure counts; absent: none"),
  requests: listedRequests.optional().describe("requests to look at; assay show prints any other"),
  points: runPoints
    .optional()
    .describe(
      "requests that the page shows as points: all, or the slowest, those that failed, and others drawn by the seed",
    ),
  refused: z.string().optional().describe("of a target that rejected every request, by its status: what to check"),
  addresses: z
    .array(
      z.object({
        address: z.string().describe("such as 10.0.0.7:443"),
        requests: z.number().describe("that were sent to it"),
        failed: z.number().describe("of these, those that failed"),
      }),
    )
    .optional()
    .describe(
      "measured requests by the address of their connection, where one of them fails more often than the others",
    ),
  unanswered: z.string().optional().describe("of a target that accepted connections and responded to no request"),
  flags: countsByName
    .optional()
    .describe("measured requests with the outcome ok that are unusual, by flag; absent: none"),
  check: sampleCheck.optional(),
  windows: z.array(runWindow).describe("the run second by second"),
  charts: runCharts
    .optional()
    .describe("requests over time and their latencies by operation, workload, tenant, model and turn; within 1.6 %"),
  targetMetrics: targetMetrics.optional().describe("metrics of the target (--scrape); absent without a source"),
  tools: z
    .array(toolResult)
    .optional()
    .describe("what other tools would have printed for the streamed chats (assay report --as)"),
  client: clientHealth,
  evidence: z
    .array(evidenceFile)
    .optional()
    .describe(
      "what ran (bundle.js), on which load (load.json), and the files that the result was made of, by which `assay replay` verifies it; absent in older results",
    ),
  unmade: z
    .array(z.string())
    .optional()
    .describe("parts of the result that could not be made, each with the reason; absent: all were made"),
});
export type RunResult = z.infer<typeof runResult>;
export type Counts = RunResult["counts"];

/** Writes `run.json`, checked against its schema first. */
export const runJson = (run: RunResult): string =>
  `${JSON.stringify(runResult.parse(run), null, 2).replace(NUMBERS, (list) => list.replace(/\s+/g, " "))}\n`;

/** A list of numbers alone, which takes one line. No text of JSON has a line end within. */
const NUMBERS = /\[\n[\s\d.,eE+-]+\]/g;
