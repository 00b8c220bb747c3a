/** `search.json`: a search for the highest load that meets the objectives, written after each of its runs. */

import { z } from "zod";
import { ending } from "./members.ts";
import { runFolder } from "./repeat.ts";
import { costOfRun } from "./run-cost.ts";

/** What a run says about its load. */
export const STEP_VERDICTS = ["met", "missed", "undecided", "client-limited", "invalid", "interrupted"] as const;
export type StepVerdict = (typeof STEP_VERDICTS)[number];

/** Why a search made a run: one user alone, to find two loads between which the limit lies, to bring these closer, to confirm the lower one. */
export const STEP_PURPOSES = ["floor", "bracket", "bisect", "confirm"] as const;
export type StepPurpose = (typeof STEP_PURPOSES)[number];

/** Statistics of a latency, as run.json spells them. */
const STATISTIC_NAMES = ["mean", "min", "p50", "p90", "p95", "p99", "p999", "max"] as const;

const load = {
  rate: z.number().positive().optional().describe("arrivals per second of an open loop"),
  vus: z
    .int()
    .positive()
    .optional()
    .describe("virtual users of a closed loop; 1 at the floor, even in a search for a rate"),
};

const searchStep = z.object({
  ...load,
  purpose: z.enum(STEP_PURPOSES).describe("why the run was made"),
  seconds: z.number().positive().describe("planned length of the measured window"),
  verdict: z.enum(STEP_VERDICTS).describe("what the run says about this load"),
  reason: z.string().describe("the conclusion of the run, in a sentence without its end"),
  validity: z.string().describe("validity of the run, as in its run.json"),
  saturated: z.boolean().describe("whether the target's queue grew"),
  objectives: z
    .array(
      z.object({
        expr: z.string().describe("as it was given"),
        observed: z.number().nullable().describe("the value that is compared; null when there is none"),
        ok: z.boolean().nullable().describe("null: undecided"),
      }),
    )
    .describe("the objectives, each with its result"),
  arrivals: z.number().describe("arrivals that were scheduled in the measured window"),
  throughput: z.number().optional().describe("requests (tasks for videos) with the outcome ok per second"),
  errorRate: z.number().optional().describe("share of requests that failed"),
  latency: z
    .object({
      name: z.string().describe("metric"),
      statistic: z
        .enum(STATISTIC_NAMES)
        .optional()
        .describe("the one that an objective names; absent: none does, and p95 represents the run"),
      mean: z.number().optional().describe("mean, in milliseconds"),
      min: z.number().optional().describe("minimum, in milliseconds"),
      p50: z.number().optional().describe("median, in milliseconds"),
      p90: z.number().optional().describe("90th percentile, in milliseconds"),
      p95: z.number().optional().describe("95th percentile, in milliseconds"),
      p99: z.number().optional().describe("99th percentile, in milliseconds"),
      p999: z.number().optional().describe("99.9th percentile, in milliseconds"),
      max: z.number().optional().describe("maximum, in milliseconds"),
    })
    .optional()
    .describe(
      "the latency that represents the run: that of the first objective on a statistic of one, if there is one; a percentile with too few samples is absent",
    ),
  leftOpen: z
    .array(z.string())
    .optional()
    .describe("objectives that the run was too short to decide, which the run that confirms decides"),
  byChance: z
    .literal(true)
    .optional()
    .describe("of a run that was to confirm: only chance left its objectives undecided, so near to a bound they are"),
  needsS: z
    .int()
    .optional()
    .describe(
      "of a run that was undecided: measured seconds that decide all its objectives if their shares stay as they are",
    ),
  neverMeasured: z
    .array(z.string())
    .optional()
    .describe("objectives that none of many requests has a value for, so that no run decides them; absent: none"),
  starved: z
    .literal(true)
    .optional()
    .describe(
      "of a run that is CLIENT-LIMITED: the load generator used hardly any CPU time and was late anyway, as it would be at any load",
    ),
  repeated: z
    .number()
    .optional()
    .describe("share of its requests whose input was sent before, in it or in an earlier run; absent: not known"),
  cost: costOfRun
    .pick({ currency: true, total: true, perOk: true, per1000Good: true })
    .optional()
    .describe("what the run cost, as in its run.json; absent without a price list"),
  cacheAnswers: z
    .literal(true)
    .optional()
    .describe("repeated inputs were answered sooner than new ones, as inputs.times of its run.json says"),
  run: runFolder.describe("its result folder, within that of the search"),
});
/** One run of a search. */
export type SearchStep = z.infer<typeof searchStep>;

export const searchResult = z.object({
  schema: z.literal("assay.search/1"),
  tool: z.string().describe("version of Assay"),
  target: z.string().describe("base address of the target"),
  scenario: z.string().describe("name or file of the scenario"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  unit: z.enum(["rate", "vus"]).describe("what is searched: arrivals per second, or virtual users"),
  range: z
    .object({
      first: z.number().describe("load of the first run"),
      min: z.number().describe("lowest load that is tried"),
      max: z.number().describe("highest load that is tried"),
      tolerance: z.number().describe("relative distance of the two loads between which the limit lies at the end"),
    })
    .describe("what may be tried"),
  settings: z.record(z.string(), z.string()).describe("settings of the search and of its runs, as a user writes them"),
  slos: z.array(z.string()).describe("the objectives of each run"),
  steps: z.array(searchStep).describe("the runs so far, in order"),
  found: z
    .object(load)
    .nullable()
    .describe("the highest load that meets the objectives, confirmed; null: none is known"),
  bracket: z
    .object({
      met: z.number().nullable().describe("highest load that met the objectives; null: none did"),
      missed: z.number().nullable().describe("lowest load above it at which the target missed them; null: none"),
      clientLimited: z
        .number()
        .nullable()
        .optional()
        .describe(
          "lowest load above the one that met them, and below the one that missed them, at which the load generator was the limit, which is no limit of the target; null: none",
        ),
    })
    .describe("what is known of the target: its limit lies between met and missed"),
  limitedBy: z
    .enum(["target", "client", "range"])
    .nullable()
    .describe(
      "what sets the limit: the target, the load generator, or the highest load that may be tried; null: not known",
    ),
  state: z
    .enum(["running", "interrupted", "ended"])
    .describe("only a search that ended is complete; others can be resumed"),
  ...ending,
});
export type SearchResult = z.infer<typeof searchResult>;

/** What the load of a step is: at the floor of a search for a rate, users. */
export const loadUnitOf = ({ rate }: Pick<SearchStep, "rate">): SearchResult["unit"] =>
  rate === undefined ? "vus" : "rate";

/** The load of a step, or what was found. */
export const loadOf = ({ rate, vus }: Pick<SearchStep, "rate" | "vus">): number => rate ?? vus ?? Number.NaN;

/** Writes `search.json`, checked against its schema first. */
export const searchJson = (search: SearchResult): string => `${JSON.stringify(searchResult.parse(search), null, 2)}\n`;
