/** The verdict of a result in a word, and the tone in which views show it: the same for loads and conformance. */

import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import type { FailOn } from "../formats/verdicts.ts";

export type Tone = "good" | "bad" | "unsure" | "none";

export interface VerdictWord {
  readonly word: string;
  readonly tone: Tone;
}

/** Marks of the tones in Markdown. */
export const MARKS: Readonly<Record<Tone, string>> = { good: "✅", bad: "❌", unsure: "⚠️", none: "" };

const verdictOf = (exitCode: ConformanceResult["exitCode"], passed: string, failed: string): VerdictWord => {
  if (exitCode === 0) return { word: passed, tone: "good" };
  if (exitCode === 1) return { word: failed, tone: "bad" };
  return exitCode === 2 ? { word: "INCONCLUSIVE", tone: "unsure" } : { word: "INTERNAL ERROR", tone: "bad" };
};

/** The verdict of a load. */
export const runVerdict = ({ exitCode }: Pick<RunResult, "exitCode">): VerdictWord =>
  verdictOf(exitCode, "PASSED", "FAILED");

/** What the validity of a run means for its reader; empty for one that is VALID. */
export const VALIDITY_WORDS: Readonly<Record<RunResult["validity"]["verdict"], string>> = {
  VALID: "",
  "CLIENT-LIMITED": "the load generator was at its limit, so its timings are not usable",
  INVALID: "what was recorded is not the load that was planned, so its figures are not usable",
};

/** The verdict of a conformance run. */
export function conformanceVerdict(result: Pick<ConformanceResult, "exitCode" | "summary" | "settings">): VerdictWord {
  const { required, compatible, recommended } = result.summary;
  // An internal error in checking one clause does not undo the failure of another.
  if (required.failed + compatible.failed > 0) return { word: "DOES NOT CONFORM", tone: "bad" };
  const isWarned = recommended.failed > 0 && failOnOf(result) === "warn";
  const other = isWarned ? "FAILED ON WARNINGS" : "BASELINE OUT OF DATE";
  return verdictOf(result.exitCode, "CONFORMS", other);
}

/** What fails the run, by its settings. */
export const failOnOf = ({ settings }: Pick<ConformanceResult, "settings">): FailOn =>
  settings.failOn === "warn" ? "warn" : "fail";
