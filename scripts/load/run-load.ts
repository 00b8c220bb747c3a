/** One load run: bundles the scenario, runs k6 on it, follows its progress and leaves no video task behind. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { parseSlo } from "../../reports/load/metrics/slo.ts";
import { checkedSettings, type LoadSettings } from "../../scenarios/checked-settings.ts";
import { parsePrompts } from "../../scenarios/prompts.ts";
import { defaultRate } from "../../scenarios/scenario-list.ts";
import { atSpeed, lengthOfTrace, parseTrace, type Trace } from "../../scenarios/traces.ts";
import { LOAD_SETTINGS } from "../../settings/load-table.ts";
import { steady } from "../../settings/rates.ts";
import type { Segment } from "../../settings/segment.ts";
import { writeVariables } from "../../settings/setting.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { BUNDLED_PROMPTS, bundleScenario, scenarioFile } from "../build/bundle.ts";
import { GO_HINT, k6ForLoads } from "../build/k6.ts";
import { apiKeyVariables, resolveSettings, type Sources } from "../cli/command-settings.ts";
import type { Progress } from "../cli/console.mjs";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { isEmpty } from "../cli/file-lines.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { cancelLeftovers } from "../tasks/clean-up.ts";
import { connectionsOf } from "./connection.ts";
import { followProgress } from "./follow-progress.ts";
import { type K6End, segmentArguments } from "./k6-process.ts";
import { startLoad } from "./load-client.ts";
import { checkSegment, checkStart } from "./segments.ts";
import { stockPlanOf } from "./stock/stock-plan.ts";

/** Exit codes of k6 after which the records tell how the run went: ended, thresholds crossed, interrupted, killed. */
const JUDGED_FROM_RECORDS: readonly (number | null)[] = [0, 99, 105, null];

const STOPPING = "Stopping: what is in flight is cancelled and recorded. Press Ctrl-C again to end at once.";
const KILLING = "Ending at once; what was recorded so far is kept.";
const STOCK_NOTICE =
  "This k6 is without Assay's extension: first tokens, gaps between chunks and the client's lateness are not measured";

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
  try {
    const entry = scenarioFile(scenario);
    const checked = checkedSettings(forK6);
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
    for (const expression of settings.slo ?? []) parseSlo(expression);
    parsePrompts(readText("prompts", prompts, "a JSONL file with --prompts; see README, Prompts"), prompts);
    const keys = apiKeyVariables(apiKeyEnv, sources?.env);
    return { scenario, entry, settings, ...(segment && { segment }), ...(trace && { trace }), keys };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/** The rate of a load for which neither a rate nor users were given, so that the records state it. */
const defaultShape = (scenario: string, { rate, vus }: LoadSettings): Partial<LoadSettings> =>
  rate === undefined && vus === undefined ? { rate: steady(defaultRate(scenario)) } : {};

/** @throws UsageError when the file of a trace cannot be read */
function traceOf({ arrival, timeScale }: LoadSettings): Trace | undefined {
  if (arrival.process !== "trace") return undefined;
  const text = readText("arrivals", arrival.file, "a trace with --arrival trace:FILE; see README, Traces");
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
 * @throws UsageError when k6 could not run the scenario, InconclusiveError when it was interrupted before it began
 */
export async function runLoad(plan: LoadPlan, folder: string, progress: Progress): Promise<readonly string[]> {
  const k6 = await k6ForLoads();
  const stock = stockPlanOf(plan, k6);
  if (k6.kind === "stock") progress.say(`${STOCK_NOTICE} (${k6.path}). ${GO_HINT}.`);
  await bundleScenario(plan.entry, join(folder, FILES.bundle), k6.kind);
  const secrets = Object.values(plan.keys).flatMap((keys) => keys.split(","));
  const variables = { ...writeVariables(LOAD_SETTINGS, plan.settings), ...plan.keys };
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
  return new InconclusiveError("Nothing was measured: the run was interrupted before its first request.");
}

const brokenOff = ({ code, lastError }: K6End, folder: string): UsageError =>
  new UsageError(
    `Cannot run the load: k6 ended with ${code === null ? "a signal" : `exit code ${code}`}. Its last error: ${lastError || "none"}. All that it said is in ${join(folder, FILES.k6Log)}.`,
  );
