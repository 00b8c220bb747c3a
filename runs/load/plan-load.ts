/** A load before it starts: everything that can be checked without the target is checked. */

import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { apiKeyVariables, type Environment, keyIn } from "../../cli/api-keys.ts";
import { type Resolved, resolveSettings, type Sources } from "../../cli/command-settings.ts";
import { endSentence, MADE_CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { parseYaml } from "../../lib/yaml.ts";
import { haveOwnArrivals } from "../../load/inputs/random.ts";
import { checkedSettings, type LoadSettings } from "../../load/rules/checked-settings.ts";
import type { TraceFacts } from "../../load/shape/trace-facts.ts";
import type { Trace } from "../../load/shape/traces.ts";
import type { EarlierInputs } from "../../reports/load/repeated-inputs.ts";
import { checkReach, type Reach } from "../../route/route.ts";
import { defaultRate } from "../../scenarios/scenario-list.ts";
import { type ExtraBody, parseExtraBody } from "../../settings/load/extra-body.ts";
import type { GivenSettings } from "../../settings/load/load-json.ts";
import { ratesOf, shapeNamed } from "../../settings/load/load-shapes.ts";
import { type Prices, pricesIn } from "../../settings/load/prices.ts";
import { formatRates, steady, steadyRate } from "../../settings/load/rates.ts";
import { primedIn, type WorkloadEntry, type Workloads } from "../../settings/load/workload.ts";
import { formatOutput, type Output } from "../../settings/outputs.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { BUNDLED_PROMPTS, type BundleEntry, hasOwn, scenarioFile } from "../../toolchain/bundle-scenario.ts";
import { canaryBodies } from "./ask-canaries.ts";
import { requireDecidable } from "./check-objectives.ts";
import { checkPrompts, type PromptsUse } from "./check-prompts.ts";
import { type CountedWords, countWords } from "./count-words.ts";
import { checkHistograms, movedHistograms } from "./drawn-lengths.ts";
import { InputFiles, inputDigestsOf } from "./input-digests.ts";
import { MIXED, withWorkloads, workloadsFor } from "./named-load.ts";
import { checkOutputs } from "./outputs/output-plan.ts";
import { plannedCached } from "./planned-arrivals.ts";
import { type NamedTrace, type ReadTraces, replayShape, replaysOf, textsOf, tracesOf } from "./replayed-traces.ts";
import type { ScrapePlan } from "./scraper.ts";
import { checkSegment, checkStart } from "./segment-checks.ts";

/** A load that was requested, checked, and ready to run. */
export interface LoadPlan {
  /** A scenario, or the title of a file of workloads. */
  readonly scenario: string;
  readonly entry: BundleEntry;
  /** Files by absolute path, since k6 runs in the result folder. */
  readonly settings: LoadSettings;
  /** The words of prompts that are made, where a tokenizer counted them. */
  readonly words?: CountedWords;
  /** What is replayed, by the name of the workload, or of the scenario; absent: no arrivals are those of a trace. */
  readonly traces?: Readonly<Record<string, Trace>>;
  /** What is said of it. */
  readonly replayed?: TraceFacts;
  readonly keys: Readonly<Record<string, string>>;
  /** The variable that the common API key is taken from, where it is not Assay's own. */
  readonly apiKeyEnv?: string;
  /** Where metrics go while it runs, beside the result folder. */
  readonly outputs: readonly Output[];
  /** What is read of the target's own metrics beside it. */
  readonly scrape: ScrapePlan;
  /** Requests whose responses during the load are compared with those before it. */
  readonly canaries: readonly string[];
  /** How often it is run, and the time between two runs. */
  readonly repeat: { readonly times: number; readonly pauseMs: number };
  /** What was sent before it; absent: that is not asked for. */
  readonly earlier?: EarlierInputs;
}

/**
 * Checks all that can be checked before anything starts: settings, objectives, prompts, trace, key, scenario.
 * @param named a scenario; absent: a file of workloads describes the load
 * @param flags options as commander gives them
 * @param sources where else settings come from; absent: the user's environment and file
 * @param isStartedHere whether the plan is run on this machine, which then needs the API keys; a plan that is not has none
 * @throws UsageError that says what is wrong and what to do
 */
export function planLoad(
  named: string | undefined,
  flags: Readonly<Record<string, unknown>>,
  sources?: Sources,
  isStartedHere = true,
): LoadPlan {
  const resolved = resolveSettings("load", withWorkloads(named, flags), sources);
  return planResolved(named, resolved, sources?.env, isStartedHere);
}

/** The same of settings that were read. @param env the user's environment, which holds the API keys */
export function planResolved(
  named: string | undefined,
  { values, given, workload: described }: Resolved<"load">,
  env: Environment | undefined,
  isStartedHere: boolean,
): LoadPlan {
  const {
    apiKeyEnv,
    repeat,
    repeatPause,
    output = [],
    scrape,
    scrapeSeries,
    scrapeInterval,
    workload: _,
    ...forK6
  } = values;
  const workload = workloadsFor(named, described, forK6.mix);
  const scenario = workload?.title ?? named ?? "";
  const entry = {
    file: scenarioFile(workload === undefined ? scenario : MIXED),
    ofWorkloads: scenariosOf(workload?.workloads ?? []),
  };
  const files = new InputFiles();
  const read = tracesOf(scenario, { ...forK6, workload }, (file) =>
    readText("arrivals", file, "a trace with --arrival trace:FILE (see docs/load.md)", files.read),
  );
  const checked = withPaths({ ...forK6, ...textsOf(read[scenario], forK6) }, workload, read);
  const settings: LoadSettings = {
    ...checked,
    ...(Object.keys(read).length === 0 ? defaultShape(scenario, checked) : replayShape(read, checked, given)),
    ...filesInFull(checked),
    ...promptSeedOf(checked, given),
  };
  const replays = replaysOf(read, scenario, settings);
  const { segment, startAt } = settings;
  if (segment !== undefined) checkSegment(segment, settings);
  if (startAt !== undefined) checkStart(startAt, Date.now());
  checkRepeat(repeat, { segment, startAt, output });
  requireDecidable({ scenario, settings, hasOwn: hasOwn(entry) });
  const promptFiles = checkFiles(settings, read, files);
  checkReach(checked);
  const words = wordsOf(settings, files);
  const primes = primedIn(settings.workloads).length > 0;
  if (primes) requireOwnScenario(scenario, entry);
  const planned = plannedCached({ scenario, settings, ...replays });
  const inputDigests = inputDigestsOf(settings, files, promptFilesOf(settings));
  const keys = isStartedHere ? keysOf(settings, apiKeyEnv, env) : {};
  checkOutputs(output, env);
  return {
    scenario,
    entry: { ...entry, ...(primes && { primes }) },
    settings: {
      ...settings,
      inputDigests,
      ...(replays && { replayed: replays.replayed }),
      ...(planned !== undefined && { plannedCached: planned }),
      ...(promptFiles && { promptFiles }),
    },
    ...replays,
    ...(words && { words }),
    keys,
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    outputs: output,
    scrape: scrapePlan({
      sources: scrape ?? [],
      intervalMs: scrapeInterval,
      ...(scrapeSeries && { others: scrapeSeries }),
    }),
    canaries: canaryBodies(settings),
    repeat: { times: repeat, pauseMs: repeatPause },
  };
}

/** @throws UsageError for a scenario of the user's own, which may have a `setup()` */
function requireOwnScenario(scenario: string, entry: BundleEntry): void {
  if (!hasOwn({ file: entry.file })) return;
  throw new UsageError(
    `Cannot prime the target with ${scenario}: only Assay's own scenarios send prefixes before the load. Send them in its setup(), and leave prime out.`,
  );
}

/** The settings for k6, checked as a whole, with the files that k6 opens by absolute path. @throws UsageError */
function withPaths(
  given: Omit<GivenSettings, "workload">,
  workload: Workloads | undefined,
  read: ReadTraces,
): LoadSettings {
  const prompts = given.prompts ?? (given.inputTokens === undefined ? BUNDLED_PROMPTS : undefined);
  const { uniquePrompts = prompts === BUNDLED_PROMPTS } = given;
  const isChosen = given.uniquePrompts !== undefined;
  return checkedSettings({
    ...given,
    ...extraBodyOf(given.extraBody),
    ...pricesFrom(given.prices),
    ...(workload && {
      workload: {
        ...workload,
        workloads: workload.workloads.map((entry) => withFiles(entry, isChosen, read[entry.name])),
      },
    }),
    ...(prompts !== undefined && { prompts: resolve(prompts) }),
    // Of a file they are sent as they are, as by older versions, whose loads are the same.
    ...(prompts !== undefined && uniquePrompts && { uniquePrompts }),
    ...(given.arrival.process === "trace" && { arrival: { ...given.arrival, file: resolve(given.arrival.file) } }),
    ...movedHistograms(given, (_, file) => resolve(file)),
  });
}

/**
 * The seed of what prompts say, so that two runs do not send the same: a new one, unless a seed is given. The segments of one load
 * have that of the instant at which they start, and none without one.
 */
export function promptSeedOf(
  { promptSeed, segment, startAt }: Pick<LoadSettings, "promptSeed" | "segment" | "startAt">,
  given: ReadonlySet<string>,
): { readonly promptSeed?: number } {
  if (promptSeed !== undefined) return { promptSeed };
  if (given.has("seed")) return {};
  if (segment === undefined) return { promptSeed: randomInt(2 ** 32) };
  return startAt === undefined ? {} : { promptSeed: Math.floor(startAt / 1_000) };
}

/**
 * @returns the files that k6 reads in place of those that it cannot; undefined where it reads all
 * @throws UsageError when a file of prompts or a histogram cannot be used
 */
function checkFiles(
  settings: LoadSettings,
  read: ReadTraces,
  { read: readFile }: InputFiles,
): LoadSettings["promptFiles"] {
  const partOf = (file: string): PromptsUse["part"] => {
    const used = Object.values(read).find(({ process, source }) => source.hasTexts && file === resolve(process.file));
    return used && { skipped: used.source.skipped, count: used.trace.offsetsMs.length };
  };
  const converted = promptFilesOf(settings).flatMap((file): [string, string][] => {
    const { path } = checkPrompts(file, { part: partOf(file), mostUnusable: settings.unusablePrompts });
    return path === file ? [] : [[file, path]];
  });
  for (const each of settings.workloads) checkHistograms(each, readFile);
  return converted.length === 0 ? undefined : Object.fromEntries(converted);
}

/** @throws UsageError when a tokenizer cannot be read, there is nothing for it to count, or something else counts too */
function wordsOf(settings: LoadSettings, files: InputFiles): CountedWords | undefined {
  const { tokenizer, workloads, charactersPerToken } = settings;
  if (tokenizer === undefined) return undefined;
  if (charactersPerToken !== MADE_CHARACTERS_PER_TOKEN) {
    throw new UsageError(
      `Cannot count tokens both with ${tokenizer} and as ${charactersPerToken} characters each. Leave out --set tokenizer or --set characters-per-token.`,
    );
  }
  if (workloads.some(({ inputTokens, arrival }) => inputTokens !== undefined || arrival.process === "trace")) {
    const words = countWords(tokenizer);
    files.add(tokenizer, words.sha256);
    return words;
  }
  throw new UsageError(
    "Cannot use --set tokenizer: it counts the tokens of prompts that are made, and none are. Give their lengths with --input-tokens, such as normal:512,128.",
  );
}

const SHORTEST_SCRAPE_MS = 100;

/** @throws UsageError for settings that do not fit together */
function scrapePlan(plan: ScrapePlan): ScrapePlan {
  if (plan.intervalMs < SHORTEST_SCRAPE_MS) {
    throw new UsageError(
      `Cannot read metrics every ${formatDuration(plan.intervalMs)}: that loads the target. Give --set scrape-interval=${formatDuration(SHORTEST_SCRAPE_MS)} or more.`,
    );
  }
  if (plan.sources.length > 0 || plan.others === undefined) return plan;
  throw new UsageError("Cannot use --set scrape-series without a source of metrics. Name one with --scrape URL.");
}

/** @throws UsageError when what was asked to be repeated happens once, or leaves the last result alone */
function checkRepeat(
  times: number,
  once: { readonly segment: unknown; readonly startAt: unknown; readonly output: readonly Output[] },
): void {
  if (times === 1) return;
  if (once.segment !== undefined || once.startAt !== undefined) {
    const name = once.segment !== undefined ? "--segment" : "--start-at";
    throw new UsageError(
      `Cannot run the load ${times} times: ${name} is for machines that start together, and only the first run would. Leave out --repeat and --grid, and run each on all machines.`,
    );
  }
  const toFile = once.output.find((each) => "file" in each);
  if (toFile === undefined) return;
  throw new UsageError(
    `Cannot use --output ${formatOutput(toFile)} with several runs: each run would overwrite the file of the one before. Send the metrics to a receiver, or run the loads one by one.`,
  );
}

/** The scenario files of workloads, by the name of the workload. @throws UsageError when one is not there */
const scenariosOf = (workloads: readonly WorkloadEntry[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    workloads.flatMap(({ name, scenario }) => (scenario === undefined ? [] : [[name, scenarioFile(scenario)]])),
  );

/**
 * A workload with its files by absolute path, and what is in them where k6 does not open them itself.
 * @param isChosen whether the load says if prompts are made unique; else those of a file of its own are sent as they are
 * @param read its own trace
 */
function withFiles(entry: WorkloadEntry, isChosen: boolean, read: NamedTrace | undefined): WorkloadEntry {
  const own = { ...entry.settings, ...textsOf(read, entry.settings) };
  const { prompts, extraBody, arrival } = own;
  return {
    ...entry,
    settings: {
      ...(prompts !== undefined && !isChosen && { uniquePrompts: false }),
      ...own,
      ...(arrival?.process === "trace" && { arrival: { ...arrival, file: resolve(arrival.file) } }),
      ...(prompts !== undefined && { prompts: resolve(prompts) }),
      ...movedHistograms(entry.settings, (_, file) => resolve(file)),
      ...extraBodyOf(extraBody),
    },
  };
}

/** The files of prompts, each once. */
const promptFilesOf = ({ workloads }: LoadSettings): readonly string[] => [
  ...new Set(workloads.flatMap(({ prompts = [], inputTokens }) => (inputTokens === undefined ? prompts : []))),
];

/** The API keys of a load, by variable. @throws UsageError when a variable is not set */
function keysOf(settings: LoadSettings, apiKeyEnv?: string, env?: Environment): Record<string, string> {
  const own = keysOfWorkloads(settings, env);
  const isCommon = settings.workloads.some((each) => each.apiKeyEnv === undefined);
  return { ...(isCommon && apiKeyVariables(apiKeyEnv, env)), ...own };
}

/** The API keys of workloads that have their own, by variable. @throws UsageError when a variable is not set */
function keysOfWorkloads({ workloads }: LoadSettings, env?: Environment): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const { name, apiKeyEnv } of workloads) {
    if (apiKeyEnv === undefined) continue;
    const key = keyIn(apiKeyEnv, env);
    if (key === undefined) {
      throw new UsageError(
        `Cannot take the API key of the workload ${name} from ${apiKeyEnv}: that environment variable is not set. Set it, or leave out api-key-env.`,
      );
    }
    keys[apiKeyEnv] = key;
  }
  return keys;
}

/** The members of `--set extra-body`, read from its file. @throws UsageError when the file cannot be read or used */
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

/** The prices of `--set prices`, read from their file. @throws UsageError when the file cannot be read or used */
function pricesFrom(given: Prices | string | undefined): { readonly prices?: Prices } {
  if (typeof given !== "string") return {};
  const text = readText("prices", given, "a YAML or JSON file with --set prices=FILE (see docs/cost.md)");
  try {
    return { prices: pricesIn(parseYaml(text)) };
  } catch (error) {
    throw new UsageError(`Cannot use the prices in ${given}: ${endSentence(reasonOf(error))}`);
  }
}

/**
 * The rate of a load with a shape, or of one for which neither a rate nor users were given, so that the records state it.
 * @throws UsageError when a shape is to change a rate that changes already
 */
function defaultShape(scenario: string, settings: LoadSettings): Partial<LoadSettings> {
  const { rate, vus, shape, workload } = settings;
  if (workload !== undefined && haveOwnArrivals(workload.workloads)) return {};
  const profile = shapeNamed(shape ?? "");
  const usual = defaultRate(scenario, workload?.workloads);
  if (profile === undefined) {
    return rate === undefined && vus === undefined ? { rate: steady(usual) } : {};
  }
  const highest = rate === undefined ? usual * profile.ofDefault : steadyRate(rate);
  if (highest !== undefined) return { rate: ratesOf(profile, highest) };
  throw new UsageError(
    `Cannot shape the load: the shape ${shape} says how the rate changes, and --rate ${formatRates(rate ?? [])} changes too. Give the highest rate of the shape, such as --rate 20.`,
  );
}

/** Reads a file of the user's. @throws UsageError that says what it holds and how to name it */
function readText(what: string, file: string, naming: string, read = readTextFile): string {
  try {
    return read(file);
  } catch (error) {
    throw new UsageError(`Cannot read ${what} from ${file}: ${reasonOf(error)}. Name ${naming}.`);
  }
}

/** The files of certificates by their whole paths: k6 runs in another folder. */
const filesInFull = ({ caFile, clientCert, clientKey }: Reach) => ({
  ...(caFile !== undefined && { caFile: resolve(caFile) }),
  ...(clientCert !== undefined && { clientCert: resolve(clientCert) }),
  ...(clientKey !== undefined && { clientKey: resolve(clientKey) }),
});
