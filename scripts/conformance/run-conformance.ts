/** One conformance run: settings checked, clauses checked, video tasks cancelled whatever happened. */

import { readBaseline } from "../../conformance/engine/baseline.ts";
import { type Selection, select } from "../../conformance/engine/clause-selection.ts";
import { startRun } from "../../conformance/engine/conformance-run.ts";
import { type RunSettings, runSettings } from "../../conformance/engine/conformance-settings.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink } from "../../conformance/engine/run-files.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { apiKeyVariables, resolveSettings, type Sources } from "../cli/command-settings.ts";
import type { Progress } from "../cli/console.mjs";
import { whileInterruptible } from "../cli/interrupt.ts";
import { cancelLeftovers } from "../tasks/cancel-leftovers.ts";
import { clauseProgress } from "./clause-progress.ts";

const STOPPING = "Stopping: what was checked so far is kept. Press Ctrl-C again to end at once.";

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
    const clauses = await loadClauses();
    readBaseline(settings.baseline, clauses);
    return { settings, selections: select(clauses, settings), keys };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/**
 * Runs to the end, or to where the user stops it; afterwards the folder holds the exchanges and the verdicts so far.
 * @returns sentences for the user about tasks that may still run
 */
export async function runConformance(
  { settings, selections }: ConformancePlan,
  folder: string,
  progress: Progress,
): Promise<readonly string[]> {
  const stop = new AbortController();
  const kill = new AbortController();
  const clauses = clauseProgress(progress, selections);
  const files = fileSink(folder);
  const sink: typeof files = {
    ...files,
    verdict: (clause, verdict) => {
      files.verdict(clause, verdict);
      clauses.checked(clause, verdict);
    },
  };
  await whileInterruptible(
    (urgency) => {
      if (urgency === "gently") progress.say(STOPPING);
      (urgency === "gently" ? stop : kill).abort();
    },
    async () => {
      const run = await startRun(settings, { sink, stop: stop.signal, kill: kill.signal });
      clauses.done((await run.finished).staleBaseline);
    },
  );
  const { warnings } = await cancelLeftovers(folder, settings);
  return warnings;
}
