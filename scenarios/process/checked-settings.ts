/**
 * The settings of a load, checked as a whole: the command line checks what it was given, and k6 what it finds in the
 * `ASSAY_*` variables. Pure: runs in Node and inside k6.
 */

import type { Part } from "../../formats/outcomes.ts";
import type { JsonObject } from "../../lib/json.ts";
import { formatArrivalProcess } from "../../settings/arrival-process.ts";
import type { ExtraBody } from "../../settings/extra-body.ts";
import { drainOf, LOAD_SETTINGS } from "../../settings/load-table.ts";
import type { WeightedPart } from "../../settings/mix.ts";
import { formatRates } from "../../settings/rates.ts";
import { readVariables, type Values } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { isScenarioPart, SCENARIO_PARTS } from "../scenario-list.ts";

type GivenSettings = Values<typeof LOAD_SETTINGS>;

/** Durations are milliseconds, rates arrivals per second, `startAt` milliseconds since 1970. */
export type LoadSettings = Omit<GivenSettings, "target" | "drain" | "mix" | "extraBody"> & {
  readonly target: string;
  readonly drain: number;
  readonly extraBody?: JsonObject;
  readonly mix: readonly WeightedPart<Part>[];
};

/**
 * Reads the settings of a load from `ASSAY_*` variables.
 * @throws UsageError when a value cannot be read, or as `checkedSettings` does
 */
export const readLoadSettings = (env: Readonly<Record<string, string | undefined>>): LoadSettings =>
  checkedSettings(readVariables(LOAD_SETTINGS, env));

/**
 * Checks settings that were read.
 * @throws UsageError when no target is given, two settings contradict each other, or the mix has an unknown part
 */
export function checkedSettings({ target, mix, extraBody, ...rest }: GivenSettings): LoadSettings {
  if (target === undefined) {
    throw new UsageError(
      "Cannot load a service: no target is given. Set ASSAY_TARGET to its base address, such as http://127.0.0.1:8080.",
    );
  }
  const wrong = contradiction(rest);
  if (wrong !== undefined) throw new UsageError(`Cannot shape the load: ${wrong}.`);
  return {
    ...rest,
    target,
    drain: drainOf(rest),
    mix: mix.map(knownPart),
    ...(extraBody !== undefined && { extraBody: checkedMembers(extraBody, rest.noUsage) }),
  };
}

/** `stream_options` is Assay's own as long as it asks for usage. */
function checkedMembers(given: ExtraBody, noUsage = false): JsonObject {
  if (typeof given === "string") {
    throw new UsageError(
      `Cannot add to chat requests: extra-body is the name of a file, "${given}". Set ASSAY_EXTRA_BODY to the JSON object itself.`,
    );
  }
  if (Object.hasOwn(given, "stream_options") && !noUsage) {
    throw new UsageError(
      "Cannot add to chat requests: extra-body has the member stream_options, by which Assay asks for usage. Leave it out, or use --no-usage.",
    );
  }
  return given;
}

function knownPart({ part, weight }: WeightedPart): WeightedPart<Part> {
  if (isScenarioPart(part)) return { part, weight };
  throw new UsageError(`Cannot mix "${part}": it is not one of ${SCENARIO_PARTS.join(", ")}.`);
}

/** Which settings exclude each other, as a sentence without its end; undefined when none do. */
function contradiction({
  rate,
  vus,
  arrival,
  timeScale,
}: Pick<GivenSettings, "rate" | "vus" | "arrival" | "timeScale">): string | undefined {
  if (rate !== undefined && vus !== undefined) {
    return (
      `both rate (${formatRates(rate)}/s) and vus (${vus}) are set. ` +
      "Keep rate for an open loop, whose arrivals do not wait for the target, or vus for a closed loop, whose users wait for each response"
    );
  }
  if (vus !== undefined && arrival.process !== "constant") {
    return (
      `both vus (${vus}) and the arrival process ${formatArrivalProcess(arrival)} are set. ` +
      "A closed loop has no arrival process: leave one of the two out"
    );
  }
  if (arrival.process !== "trace") {
    return timeScale === 1 ? undefined : "time-scale is set, but the arrivals are not a trace. Set the rate instead";
  }
  return rate === undefined
    ? undefined
    : "both a rate and a trace are set, and the trace says when arrivals are due. Replay it faster or slower with time-scale, such as 2 for twice as fast";
}
