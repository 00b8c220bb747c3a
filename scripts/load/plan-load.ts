/** A load before it starts: everything that can be checked without the target is checked. */

import { resolve } from "node:path";
import { readTextFile } from "../../lib/text-file.ts";
import { checkObjectives, parseSlo } from "../../reports/load/metrics/slo.ts";
import { checkedSettings, type LoadSettings } from "../../scenarios/process/checked-settings.ts";
import { atSpeed, lengthOfTrace, parseTrace, type Trace } from "../../scenarios/process/traces.ts";
import { parsePrompts } from "../../scenarios/prompts.ts";
import { defaultRate } from "../../scenarios/scenario-list.ts";
import { type ExtraBody, parseExtraBody } from "../../settings/extra-body.ts";
import { objectivesOf } from "../../settings/load-table.ts";
import { steady } from "../../settings/rates.ts";
import type { Segment } from "../../settings/segment.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { apiKeyVariables, resolveSettings, type Sources } from "../cli/command-settings.ts";
import { BUNDLED_PROMPTS, scenarioFile } from "../toolchain/bundle.ts";
import { checkSegment, checkStart } from "./segment-checks.ts";

/** A load that was requested, checked, and ready to run. */
export interface LoadPlan {
  readonly scenario: string;
  readonly entry: string;
  /** Files by absolute path, since k6 runs in the result folder. */
  readonly settings: LoadSettings;
  /** The part of the run that is this machine's; absent: the whole. */
  readonly segment?: Segment;
  /** What is replayed, at its speed; absent: the arrivals are not those of a trace. */
  readonly trace?: Trace;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Checks all that can be checked before anything starts: settings, objectives, prompts, trace, key, scenario.
 * @param flags options as commander gives them
 * @param sources where else settings come from; absent: the user's environment and file
 * @throws UsageError that says what is wrong and what to do
 */
export function planLoad(scenario: string, flags: Readonly<Record<string, unknown>>, sources?: Sources): LoadPlan {
  const { values, given } = resolveSettings("load", flags, sources);
  const { apiKeyEnv, segment, ...forK6 } = values;
  const entry = scenarioFile(scenario);
  const checked = checkedSettings({ ...forK6, ...extraBodyOf(forK6.extraBody) });
  const trace = traceOf(checked);
  const prompts = checked.prompts ?? BUNDLED_PROMPTS;
  const settings: LoadSettings = {
    ...checked,
    ...(trace === undefined ? defaultShape(scenario, checked) : replayShape(trace, checked, given)),
    prompts: resolve(prompts),
    ...(checked.caFile !== undefined && { caFile: resolve(checked.caFile) }),
  };
  if (segment !== undefined) checkSegment(segment, settings);
  if (settings.startAt !== undefined) checkStart(settings.startAt, Date.now());
  requireObjectives(scenario, settings);
  parsePrompts(readText("prompts", prompts, "a JSONL file with --prompts (see docs/load.md)"), prompts);
  if (checked.caFile !== undefined) readText("certificates", checked.caFile, "a PEM file with --ca-file");
  const keys = apiKeyVariables(apiKeyEnv, sources?.env);
  return { scenario, entry, settings, ...(segment && { segment }), ...(trace && { trace }), keys };
}

function requireObjectives(scenario: string, settings: LoadSettings): void {
  const objectives = objectivesOf(settings);
  if (objectives.length === 0) {
    throw new UsageError(
      "Cannot load without an objective: --no-default-slos leaves none. Add one with --slo, such as ttft_p95<800ms.",
    );
  }
  checkObjectives(objectives.map(parseSlo), scenario === "mixed" ? settings.mix.map(({ part }) => part) : undefined);
}

/** The members of `--extra-body`, read from its file. @throws UsageError when the file cannot be read or used */
function extraBodyOf(given: ExtraBody | undefined): { readonly extraBody?: ExtraBody } {
  if (typeof given !== "string") return {};
  const text = readText(
    "further members of chat requests",
    given,
    "a file that holds a JSON object, or give the object",
  );
  try {
    return { extraBody: parseExtraBody(text) };
  } catch (error) {
    throw new UsageError(`Cannot add ${given} to chat requests: ${reasonOf(error)}.`);
  }
}

/** The rate of a load for which neither a rate nor users were given, so that the records state it. */
const defaultShape = (scenario: string, { rate, vus }: LoadSettings): Partial<LoadSettings> =>
  rate === undefined && vus === undefined ? { rate: steady(defaultRate(scenario)) } : {};

/** @throws UsageError when the file of a trace cannot be read */
function traceOf({ arrival, timeScale }: LoadSettings): Trace | undefined {
  if (arrival.process !== "trace") return undefined;
  const text = readText("arrivals", arrival.file, "a trace with --arrival trace:FILE (see docs/load.md)");
  return atSpeed(parseTrace(text, arrival.file), timeScale);
}

/**
 * How long a trace is replayed: whole and without a warm-up, unless these were given. A warm-up leaves out that much of
 * its beginning, a duration limits what is measured.
 * @throws UsageError when the warm-up is as long as the trace
 */
function replayShape(
  trace: Trace,
  { arrival, warmup, duration }: LoadSettings,
  given: ReadonlySet<string>,
): Partial<LoadSettings> {
  const wholeMs = lengthOfTrace(trace);
  const warmupMs = given.has("warmup") ? warmup : 0;
  if (warmupMs >= wholeMs) {
    throw new UsageError(
      `Cannot replay the trace: it takes ${formatDuration(wholeMs)}, and the warm-up of ${formatDuration(warmupMs)} leaves nothing of it. Shorten --warmup.`,
    );
  }
  const restMs = wholeMs - warmupMs;
  return {
    ...(arrival.process === "trace" && { arrival: { ...arrival, file: resolve(arrival.file) } }),
    warmup: warmupMs,
    duration: given.has("duration") ? Math.min(duration, restMs) : restMs,
  };
}

/** Reads a file of the user's. @throws UsageError that says what it holds and how to name it */
function readText(what: string, file: string, naming: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new UsageError(`Cannot read ${what} from ${file}: ${reasonOf(error)}. Name ${naming}.`);
  }
}
