/** Runs the suite in this process, quickly, for tests. */

import { startRun } from "../../../conformance/engine/conformance-run.ts";
import { type RunSettings, settingsFrom } from "../../../conformance/engine/conformance-settings.ts";
import type { Sink } from "../../../conformance/engine/run-files.ts";
import type { ClauseVerdict } from "../../../conformance/model/findings.ts";
import type { Verdict } from "../../../formats/verdicts.ts";

export type ClauseVerdicts = ReadonlyMap<string, ClauseVerdict>;

/** Key of every test; it must never be seen in a record. */
export const KEY = "a-canary-key-for-the-mock";

/** Settings of a quick run: polls every 10 ms, waits of at most seconds. */
export function quickSettings(target: string, more: Readonly<Record<string, string>> = {}): RunSettings {
  const settings = settingsFrom({
    ASSAY_TARGET: target,
    ASSAY_API_KEY: KEY,
    ASSAY_VIDEO: "true",
    ASSAY_MAX_VIDEO_JOBS: "60",
    ASSAY_POLL_INTERVAL: "10ms",
    ASSAY_DEADLINE: "20s",
    ...more,
  });
  return { ...settings, timeoutMs: 3_000, slowMs: 3_000, waitCapMs: 300, graceMs: 500 };
}

/** Judges a target to the end. */
export async function judgeTarget(
  target: string,
  more?: Readonly<Record<string, string>>,
  sink?: Sink,
): Promise<ClauseVerdicts> {
  const run = await startRun(quickSettings(target, more), sink && { sink });
  return (await run.finished).verdicts;
}

const BAD: readonly Verdict[] = ["FAIL", "WARN", "HARNESS-ERROR"];

/** The verdicts that say that something is wrong, one line each. */
export const badOnes = (verdicts: ClauseVerdicts): string[] =>
  [...verdicts]
    .filter(([, { verdict }]) => BAD.includes(verdict))
    .map(([id, { verdict, reason }]) => `${id} ${verdict} ${reason}`);

/** How many verdicts of each verdict there are. */
export function counted(verdicts: ClauseVerdicts): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of verdicts.values()) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
