/** Carries out a search: one run after another, each saved before the next. */

import { join } from "node:path";
import type { Progress } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { untilInterrupted } from "../../cli/interrupt.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import type { SearchResult, SearchStep, StepPurpose } from "../../formats/search.ts";
import { concludeSearch, type SearchEnd } from "../../reports/search/conclude-search.ts";
import { formatLoad } from "../../reports/search/load-text.ts";
import { stepOf } from "../../reports/search/search-step.ts";
import { stepLine } from "../../reports/search/search-terminal.ts";
import { formatDuration } from "../../settings/units.ts";
import { waitAfterFailures } from "../load/await-serving.ts";
import { targetOf } from "../load/connection.ts";
import { measureLoad } from "../load/measure-load.ts";
import { highestOf, type SearchPlan } from "./plan-search.ts";
import { nextRunName, saveSearch } from "./search-folder.ts";
import { bracketOf, type Next, nextOf } from "./search-logic.ts";
import { SentInputs } from "./sent-inputs.ts";

/** A search that is under way, or resumed. */
export interface SearchState {
  readonly startedAt: string;
  readonly steps: readonly SearchStep[];
}

/**
 * Searches, and saves what is known after each run into `folder`.
 * @throws as `measureLoad` does; what was found until then is saved
 */
export async function runSearch(
  plan: SearchPlan,
  folder: string,
  state: SearchState,
  progress: Progress,
): Promise<SearchResult> {
  let steps = state.steps;
  const sent = new SentInputs();
  for (const { run } of steps) await sent.add(join(folder, run));
  const save = (end: SearchEnd): SearchResult => {
    const search = resultOf(plan, { ...state, steps }, end);
    saveSearch(folder, search);
    return search;
  };
  return untilInterrupted(progress, async (signal) => {
    const ready = waitAfterFailures(targetOf(highestOf(plan)), { say: progress.say, signal });
    for (;;) {
      const next = nextOf(steps, plan.space);
      const end = signal.aborted ? ({ why: "interrupted" } as const) : endOf(next, plan, steps);
      if (end !== undefined) return save(end);
      save({ why: "running" });
      if (next.do !== "run") continue;
      await ready(steps.at(-1)?.errorRate);
      if (signal.aborted) continue;
      const step = await measure(plan, folder, next, { steps, sent }, progress).catch((error: unknown) => {
        if (signal.aborted && error instanceof InconclusiveError) return undefined;
        throw error;
      });
      if (step === undefined) continue;
      steps = [...steps, step];
      progress.say(stepLine(step));
    }
  });
}

/** Why the search ends here; undefined when it goes on. */
function endOf(next: Next, plan: SearchPlan, steps: readonly SearchStep[]): SearchEnd | undefined {
  if (next.do === "end") {
    const { why, found, limitedBy, at } = next;
    if (why === "confirmed" && found !== null && (limitedBy === "target" || limitedBy === "range")) {
      return { why, found, limitedBy };
    }
    if (why === "undecided" || why === "invalid") return { why, at: at ?? Number.NaN };
    return { why: why === "confirmed" ? "client" : why };
  }
  const { runs, arrivals } = plan.budget;
  if (steps.length >= runs) return { why: "budget", budget: `--max-runs ${runs}` };
  const length = plan.lengthOf(next.load, next.purpose, steps) / 1_000;
  const due = unitOf(plan, next.purpose) === "rate" ? next.load * length : 0;
  if (sentIn(steps) + due > arrivals) return { why: "budget", budget: `--max-arrivals ${arrivals}` };
  return undefined;
}

/** One user alone is one in a search for a rate, too. */
const unitOf = ({ unit }: SearchPlan, purpose: StepPurpose): SearchResult["unit"] =>
  purpose === "floor" ? "vus" : unit;

const sentIn = (steps: readonly SearchStep[]): number => steps.reduce((sum, { arrivals }) => sum + arrivals, 0);

async function measure(
  plan: SearchPlan,
  folder: string,
  { load, purpose }: Extract<Next, { do: "run" }>,
  { steps, sent }: { readonly steps: readonly SearchStep[]; readonly sent: SentInputs },
  progress: Progress,
): Promise<SearchStep> {
  const name = nextRunName(folder);
  const lengthMs = plan.lengthOf(load, purpose, steps);
  const loadPlan = purpose === "floor" ? plan.atFloor(lengthMs, steps.length) : plan.run(load, lengthMs, steps.length);
  const unit = unitOf(plan, purpose);
  progress.say(`${name}  ${formatLoad(load, unit)} for ${formatDuration(lengthMs)} (${purpose})`);
  const runFolder = createResultFolder(join(folder, name), "search");
  const { run } = await measureLoad(loadPlan, runFolder, progress);
  const repeated = await sent.add(runFolder);
  const planned = { [unit]: load, purpose, seconds: lengthMs / 1_000, run: name };
  return stepOf(run, { ...planned, ...(repeated !== undefined && { repeated }) });
}

/** What is known after these runs. */
function resultOf(plan: SearchPlan, { startedAt, steps }: SearchState, end: SearchEnd): SearchResult {
  const { unit, space, scenario, target, texts, slos } = plan;
  const { first, min, max, tolerance } = space;
  const known = { unit, range: { first, min, max, tolerance }, steps: [...steps], bracket: bracketOf(steps) };
  const repeatsAsked = texts["uniquePrompts"] === "false";
  return {
    schema: "assay.search/1",
    ...{ tool: TOOL, target, scenario, startedAt, settings: { ...texts }, slos: [...slos] },
    ...known,
    ...concludeSearch(end, { ...known, repeatsAsked }),
  };
}
