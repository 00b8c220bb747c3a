/** From the results of the runs of a repeated load to the spread between them. */

import type { RepeatResult } from "../../formats/repeat.ts";
import type { RunResult } from "../../formats/run.ts";
import { metric } from "../../load/objectives/metrics.ts";
import { plural } from "../numbers.ts";
import { type Gate, usualGates } from "./gates.ts";

/** A run that was repeated, and its folder within that of the repetition. */
export interface RepeatedRun {
  readonly dir: string;
  readonly run: RunResult;
}

/** @param ended whether the user ended the repetition, after the last of these runs or within it */
export function summarizeRepeats(
  repeated: readonly RepeatedRun[],
  { asked, ended, tool }: { readonly asked: number; readonly ended: boolean; readonly tool: string },
): RepeatResult {
  const [first] = repeated;
  const interrupted = ended || repeated.some(({ run }) => run.interrupted && run.aborted === undefined);
  return {
    schema: "assay.repeat/1",
    tool,
    target: first?.run.target ?? "",
    scenario: first?.run.scenario ?? "",
    shape: first?.run.shape ?? "",
    asked,
    interrupted,
    runs: repeated.map(({ dir, run }) => ({
      dir,
      seed: run.seed,
      startedAt: run.startedAt,
      units: run.counts.offered,
      validity: run.validity.verdict,
      exitCode: run.exitCode,
      conclusion: run.conclusion,
    })),
    metrics: usualGates((name) => repeated.some(({ run }) => run.metrics[name] !== undefined)).map((gate) =>
      spreadOf(gate, repeated),
    ),
    ...concludeRepeats(repeated, { asked, interrupted }),
  };
}

/** An interrupted run has not the load of a whole one, and the timing of one that is not VALID is not the target's. */
const isWhole = ({ run }: RepeatedRun): boolean => run.validity.verdict === "VALID" && !run.interrupted;

function spreadOf(gate: Gate, repeated: readonly RepeatedRun[]): RepeatResult["metrics"][number] {
  const valueIn = ({ run }: RepeatedRun): number | null => {
    const result = run.metrics[gate.metric];
    const statistic = gate.quantile === undefined ? ("value" as const) : gate.quantile.name;
    const isKnown = statistic === "value" || result?.atLeast?.[statistic] === undefined;
    return isKnown ? (result?.[statistic] ?? null) : null;
  };
  const sorted = repeated
    .filter(isWhole)
    .flatMap((each) => valueIn(each) ?? [])
    .toSorted((a, b) => a - b);
  const [middle, next] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return {
    name: gate.name,
    unit: metric(gate.metric).unit,
    values: repeated.map(valueIn),
    median: middle === undefined || next === undefined ? null : (middle + next) / 2,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
  };
}

/** A repetition that its user interrupted is inconclusive, as such a run is; else a missed objective decides before an undecided one. */
export function concludeRepeats(
  repeated: readonly RepeatedRun[],
  { asked, interrupted }: { readonly asked: number; readonly interrupted: boolean },
): Pick<RepeatResult, "exitCode" | "conclusion"> {
  if (interrupted) {
    return { exitCode: 2, conclusion: `interrupted in or after run ${repeated.length} of ${asked}` };
  }
  const withCode = (code: number) => repeated.filter(({ run }) => run.exitCode === code);
  const [failed, unsure] = [withCode(1), withCode(2)];
  const of = (runs: readonly RepeatedRun[], what: string) =>
    runs.length === 0 ? [] : [`${runs.length} of ${plural(repeated.length, "run")} ${what}: ${namedRuns(runs)}`];
  const inWords = [...of(failed, "failed"), ...of(unsure, "without a result")];
  if (failed.length > 0) return { exitCode: 1, conclusion: inWords.join("; ") };
  if (unsure.length > 0) return { exitCode: 2, conclusion: inWords.join("; ") };
  return { exitCode: 0, conclusion: `all objectives met in ${plural(repeated.length, "run")}` };
}

/** `run-1, run-3 (undecided: ttft_p99<1s), run-2 (the run is INVALID)`: runs with the same conclusion together. */
function namedRuns(runs: readonly RepeatedRun[]): string {
  const conclusions = [...new Set(runs.map(({ run }) => run.conclusion))];
  const alike = (conclusion: string) => runs.filter(({ run }) => run.conclusion === conclusion).map(({ dir }) => dir);
  return conclusions.map((conclusion) => `${alike(conclusion).join(", ")} (${conclusion})`).join(", ");
}
