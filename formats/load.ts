/**
 * `load.json`: the whole description of a load for k6, without keys and values of headers, which the environment holds. The members
 * are the settings of a load; the header of records has the same.
 */

import { z } from "zod";
import { WORKLOAD_KIND_NAMES } from "../contract/operations.ts";
import type { TimeUnit } from "../settings/load/arrival-process.ts";
import { type GivenSettings, LOAD_SCHEMA, settingsJson } from "../settings/load/load-json.ts";
import { LOAD_SETTINGS } from "../settings/load/load-table.ts";
import type { JsonForm, Setting } from "../settings/setting.ts";

/** The workloads of a load that a file describes. */
const workloads = z.object({
  title: z.string().describe("name of the file, without its ending"),
  workloads: z
    .array(
      z.object({
        name: z.string().describe("name of the workload"),
        operation: z
          .enum(WORKLOAD_KIND_NAMES)
          .optional()
          .describe("what its arrivals send; absent where it has a scenario"),
        scenario: z.string().optional().describe("file of the user's own that its arrivals run"),
        weight: z
          .number()
          .optional()
          .describe("its part of the arrivals that the workloads share; absent: it has its own"),
        tenant: z.string().optional().describe("on whose behalf it sends"),
        apiKeyEnv: z.string().optional().describe("environment variable of its API key; absent: the keys of the load"),
        settings: z
          .record(z.string(), z.string())
          .describe("settings in which it differs from the load, as a user writes them"),
      }),
    )
    .readonly()
    .describe("the workloads, in the order of the file"),
});

const timeUnits = ["s", "ms", "us", "ns"] as const satisfies readonly TimeUnit[];

const arrival = z.object({
  process: z.string().describe("how gaps between arrivals are drawn: constant, poisson, gamma, or taken from a trace"),
  cv: z.number().optional().describe("coefficient of variation of the gaps of gamma"),
  file: z.string().optional().describe("trace file"),
  speed: z.number().optional().describe("how many times as fast the trace is replayed; absent: as it was recorded"),
  unit: z
    .enum(timeUnits)
    .optional()
    .describe("unit of the times of the trace, where they are numbers; absent: found by what is plausible"),
  from: z.number().optional().describe("replayed from here on, in milliseconds of the trace since its first arrival"),
  to: z.number().optional().describe("replayed up to here, in milliseconds of the trace since its first arrival"),
  operation: z.string().optional().describe("of the trace, only the requests of this operation"),
  tenant: z.string().optional().describe("of the trace, only the requests of this tenant"),
  model: z.string().optional().describe("of the trace, only the requests for this model"),
});

const headers = z
  .array(
    z.object({
      name: z.string().describe("name of the header"),
      variable: z.string().describe("environment variable of its value"),
    }),
  )
  .readonly();

/** The schema of each form of values; a description adds to the help of a setting. */
const FORMS = {
  switch: z.boolean(),
  number: z.number(),
  milliseconds: z.number().describe("in milliseconds"),
  instant: z.number().describe("in milliseconds since 1970"),
  bytes: z.number().describe("in bytes"),
  text: z.string(),
  texts: z.array(z.string()).readonly(),
  "number or text": z.union([z.number(), z.string()]).describe("a number where it is always the same"),
  "numbers or text": z.union([z.array(z.number()).readonly(), z.string()]).describe("numbers where used in turn"),
  members: z.record(z.string(), z.unknown()),
  tags: z.record(z.string(), z.string()),
  arrival,
  headers,
  workloads: workloads.describe("absent: the load has one workload, which the other settings describe"),
} as const satisfies Readonly<Record<JsonForm, z.ZodType>>;

type Forms = typeof FORMS;
type Table = Omit<typeof LOAD_SETTINGS, "mix">;
type FormOf<S> = S extends { readonly form?: infer F } ? (F extends JsonForm ? Forms[F] : never) : never;

const { mix: _, ...table } = LOAD_SETTINGS;

/** A member for each setting of a load, but `mix`, which has made the weights of the workloads. */
const membersOf = <T extends z.ZodType>(
  form: (setting: Setting, schema: z.ZodType) => T,
): Record<string, z.ZodOptional<T>> =>
  Object.fromEntries(
    Object.entries<Setting>(table).map(([name, setting]) => {
      const schema = FORMS[setting.form ?? "text"];
      const help = [setting.help, schema.description].filter((part) => part !== undefined).join("; ");
      return [name, form(setting, schema).optional().describe(help)];
    }),
  );

/** The settings of a load, each in its form. */
export const loadMembers = membersOf((_setting, schema) => schema) as {
  readonly [K in keyof Table]: z.ZodOptional<FormOf<Table[K]>>;
};

/** What the files of inputs hold, which their names do not say. */
export const inputDigests = z
  .record(z.string(), z.string())
  .optional()
  .describe(
    "SHA-256 of each file of inputs, by the setting that names it, of a workload as WORKLOAD.SETTING; absent in older results",
  );

/** What is replayed of a trace. */
export const replayed = z
  .object({
    layout: z.string().optional().describe("published layout of the file; absent: it is not known"),
    unit: z.enum(timeUnits).optional().describe("unit of its times; absent: they are dates"),
    arrivals: z.int().describe("arrivals that are replayed"),
    requests: z
      .int()
      .optional()
      .describe("requests that they send, the turns of conversations; absent: each arrival sends one"),
    lengthMs: z.number().describe("whole seconds that include the first and the last of them, in milliseconds"),
    firstMs: z
      .number()
      .describe("time of the first of them as the file has it: milliseconds since 1970, or since a start of its own"),
    lastMs: z.number().describe("time of the last of them"),
    since1970: z.literal(true).optional().describe("these are times since 1970"),
    peakPerSecond: z.int().describe("most arrivals in one second"),
    inputTokens: z.int().optional().describe("all input tokens; absent: no lengths are stated"),
    outputTokens: z.int().optional().describe("all output tokens"),
    sharedTokens: z
      .int()
      .optional()
      .describe("input tokens in blocks that an earlier prompt begins with too; absent: no blocks are stated"),
    blockTokens: z.int().optional().describe("tokens of a block"),
    unused: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("members or columns of the file that are not used; absent: none"),
  })
  .optional()
  .describe("what is replayed of a trace; absent: the load has none, or an older version wrote this");

export const plannedCached = z
  .number()
  .optional()
  .describe(
    "share of the input tokens in prefixes, or blocks of a trace, that are to be sent before, and that a cache of prefixes can have; absent: none are planned",
  );

/** Only k6 is told of them: records name the files that the user named. */
const promptFiles = z
  .record(z.string(), z.string())
  .optional()
  .describe("files that k6 reads in place of files of prompts that settings name: these were converted");

/** A member may also be written as the text that its flag would have. */
export const loadFile = z
  .strictObject({
    schema: z.literal(LOAD_SCHEMA),
    settings: z
      .strictObject({
        ...membersOf((_setting, schema) => z.union([schema, z.string()])),
        inputDigests,
        replayed,
        plannedCached,
        promptFiles,
      })
      .describe(
        "settings of the load, in their forms (durations in milliseconds, rates in arrivals per second) or as the texts that flags have, such as 2m",
      ),
  })
  .describe("a load, as k6 gets it");

/** The text of `load.json`. @throws ZodError for settings that the file cannot hold */
export const loadText = (settings: GivenSettings): string =>
  `${JSON.stringify(loadFile.parse({ schema: LOAD_SCHEMA, settings: settingsJson(settings) }), null, 2)}\n`;
