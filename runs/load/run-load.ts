/** One load run: bundles the scenario, runs k6 on it, shows its progress and cancels the video tasks that are left open. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_SAMPLES } from "../../cli/child-environment.ts";
import type { Progress } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { isEmpty } from "../../cli/file-lines.ts";
import { whileInterruptible } from "../../cli/interrupt.ts";
import { outputSecrets } from "../../cli/output-secrets.ts";
import { requirePresent } from "../../cli/result-folder.ts";
import { keepSecret } from "../../cli/secrets.ts";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { FILES } from "../../formats/file-names.ts";
import { loadText } from "../../formats/load.ts";
import { redactor } from "../../lib/redact.ts";
import { VOCABULARY_FILE } from "../../load/inputs/vocabulary-file.ts";
import { routeTo } from "../../route/route.ts";
import { CLEAN_UP_MS, OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { bundleScenario } from "../../toolchain/bundle-scenario.ts";
import { k6ForLoads } from "../../toolchain/k6.ts";
import { type CleanUpOptions, cancelLeftovers, warn } from "../tasks/cancel-leftovers.ts";
import { startCanaries } from "./ask-canaries.ts";
import { canHaveVideo, checkSample, keepSample } from "./check-sample.ts";
import { connectionsOfLoad } from "./connection.ts";
import type { Allowances } from "./end-watchdog.ts";
import { type K6End, type K6Process, type K6Start, startK6 } from "./k6-process.ts";
import { outputArguments } from "./outputs/output-plan.ts";
import { OutputTroubles } from "./outputs/output-troubles.ts";
import type { LoadPlan } from "./plan-load.ts";
import { canSample, requireSampling } from "./platform-limits.ts";
import { RunningLoad } from "./running-load.ts";
import { startScraping } from "./scraper.ts";

/** Exit codes of k6 after which the records say how the run went: ended, thresholds crossed, interrupted, killed. */
const CONCLUDED_FROM_RECORDS: readonly (number | null)[] = [0, 99, 105, null];

/**
 * Runs the load; afterwards the folder holds its records.
 * @param folder an empty result folder
 * @param progress shows how the run goes
 * @param allowances for how long k6 may take beyond its settings, before it is ended
 * @returns sentences for the user about errors of the scenario
 * @throws UsageError when k6 could not run the scenario, InconclusiveError when it was interrupted before it began
 */
export async function runLoad(
  plan: LoadPlan,
  folder: string,
  progress: Progress,
  allowances?: Allowances,
): Promise<readonly string[]> {
  const { path } = await k6ForLoads();
  const sampled = sampledOf(plan);
  const connections = connectionsOfLoad(plan.settings, plan.keys);
  const secrets = [...secretsOf(connections), ...outputSecrets(process.env)];
  keepSecret(secrets);
  await writeInputs(plan, { folder, secrets, say: progress.say });
  const given = await givenToK6(plan, folder, progress);
  const beside = {
    folder,
    connection: connections[0] ?? { target: plan.settings.target },
    redact: redactor(secrets, []).text,
    say: progress.say,
  };
  const followCanaries = await startCanaries(plan.canaries, beside);
  const troubles = new OutputTroubles(plan.outputs, progress.say);
  const scraping = startScraping(plan.scrape, beside);
  const startedAt = new Date().toISOString();
  const route = routeTo(plan.settings.target, plan.settings);
  const client = startK6({
    path,
    folder,
    route,
    secrets,
    ...given,
    samples: sampled.any,
    onOutputTrouble: troubles.take,
  });
  const sample = client.sample && keepSample(client.sample);
  const run = new RunningLoad(client, plan, { folder, progress, allowances, beside: [scraping, followCanaries()] });
  const end = await whileInterruptible(run.interrupt, async () => {
    const k6End = await run.ended();
    await cleanUp(client, k6End, { folder, connections, leave: run.leave, say: progress.say });
    redactLoad(folder, secrets);
    // A folder that was removed is not made again for what was sampled, and one that is full takes no more.
    if (sample !== undefined && isConcluded(k6End) && existsSync(folder)) {
      const { target } = plan.settings;
      await checkSample(sample, { folder, target, ...sampled, startedAt, connections, leave: run.leave, progress });
    }
    return k6End;
  });
  requireRecords(run, end, folder);
  return [...scenarioErrors(end, run.wasInterrupted, folder), ...troubles.sentences()];
}

/** What k6 passes on to be checked. @throws UsageError for a share on a system where it cannot */
function sampledOf(plan: LoadPlan): { readonly share: number; readonly videoTasks: boolean; readonly any: boolean } {
  const { check: share = 0 } = plan.settings;
  if (share > 0) requireSampling();
  const videoTasks = canSample() && canHaveVideo(plan);
  return { share, videoTasks, any: share > 0 || videoTasks };
}

/** Writes what k6 reads, without the keys that names and tags of the load may hold. */
async function writeInputs(
  { entry, settings, words }: LoadPlan,
  { folder, secrets, say }: { readonly folder: string; readonly secrets: readonly string[] } & Pick<Progress, "say">,
): Promise<void> {
  await bundleScenario(entry, join(folder, FILES.bundle));
  const text = loadText(withoutKeysInLabels(settings, redactor(secrets, []).text));
  writeFileSync(join(folder, FILES.load), text, { flag: "wx", mode: 0o600 });
  if (words === undefined) return;
  writeFileSync(join(folder, VOCABULARY_FILE), words.text, { flag: "wx", mode: 0o600 });
  say(words.note);
}

/** The variables and further arguments of k6. */
async function givenToK6(
  { scenario, settings, outputs, keys }: LoadPlan,
  folder: string,
  { say }: Progress,
): Promise<Pick<K6Start, "variables" | "more">> {
  const wholeMs = settings.warmup + settings.duration;
  const given = await outputArguments(outputs, { scenario, segment: settings.segment, folder, wholeMs });
  for (const notice of given.notices) say(notice);
  const noSamples = outputs.length === 0 && { [NO_SAMPLES]: "1" };
  return { variables: { ...given.variables, ...keys, ...noSamples }, more: given.args };
}

const isConcluded = ({ code }: K6End): boolean => CONCLUDED_FROM_RECORDS.includes(code);

/** @throws UsageError, or InconclusiveError, for a run whose records say nothing of it */
function requireRecords({ wasInterrupted, wasOverdue }: RunningLoad, end: K6End, folder: string): void {
  requirePresent(folder, "load");
  if (wasOverdue) throw neverEnded(folder);
  if (isEmpty(join(folder, FILES.records))) throw nothingRecorded(end, wasInterrupted, folder);
  if (!wasInterrupted && !isConcluded(end)) throw k6Failed(end, folder);
}

/** Cancels what k6 left open, names what could not be cancelled, and completes its files. */
async function cleanUp(client: K6Process, { code }: K6End, options: Omit<CleanUpOptions, "withinMs">): Promise<void> {
  // A k6 that ended by itself has tried for some time.
  const withinMs = code === null ? CLEAN_UP_MS : CLEAN_UP_MS - OWN_CLEAN_UP_MS;
  warn(await cancelLeftovers({ ...options, withinMs }));
  client.closeLog();
}

/** Settings without the keys that a name or a tag holds, which change nothing in a load: what is killed leaves none in the file. */
export const withoutKeysInLabels = <T extends Pick<LoadPlan["settings"], "name" | "tag">>(
  settings: T,
  redact: (text: string) => string,
): T => ({
  ...settings,
  ...(settings.name !== undefined && { name: redact(settings.name) }),
  ...(settings.tag !== undefined && {
    tag: Object.fromEntries(Object.entries(settings.tag).map(([name, value]) => [name, redact(value)])),
  }),
});

/** Takes out a key that another setting holds, such as a model: k6 had to be told it as it is. */
function redactLoad(folder: string, secrets: readonly string[]): void {
  const path = join(folder, FILES.load);
  if (!existsSync(path)) return;
  const text = readFileSync(path, "utf8");
  const redacted = redactor(secrets, []).text(text);
  if (redacted === text) return;
  rmSync(path);
  writeFileSync(path, redacted, { flag: "wx", mode: 0o600 });
}

const neverEnded = (folder: string): UsageError =>
  new UsageError(
    `Cannot complete the load: k6 did not end by itself, and was ended. What it recorded is saved, which assay report ${folder} --out DIR shows; its open video tasks were cancelled or are named above. Run it again, and report it with ${join(folder, FILES.k6Log)} if that happens again.`,
  );

/** A scenario that throws does not end k6, but its arrivals send no request. */
const scenarioErrors = ({ lastError }: K6End, interrupted: boolean, folder: string): string[] =>
  interrupted || lastError === ""
    ? []
    : [`k6 logged errors. The last: ${asSentence(lastError)}All are in ${join(folder, FILES.k6Log)}.`];

/** An error with what follows it: on the same line, or after the lines of its stack. */
const asSentence = (error: string): string => (error.includes("\n") ? `${error}\n` : `${error.replace(/\.$/, "")}. `);

function nothingRecorded(end: K6End, interrupted: boolean, folder: string): Error {
  if (!interrupted) return k6Failed(end, folder);
  return new InconclusiveError("Nothing was measured: the run was interrupted before its first request was recorded.");
}

function k6Failed({ code, lastError }: K6End, folder: string): UsageError {
  const how = code === null ? "a signal" : `exit code ${code}`;
  const saved = isEmpty(join(folder, FILES.records))
    ? "Nothing was recorded"
    : `What was recorded before is saved, which assay report ${folder} --out DIR shows`;
  return new UsageError(
    `Cannot run the load: k6 ended with ${how}. Its last error: ${asSentence(lastError || "none")}${saved}; its complete log is ${join(folder, FILES.k6Log)}.`,
  );
}
