/** One load run: bundles the scenario, runs k6 on it, shows its progress and cancels the video tasks that are left open. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { FILES } from "../../formats/file-names.ts";
import { loadText } from "../../formats/load.ts";
import { redactor } from "../../lib/redact.ts";
import { VOCABULARY_FILE } from "../../scenarios/process/vocabulary-file.ts";
import { CLEAN_UP_MS, OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { Progress } from "../cli/console.mjs";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { isEmpty } from "../cli/file-lines.ts";
import { type Urgency, whileInterruptible } from "../cli/interrupt.ts";
import { outputSecrets } from "../cli/output-secrets.ts";
import { requirePresent } from "../cli/result-folder.ts";
import { keepSecret } from "../cli/secrets.ts";
import { type CleanUpOptions, cancelLeftovers, warn } from "../tasks/cancel-leftovers.ts";
import { bundleScenario } from "../toolchain/bundle-scenario.ts";
import { k6ForLoads } from "../toolchain/k6.ts";
import { canHaveVideo, checkSample, keepSample } from "./check-sample.ts";
import { connectionsOfLoad } from "./connection.ts";
import { type Allowances, EndWatchdog, latestEndMs } from "./end-watchdog.ts";
import { followProgress } from "./follow-progress.ts";
import { type K6End, type K6Process, startK6 } from "./k6-process.ts";
import { outputArguments } from "./outputs/output-plan.ts";
import { OutputTroubles } from "./outputs/output-troubles.ts";
import type { LoadPlan } from "./plan-load.ts";
import { canSample, interruptNotice, requireSampling, stopNotice } from "./platform-limits.ts";
import { startScraping } from "./scrape/scraper.ts";
import { watchForStop } from "./watch-for-stop.ts";

/** Exit codes of k6 after which the records say how the run went: ended, thresholds crossed, interrupted, killed. */
const CONCLUDED_FROM_RECORDS: readonly (number | null)[] = [0, 99, 105, null];

/** How long an output may take for what it writes at the end of a run. */
const LAST_WRITE_MS = 15_000;

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
  if ((plan.settings.check ?? 0) > 0) requireSampling();
  await bundleScenario(plan.entry, join(folder, FILES.bundle));
  if (plan.words !== undefined) {
    writeFileSync(join(folder, VOCABULARY_FILE), plan.words.text, { flag: "wx", mode: 0o600 });
    progress.say(plan.words.note);
  }
  const connections = connectionsOfLoad(plan.settings, plan.keys);
  const secrets = [...secretsOf(connections), ...outputSecrets(process.env)];
  keepSecret(secrets);
  const text = loadText(withoutKeysInLabels(plan.settings, redactor(secrets, []).text));
  writeFileSync(join(folder, FILES.load), text, { flag: "wx", mode: 0o600 });
  const context = { scenario: plan.scenario, segment: plan.settings.segment, folder, wholeMs: wholeOf(plan) };
  const outputs = await outputArguments(plan.outputs, context);
  for (const notice of outputs.notices) progress.say(notice);
  const troubles = new OutputTroubles(plan.outputs, progress.say);
  const variables = { ...outputs.variables, ...plan.keys };
  const [connection] = connections;
  const scraping = startScraping(plan.scrape, {
    folder,
    connection: connection ?? { target: plan.settings.target },
    redact: redactor(secrets, []).text,
    say: progress.say,
  });
  const share = plan.settings.check ?? 0;
  const videoTasks = canSample() && canHaveVideo(plan);
  const startedAt = new Date().toISOString();
  const samples = share > 0 || videoTasks;
  const client = startK6({
    path,
    folder,
    variables,
    secrets,
    more: outputs.args,
    samples,
    onOutputTrouble: troubles.take,
  });
  const sample = client.sample && keepSample(client.sample);
  const followed = followProgress(folder, plan.settings, progress.show);
  const leave = new AbortController();
  /** By its user, or by one of its conditions. */
  let interrupted = false;
  let hasEnded = false;
  const watchdog = new EndWatchdog(
    {
      ask: (passedMs) => {
        progress.say(overdue(passedMs));
        client.stop("gently");
      },
      kill: () => client.stop("now"),
    },
    allowances,
  );
  watchdog.within(latestEndMs(plan.settings, Date.now(), allowances) + plan.outputs.length * LAST_WRITE_MS);
  const stopClient = (urgency: Urgency, notice = interruptNotice(urgency)): void => {
    interrupted = true;
    progress.say(notice);
    client.stop(urgency);
    watchdog.interrupted();
  };
  const watched = watchForStop(folder, plan.settings, {
    isRunning: () => !interrupted && !hasEnded,
    end: (stop) => stopClient("gently", stopNotice(stop)),
  });
  const end = await whileInterruptible(
    (urgency) => {
      if (hasEnded) leave.abort();
      else stopClient(urgency);
    },
    async () => {
      const k6End = await client.ended;
      hasEnded = true;
      watchdog.stop();
      await Promise.all([followed.stop(), scraping.stop(), watched.stop()]);
      progress.end();
      await cleanUp(client, k6End, { folder, connections, leave: leave.signal, say: progress.say });
      redactLoad(folder, secrets);
      // A folder that was removed is not made again for what was sampled, and one that is full takes no more.
      const isWhole = CONCLUDED_FROM_RECORDS.includes(k6End.code);
      if (sample !== undefined && isWhole && existsSync(folder)) {
        const { target } = plan.settings;
        const options = { folder, target, share, videoTasks, startedAt, connections, leave: leave.signal, progress };
        await checkSample(sample, options);
      }
      return k6End;
    },
  );
  requirePresent(folder, "load");
  if (watchdog.hasEnded && !interrupted) throw neverEnded(folder);
  if (isEmpty(join(folder, FILES.records))) throw nothingRecorded(end, interrupted, folder);
  if (!interrupted && !CONCLUDED_FROM_RECORDS.includes(end.code)) throw k6Failed(end, folder);
  return [...scenarioErrors(end, interrupted, folder), ...troubles.sentences()];
}

const wholeOf = ({ settings: { warmup, duration } }: LoadPlan): number => warmup + duration;

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

const overdue = (passedMs: number): string =>
  `k6 is still running ${formatDuration(Math.round(passedMs / 1_000) * 1_000)} after its start, when it should have ended. Ending it.`;

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
