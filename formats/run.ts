/** `run.json`: the result of a load run, as every view reads it. */

import { z } from "zod";
import { recordedSettings } from "./records.ts";

const optional = z.number().optional();

const metricResult = z.object({
  unit: z.string(),
  /** Samples that it is made of: requests, gaps or tasks. */
  count: z.number(),
  mean: optional,
  min: optional,
  p50: optional,
  p90: optional,
  p95: optional,
  p99: optional,
  p999: optional,
  max: optional,
  /** Of a metric that comes from a histogram: the most by which a value may be off, as a share of itself. */
  error: optional,
  /** Of a metric with one value. */
  value: optional,
  /** Counts by name: ends of video tasks, sources of token counts. */
  parts: z.record(z.string(), z.number()).optional(),
});
export type MetricResult = z.infer<typeof metricResult>;

const counts = z.object({
  /** Arrivals of the measured phase, and how many of them started. */
  offered: z.number(),
  started: z.number(),
  not_started: z.number(),
  /** Requests of the measured phase: with an end of any kind, and with the outcome ok. */
  completed: z.number(),
  ok: z.number(),
  outcomes: z.record(z.string(), z.number()),
});

const spread = z.object({ n: z.number(), min: z.number(), mean: z.number(), max: z.number(), p50: optional });

const runWindow = z.object({
  /** Second of the run, from its first arrival. */
  t: z.number(),
  phase: z.string(),
  sent: z.number(),
  ended: z.number(),
  ok: z.number(),
  outcomes: z.record(z.string(), z.number()),
  tokens: optional,
  ttft: spread.optional(),
  e2e: spread.optional(),
  cpu: optional,
  open: optional,
  rssMb: optional,
  lagP99Ms: optional,
});
export type RunWindow = z.infer<typeof runWindow>;

const outage = z.object({
  /** Seconds of the run. */
  fromS: z.number(),
  toS: z.number(),
  requests: z.number(),
  outcomes: z.record(z.string(), z.number()),
  /** False: the target gave no further answer until the end. */
  recovered: z.boolean(),
});
export type Outage = z.infer<typeof outage>;

/** Health of the client; cores, milliseconds and megabytes. Absent members were not measured. */
const clientHealth = z.object({
  cpu: optional,
  cpuMax: optional,
  cpus: optional,
  rssMaxMb: optional,
  /** Up to which the collector was held back, and how many clients gave that limit up because it was too small. */
  memoryLimitMb: optional,
  memoryLimitDropped: optional,
  gcCycles: optional,
  gcPauseMs: optional,
  /** How long its threads waited for a CPU, all together, and how often a CPU limit kept them waiting. */
  runDelayMs: optional,
  throttled: optional,
  /** How late it woke when something was due: the known error of the times of this run. */
  wakeP50Ms: optional,
  wakeP99Ms: optional,
  wakeMaxMs: optional,
  openMax: optional,
  inFlightLimit: optional,
  lagP99Ms: optional,
  connections: optional,
  reused: optional,
  resent: optional,
});
export type ClientHealth = z.infer<typeof clientHealth>;

const VALIDITIES = ["VALID", "CLIENT-LIMITED", "INVALID"] as const;
const exitCode = z.union([z.literal(0), z.literal(1), z.literal(2)]);

export const runResult = z.object({
  schema: z.literal("assay.load/1"),
  target: z.string(),
  scenario: z.string(),
  shape: z.string(),
  seed: z.number().nullable(),
  startedAt: z.string(),
  /** Length of the measured window, in seconds. */
  durationS: z.number(),
  tool: z.string(),
  k6: z.string().optional(),
  /** Measured by a k6 without the extension: no first tokens, no gaps, no lateness of the client. */
  stock: z.boolean().optional(),
  segments: z.number(),
  /** Of a run that several machines shared: each of them. */
  shards: z
    .array(
      z.object({
        segment: z.string(),
        startedAt: z.string(),
        verdict: z.enum(VALIDITIES),
        /** Arrivals of the measured phase, and how many of them started. */
        offered: z.number(),
        started: z.number(),
        lagP99Ms: optional,
      }),
    )
    .optional(),
  interrupted: z.boolean(),
  /** Empty when no record header could be read. */
  settings: recordedSettings.partial(),
  exitCode,
  /** Why the exit code is what it is. */
  conclusion: z.string(),
  validity: z.object({ verdict: z.enum(VALIDITIES), reasons: z.array(z.string()) }),
  slos: z.array(
    z.object({
      expr: z.string(),
      observed: z.number().nullable(),
      ok: z.boolean().nullable(),
      note: z.string().optional(),
    }),
  ),
  counts,
  metrics: z.record(z.string(), metricResult),
  /** Share of the samples and value in milliseconds, as far as the sample carries it. */
  curves: z.record(z.string(), z.array(z.tuple([z.number(), z.number()]))),
  /** Of a rate with several stages: each of them, in seconds of the measured window. Arrivals that never started are in none. */
  steps: z
    .array(
      z.object({
        rate: z.string(),
        fromS: z.number(),
        toS: z.number(),
        requests: z.number(),
        ok: z.number(),
        /** Of ok requests, in milliseconds. */
        latency: z
          .object({
            name: z.enum(["ttft", "e2e"]),
            count: z.number(),
            mean: z.number(),
            min: z.number(),
            p50: optional,
            p90: optional,
            p95: optional,
            p99: optional,
            p999: optional,
            max: z.number(),
          })
          .optional(),
      }),
    )
    .optional(),
  /** Counts and metrics by kind of request. */
  ops: z.record(z.string(), z.object({ counts, metrics: z.record(z.string(), metricResult) })),
  outages: z.array(outage),
  windows: z.array(runWindow),
  client: clientHealth,
});
export type RunResult = z.infer<typeof runResult>;
export type Counts = RunResult["counts"];

/** Reads a `run.json` that was parsed from JSON. @throws ZodError */
export const parseRunResult = (value: unknown): RunResult => runResult.parse(value);

/** Writes `run.json`, checked against its own schema first. */
export const runJson = (run: RunResult): string => `${JSON.stringify(runResult.parse(run), null, 2)}\n`;
