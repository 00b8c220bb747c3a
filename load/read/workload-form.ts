/**
 * The form of a file that describes a load (`--workload`): its members are the settings of a load, and of each workload
 * those that it may have of its own. Not imported by k6 code.
 */

import { z } from "zod";
import { WORKLOAD_KIND_NAMES } from "../../contract/operations.ts";
import { SETTINGS, settingsFor } from "../../settings/all-settings.ts";
import { modelSettingsOf } from "../../settings/load/models.ts";
import { SCENARIO_ENDINGS } from "../../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../../settings/load/workload-settings.ts";
import { type Setting, type Settings, settingKey } from "../../settings/setting.ts";
import { reasonOf } from "../../settings/usage-error.ts";

/** Settings of a load that a file does not give, since it lists the workloads. */
const OF_THE_LIST = ["workload", "mix"];

const scalar = z.union([z.string(), z.number(), z.boolean()]).meta({ id: "value" });
const several = z.array(scalar).meta({ id: "values" });
const valueOrSeveral = z.union([scalar, several]).meta({ id: "value-or-values" });
const weighted = z.union([scalar, several, z.record(z.string(), z.number())]).meta({ id: "weighted-values" });

/** What may be written for a setting: its text, or what is more natural in YAML. */
function formOf(setting: Setting): z.ZodType {
  if (setting.placeholder === HEADER) return z.union([z.string(), several, z.record(z.string(), z.string())]);
  if (setting.placeholder === CHOICES) return weighted;
  return plainFormOf(setting);
}

/** What `assay.yaml` takes for a setting. */
function plainFormOf({ placeholder, repeatable, choices }: Setting): z.ZodType {
  if (placeholder === undefined) return z.boolean();
  if (choices !== undefined) return z.enum(choices);
  if (placeholder === "file|json") return z.union([z.string(), z.record(z.string(), z.unknown())]);
  return repeatable === true || placeholder === "list" ? valueOrSeveral : scalar;
}

/** The form of `assay.yaml`, for editors: every setting of every command. */
export const settingsFile = z.strictObject(
  Object.fromEntries(
    Object.entries<Setting>(SETTINGS).map(([name, setting]) => [
      settingKey(name),
      plainFormOf(setting).optional().describe(setting.help),
    ]),
  ),
);

const HEADER = "NAME=ENVVAR";
const CHOICES = "choices";

/** A value as the text that the flag of its setting would have. */
function textOf(value: unknown, { placeholder }: Setting): string {
  if (Array.isArray(value)) return value.join(",");
  if (typeof value !== "object" || value === null) return String(value);
  return placeholder === HEADER || placeholder === CHOICES ? joined(value) : JSON.stringify(value);
}

const joined = (entries: object): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** What a member of a file is read into: its text, for the load, or its value, for a workload. */
type Kept = "text" | "value";

const memberOf = (setting: Setting, kept: Kept) =>
  formOf(setting)
    .transform((given, context) => {
      const text = textOf(given, setting);
      if (kept === "text" && Object.hasOwn(setting.words ?? {}, text)) return text;
      try {
        const value = setting.read(text);
        return kept === "value" ? value : text;
      } catch (error) {
        context.addIssue({ code: "custom", message: reasonOf(error) });
        return z.NEVER;
      }
    })
    .optional()
    .describe(setting.help);

/** The members of settings, by their keys, without those of some names. */
const membersOf = (settings: Settings, without: readonly string[], kept: Kept) =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([name]) => !without.includes(name))
      .map(([name, setting]) => [settingKey(name), memberOf(setting, kept)]),
  );

const WEIGHT = "a weight is a whole number above zero; leave out what is to have no part";
const weight = z.int(WEIGHT).min(1, WEIGHT);

/** What a workload has in addition to settings. */
const described = {
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,39}$/,
      "a name has up to 40 lower-case letters, digits and dashes, and begins with a letter",
    )
    .describe("names it in records, results and objectives: lower-case letters, digits and dashes"),
  operation: z.enum(WORKLOAD_KIND_NAMES).optional().describe("what its arrivals send; absent where it has a scenario"),
  scenario: z
    .string()
    .regex(
      new RegExp(`(?:${SCENARIO_ENDINGS.join("|").replaceAll(".", "\\.")})$`),
      `it is not the name of a file that ends in ${SCENARIO_ENDINGS.join(", ")}; one of the scenarios that come with Assay is an operation`,
    )
    .optional()
    .describe("file of your own that its arrivals run, in place of an operation"),
  weight: weight
    .optional()
    .describe(
      "its part of the arrivals that the workloads share (default: 1); absent where it has arrivals of its own",
    ),
  model: z
    .union([z.string(), z.record(z.string(), weight)])
    .transform((model) => (typeof model === "string" ? model : joined(model)))
    .optional()
    .describe("model of its requests; several, with the weight of each, as a map"),
  "api-key-env": z
    .string()
    .regex(
      /^[A-Za-z_]\w*$/,
      "it is not the name of an environment variable, and is not shown here, since it may be the key. Put the key into a variable, and name that",
    )
    .optional()
    .describe("environment variable that holds its API key (default: the keys of the load)"),
  tenant: z
    .string()
    .regex(/^[\w.-]{1,40}$/, "a tenant has up to 40 letters, digits, dots, dashes and underscores")
    .optional()
    .describe("its tenant in the results (default: the value of api-key-env)"),
};

/** A workload has one of these, for editors: the reader says it in words. */
const ONE_OF = { oneOf: [{ required: ["operation"] }, { required: ["scenario"] }] };

const workload = z
  .strictObject({ ...membersOf(WORKLOAD_SETTINGS, modelSettingsOf({}), "value"), ...described })
  .meta(ONE_OF);

/** More would make a page that nobody reads, and take minutes to plan. */
const MOST = 500;
const TOO_MANY = `there are more than ${MOST} workloads in it; give one several models, or several kinds of prompts, in their place`;
const NONE = "there are no workloads in it; list at least one under workloads";

/** The whole file. */
export const workloadFile = z.strictObject({
  ...membersOf(settingsFor("load"), OF_THE_LIST, "text"),
  workloads: z.array(workload, NONE).min(1, NONE).max(MOST, TOO_MANY).describe("the workloads of the load"),
});

/** The members of a workload that are no settings. */
export const workloadDescription = z.object(described);

/** The names of the members of a file, and of a workload in it. */
export const MEMBERS = { file: Object.keys(workloadFile.shape), workload: Object.keys(workload.shape) };
