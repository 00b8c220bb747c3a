/** Prompts that a load sends more than once are said before it starts: a target that keeps what it computed answers those sooner. */

import { isWorkloadKind, type WorkloadKind } from "../../contract/operations.ts";
import type { Workload } from "../../load/rules/checked-settings.ts";
import { formatNumber, plural } from "../../reports/numbers.ts";
import { BUNDLED_PROMPTS } from "../../toolchain/bundle-scenario.ts";
import { readPrompts } from "./check-prompts.ts";
import type { LoadPlan } from "./plan-load.ts";
import { arrivalsOf, arrivalsOfWorkload } from "./planned-arrivals.ts";

/**
 * Which files have fewer prompts than the load needs; undefined where none repeats, or nobody knows.
 * @param isSearch whether the load is one run of a search
 */
export function repeatedNotice(plan: LoadPlan, isSearch = false): string | undefined {
  const { scenario, settings, traces = {}, repeat } = plan;
  const hasRuns = isSearch || repeat.times > 1;
  const repeats = new Map<string, string[]>();
  for (const workload of settings.workloads) {
    const { prompts = BUNDLED_PROMPTS, operation = isWorkloadKind(scenario) ? scenario : undefined } = workload;
    // Of a trace that states lengths, prompts are made.
    const isMade =
      workload.inputTokens !== undefined || Number(traces[workload.name ?? scenario]?.inputTokens.length) > 0;
    if (operation === undefined || isMade || workload.uniquePrompts) continue;
    const needed = isSearch ? 0 : Math.round(promptsOf(workload, operation, plan));
    const { count } = readPrompts(prompts);
    if (needed <= count && !hasRuns) continue;
    repeats.set(prompts, [
      ...(repeats.get(prompts) ?? []),
      ...(needed > count ? [inWords(workload, count, needed)] : []),
    ]);
  }
  if (repeats.size === 0) return undefined;
  const again = hasRuns ? ", from which each run draws: later runs repeat prompts of earlier ones" : "";
  const sentences = [...repeats].map(([file, each]) => {
    const which = file === BUNDLED_PROMPTS ? "The built-in file" : file;
    const within =
      each.length === 0 ? "" : `${hasRuns ? "; within a run " : ": "}${each.join(", ")} repeat an earlier one`;
    return `${which} has ${plural(readPrompts(file).count, "prompt")}${again}${within}.`;
  });
  return `${sentences.join(" ")} A target with a prefix cache answers those sooner. Make each prompt another one (--set unique-prompts=true), use a larger file (--prompts), or prompts that are made (--input-tokens).`;
}

function inWords({ name }: Workload, count: number, needed: number): string {
  const of = name === undefined ? "" : ` of ${name}`;
  return Number.isFinite(needed)
    ? `about ${formatNumber(needed - count)} of ${formatNumber(needed)}${of}`
    : `further ones${of}`;
}

/** The prompts that the arrivals of a workload begin with. */
const promptsOf = (workload: Workload, operation: WorkloadKind, plan: LoadPlan): number =>
  arrivalsOfWorkload(workload, plan, arrivalsOf(plan)) *
  (operation === "embeddings" ? mean(workload.batchSizes.values) : 1);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
