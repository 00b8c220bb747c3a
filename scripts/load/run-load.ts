/** One load run: bundles the scenario, runs k6 on it, follows its progress and leaves no video task behind. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { parseSlo } from "../../reports/load/metrics/slo.ts";
import { LOAD_SETTINGS, type LoadSettings, readLoadSettings } from "../../scenarios/load-settings.ts";
import { defaultRate } from "../../scenarios/profiles/default-rates.ts";
import { parsePrompts } from "../../scenarios/prompts.ts";
import { atSpeed, lengthOfTrace, parseTrace, type Trace } from "../../scenarios/traces.ts";
import { formatArrival, type Segment } from "../../settings/parse.ts";
import { settingVariable, type Values } from "../../settings/table.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { BUNDLED_PROMPTS, bundleScenario, scenarioFile } from "../build/bundle.ts";
import { GO_HINT, k6ForLoads } from "../build/k6.ts";
import { apiKeyVariables, resolveSettings, type Sources } from "../cli/command-settings.ts";
import type { Progress } from "../cli/console.ts";
import { NoConclusion } from "../cli/exit-codes.ts";
import { isEmpty } from "../cli/file-lines.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { cancelLeftovers } from "../tasks/clean-up.ts";
import { connectionsOf } from "./connection.ts";
import { type K6End, segmentArguments } from "./k6-process.ts";
import { startLoad } from "./load-client.ts";
import { followProgress } from "./progress.ts";
import { checkSegment, checkStart } from "./segments.ts";
import { stockPlanOf } from "./stock/stock-plan.ts";

/** Exit codes of k6 after which the records tell how the run went: ended, thresholds crossed, interrupted, killed. */
const JUDGED_FROM_RECORDS: readonly (number | null)[] = [0, 99, 105, null];

const STOPPING = "Stopping: what is in flight is cancelled and recorded. Press Ctrl-C again to end at once.";
const KILLING = "Ending at once; what was recorded so far is kept.";
const STOCK_NOTICE =
  "This k6 is without Assay's extension: first tokens, gaps between chunks and the client's lateness are not measured";

/** A load that was asked for, checked, and ready to run. */
export interface LoadPlan {
  readonly scenario: string;
  readonly entry: string;
  readonly settings: LoadSettings;
  /** The part of the run that is this machine's; absent: the whole. */
  readonly segment?: Segment;
  /** What is replayed, at its speed; absent: arrivals are made, or there are none. */
  readonly trace?: Trace;
  /** `ASSAY_*` variables for k6; no secrets. */
  readonly variables: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Checks all that can be checked before anything starts: settings, objectives, prompts, trace, key, scenario.
 * @param flags options as commander gives them
 * @param sources where else settings come from; absent: the user's environment and file
 * @throws UsageError that says what is wrong and what to do
 */
export function planLoad(scenario: string, flags: Readonly<Record<string, unknown>>, sources?: Sources): LoadPlan {
  const { values, variables } = resolveSettings([...LOAD_SETTINGS, "apiKeyEnv", "segment"], flags, sources);
  try {
    const entry = scenarioFile(scenario);
    const prompts = values.prompts ?? BUNDLED_PROMPTS;
    const given = {
      ...variables,
      ...defaultShape(scenario, values),
      // k6 runs in the result folder.
      [settingVariable("prompts")]: resolve(prompts),
      ...(values.caFile !== undefined && { [settingVariable("caFile")]: resolve(values.caFile) }),
    };
    const trace = traceOf(readLoadSettings(given));
    const complete = { ...given, ...(trace && replayShape(trace, values, variables)) };
    const settings = readLoadSettings(complete);
    const { segment } = values;
    if (segment !== undefined) checkSegment(segment, settings);
    if (settings.startAt !== undefined) checkStart(settings.startAt, Date.now());
    for (const expression of settings.slo ?? []) parseSlo(expression);
    parsePrompts(readText("prompts", prompts, "a JSONL file with --prompts; see README, Prompts"), prompts);
    const keys = apiKeyVariables(values.apiKeyEnv, sources?.env);
    const parts = { ...(segment && { segment }), ...(trace && { trace }) };
    return { scenario, entry, settings, ...parts, variables: complete, keys };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/** The rate of a load whose shape nobody named, so that the record says it. */
const defaultShape = (
  scenario: string,
  { rate, vus, arrival }: Values<"rate" | "vus" | "arrival">,
): Record<string, string> =>
  rate === undefined && vus === undefined && arrival.process !== "trace"
    ? { [settingVariable("rate")]: String(defaultRate(scenario)) }
    : {};

function traceOf({ arrival, timeScale }: LoadSettings): Trace | undefined {
  if (arrival.process !== "trace") return undefined;
  const text = readText("arrivals", arrival.file, "a trace with --arrival trace:FILE; see README, Traces");
  return atSpeed(parseTrace(text, arrival.file), timeScale);
}

/**
 * How long a trace is replayed: whole, with no warm-up, unless told otherwise. A warm-up leaves out so much of its
 * beginning, a duration bounds what is measured.
 */
function replayShape(
  trace: Trace,
  { arrival, warmup, duration }: Values<"arrival" | "warmup" | "duration">,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const whole = lengthOfTrace(trace);
  const leftOut = given[settingVariable("warmup")] === undefined ? 0 : warmup;
  if (leftOut >= whole) {
    throw new UsageError(
      `Cannot replay the trace: it takes ${formatDuration(whole)}, and the warm-up of ${formatDuration(leftOut)} leaves nothing of it. Shorten --warmup.`,
    );
  }
  const rest = whole - leftOut;
  const measured = given[settingVariable("duration")] === undefined ? rest : Math.min(duration, rest);
  const file = arrival.process === "trace" ? resolve(arrival.file) : "";
  return {
    [settingVariable("arrival")]: formatArrival({ process: "trace", file }),
    [settingVariable("warmup")]: `${leftOut}ms`,
    [settingVariable("duration")]: `${measured}ms`,
  };
}

/** Reads a file of the user's; `what` it holds and how it is named go into the error. */
function readText(what: string, file: string, naming: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${what} from ${file}: ${reasonOf(error)}. Name ${naming}.`);
  }
}

/**
 * Runs the load; afterwards the folder holds its records.
 * @param folder an empty result folder
 * @param progress is told how the run goes
 * @returns sentences for the user about video tasks that may still run, and errors of the scenario
 * @throws UsageError when k6 could not run the scenario, NoConclusion when it was interrupted before it began
 */
export async function runLoad(plan: LoadPlan, folder: string, progress: Progress): Promise<readonly string[]> {
  const k6 = await k6ForLoads();
  const stock = stockPlanOf(plan, k6);
  if (k6.kind === "stock") progress.say(`${STOCK_NOTICE} (${k6.path}). ${GO_HINT}.`);
  await bundleScenario(plan.entry, join(folder, FILES.bundle), k6.kind);
  const secrets = Object.values(plan.keys).flatMap((keys) => keys.split(","));
  const { [settingVariable("segment")]: _, ...settings } = plan.variables; // k6 is told by an argument
  const variables = { ...settings, ...plan.keys };
  let interrupted = false;
  const more = plan.segment === undefined ? [] : segmentArguments(plan.segment);
  const client = startLoad(k6, { folder, variables, secrets, more }, stock);
  const followed = followProgress(join(folder, FILES.client), plan.settings, progress.show);
  const end = await whileInterruptible(
    (urgency) => {
      interrupted = true;
      progress.say(urgency === "gently" ? STOPPING : KILLING);
      client.stop(urgency);
    },
    () => client.ended,
  );
  await followed.stop();
  progress.end();
  const { warnings, cancels } = await cancelLeftovers(folder, ...connectionsOf(plan.settings, plan.keys));
  client.finish(cancels);
  if (isEmpty(join(folder, FILES.records))) throw nothingRecorded(end, interrupted, folder);
  if (!interrupted && !JUDGED_FROM_RECORDS.includes(end.code)) throw brokenOff(end, folder);
  return [...warnings, ...errorsOf(end, interrupted, folder)];
}

/** A scenario that throws does not end k6, but its arrivals are without a request. */
const errorsOf = ({ lastError }: K6End, interrupted: boolean, folder: string): string[] =>
  interrupted || lastError === ""
    ? []
    : [`k6 logged errors. The last: ${lastError.split("\n")[0]}. All are in ${join(folder, FILES.k6Log)}.`];

function nothingRecorded(end: K6End, interrupted: boolean, folder: string): Error {
  if (!interrupted) return brokenOff(end, folder);
  return new NoConclusion("Nothing was measured: the run was interrupted before its first request.");
}

const brokenOff = ({ code, lastError }: K6End, folder: string): UsageError =>
  new UsageError(
    `Cannot run the load: k6 ended with ${code === null ? "a signal" : `exit code ${code}`}. Its last error: ${lastError || "none"}. All that it said is in ${join(folder, FILES.k6Log)}.`,
  );
