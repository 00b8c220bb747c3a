/** One conformance run: settings checked, clauses checked, video tasks cancelled whatever happened. */

import { apiKeyVariables } from "../../cli/api-keys.ts";
import { resolveSettings, type Sources } from "../../cli/command-settings.ts";
import type { Progress } from "../../cli/console.mjs";
import { type Urgency, whileInterruptible } from "../../cli/interrupt.ts";
import { requirePresent } from "../../cli/result-folder.ts";
import { keepSecret } from "../../cli/secrets.ts";
import type { UsedTarget } from "../../cli/target.ts";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { type Selection, select } from "../../conformance/engine/clause-selection.ts";
import { startRun } from "../../conformance/engine/conformance-run.ts";
import { type RunSettings, runSettings } from "../../conformance/engine/conformance-settings.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink, type Sink } from "../../conformance/engine/run-files.ts";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { PARTS } from "../../contract/service.ts";
import { plural } from "../../reports/numbers.ts";
import { checkRoute } from "../../route/route.ts";
import { CLEAN_UP_MS, OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { cancelLeftovers, warn } from "../tasks/cancel-leftovers.ts";
import { clauseProgress } from "./clause-progress.ts";

const NOTICES: Readonly<Record<Urgency, string>> = {
  gently: `Stopping: what was checked so far is kept, and video tasks are cancelled within ${formatDuration(CLEAN_UP_MS)}. Press Ctrl-C again to stop at once.`,
  now: "Stopping at once: what was checked so far is kept, and video tasks are cancelled.",
};

/** A run that was requested, checked and is ready to start. */
export interface ConformancePlan {
  readonly settings: RunSettings;
  readonly selections: readonly Selection[];
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Checks settings and selection, sends nothing.
 * @param flags options as commander gives them
 * @param sources where else settings come from; absent: the user's environment and file
 * @throws UsageError that says what is wrong and what to do
 */
export async function planConformance(
  flags: Readonly<Record<string, unknown>>,
  sources?: Sources,
): Promise<ConformancePlan> {
  const { values } = resolveSettings("conformance", flags, sources);
  const keys = apiKeyVariables(values.apiKeyEnv, sources?.env);
  try {
    const settings = runSettings(values, { ...process.env, ...keys });
    keepSecret(secretsOf([settings]));
    checkRoute(settings.target, settings);
    const clauses = await loadClauses();
    readBaseline(settings.baseline, clauses);
    return { settings, selections: select(clauses, settings), keys };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

const MODELS = { chat: "chatModel", embeddings: "embeddingModel", video: "videoModel" } as const;

/** The target of a run, with the endpoints that its clauses are about. */
export function targetOf({ settings, selections }: ConformancePlan): UsedTarget {
  const areas = selections.flatMap(({ clause, selected }) => (selected ? [clause.area.split(".")[0] ?? ""] : []));
  const parts = PARTS.filter((part) => areas.includes(part));
  // The clauses of the other areas send chats.
  const used = parts.length === 0 ? (["chat"] as const) : parts;
  return {
    target: settings.target,
    endpoints: used.map((part) => ({ part, connection: settings, model: settings[MODELS[part]] })),
  };
}

/**
 * Runs to the end, or to where the user stops it; afterwards the folder holds the exchanges and the verdicts so far.
 * @throws UsageError when it cannot be written to
 */
export async function runConformance(
  { settings, selections }: ConformancePlan,
  folder: string,
  progress: Progress,
): Promise<void> {
  const stop = new AbortController();
  const kill = new AbortController();
  const leave = new AbortController();
  const aborts: Readonly<Record<Urgency, AbortController>> = { gently: stop, now: kill };
  let hasEnded = false;
  const clauses = clauseProgress(progress, selections);
  const files = createFiles(folder, stop);
  let saved = 0;
  const sink: Sink = {
    ...files.sink,
    provisional: (clause, verdict) => clauses.provisional(clause, verdict),
    waiting: (tasks, nextPollMs) => clauses.waiting(tasks, nextPollMs),
    verdict: (clause, verdict) => {
      files.sink.verdict(clause, verdict);
      if (files.failure() === undefined) saved += 1;
      clauses.checked(clause, verdict);
    },
  };
  await whileInterruptible(
    (urgency) => {
      if (hasEnded) return leave.abort();
      progress.say(NOTICES[urgency]);
      aborts[urgency].abort();
    },
    async () => {
      let known: readonly string[] = [];
      try {
        const run = await startRun(settings, { sink, stop: stop.signal, kill: kill.signal });
        const { staleBaseline, openTasks } = await run.finished;
        known = openTasks;
        clauses.done(staleBaseline);
      } finally {
        hasEnded = true;
        const withinMs = kill.signal.aborted ? CLEAN_UP_MS : CLEAN_UP_MS - OWN_CLEAN_UP_MS;
        const options = { folder, connections: [settings], withinMs, leave: leave.signal, known, say: progress.say };
        warn(await cancelLeftovers(options));
      }
    },
  );
  if (files.failure() !== undefined) throw notSaved(folder, files.failure(), saved, selections.length);
  requirePresent(folder, "conformance run");
}

/** The files of a run, which is stopped when one cannot be written. @throws UsageError when one cannot be created */
function createFiles(folder: string, stop: AbortController) {
  let failure: unknown;
  const failed = (error: unknown): void => {
    failure ??= error;
    stop.abort();
  };
  try {
    return { sink: fileSink(folder, failed), failure: () => failure };
  } catch (error) {
    throw new UsageError(
      `Cannot write the results of the run to ${folder}: ${reasonOf(error)}. Nothing was sent. Free space on its disk, or name another folder with --out.`,
    );
  }
}

const notSaved = (folder: string, failure: unknown, saved: number, all: number): UsageError =>
  new UsageError(
    `Cannot write the results of the run to ${folder}: ${reasonOf(failure)}. The run was stopped, and its open video tasks were cancelled from memory. ${saved} of ${plural(all, "verdict")} are saved, which assay report ${folder} --out DIR shows. Free space on its disk, and run it again.`,
  );
