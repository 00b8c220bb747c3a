/** One run of the conformance suite: settings checked, vitest run, video tasks cancelled whatever happened. */

import { readBaseline } from "../../conformance/engine/baseline.ts";
import { type Selection, select } from "../../conformance/engine/clause-selection.ts";
import { type RunSettings, runSettings } from "../../conformance/engine/conformance-settings.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { writeVariables } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { foreignEnvironment } from "../cli/child-environment.ts";
import { apiKeyVariables, resolveSettings, type Sources } from "../cli/command-settings.ts";
import type { Progress } from "../cli/console.mjs";
import { whileInterruptible } from "../cli/interrupt.ts";
import { cancelLeftovers } from "../tasks/clean-up.ts";
import { openTasksOf } from "../tasks/open-tasks.ts";
import { type SuiteProcess, startSuite } from "./vitest-process.ts";

/** vitest's exit codes of a run that came to its end: all passed, or some failed. */
const ENDED: readonly (number | null)[] = [0, 1];

/** A run that was asked for and checked. */
export interface ConformancePlan {
  readonly settings: RunSettings;
  readonly selections: readonly Selection[];
  /** `ASSAY_*` variables for vitest, the API key among them. */
  readonly variables: Readonly<Record<string, string>>;
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
  const complete = {
    ...writeVariables(settingsFor("conformance"), values),
    ...apiKeyVariables(values.apiKeyEnv, sources?.env),
  };
  try {
    const settings = runSettings({ ...foreignEnvironment(), ...complete });
    const clauses = await loadClauses();
    readBaseline(settings.baseline, clauses);
    return { settings, selections: select(clauses, settings), variables: complete };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/** Longest wait for the answer to a submission that was under way when the user stopped the run. */
const SUBMISSION_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/**
 * Ends the suite at a moment when no submission is under way: a task whose id never came could not be cancelled. The
 * journal names a submission before it is sent, so a suite that stands still with none open has none on its way.
 */
async function stopBetweenSubmissions(suite: SuiteProcess, folder: string): Promise<void> {
  const latest = Date.now() + SUBMISSION_WAIT_MS;
  suite.freeze();
  while (openTasksOf(folder).unanswered.length > 0 && Date.now() < latest) {
    suite.thaw();
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    suite.freeze();
  }
  suite.stop();
}

/** How a run of the suite ended. */
export interface ConformanceEnd {
  readonly interrupted: boolean;
  /** Sentences for the user about tasks that may still run. */
  readonly warnings: readonly string[];
}

/**
 * Runs the suite; afterwards the folder holds its exchanges and verdicts, as many as there were time for.
 * @throws Error when vitest itself broke
 */
export async function runConformance(
  plan: ConformancePlan,
  folder: string,
  progress: Progress,
  quiet: boolean,
): Promise<ConformanceEnd> {
  let interrupted = false;
  const suite = startSuite({ ...plan.variables, ASSAY_OUT: folder }, quiet);
  const code = await whileInterruptible(
    (urgency) => {
      interrupted = true;
      progress.say("Stopping: what was judged so far is kept.");
      if (urgency === "gently") void stopBetweenSubmissions(suite, folder);
      else suite.stop();
    },
    () => suite.ended,
  );
  const { warnings } = await cancelLeftovers(folder, plan.settings);
  if (!interrupted && !ENDED.includes(code)) {
    throw new Error(
      `The conformance suite did not come to its end: vitest ended with ${code ?? "a signal"}. Its output is above.`,
    );
  }
  return { interrupted, warnings };
}
