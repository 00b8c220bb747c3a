/** How a ruling is shown by a test runner: its line, and whether it fails or skips the test. */

import type { Level, Ruling, Verdict } from "./model/findings.ts";

/** What a test tells the reporter about its clause. */
interface ClauseMeta {
  readonly id: string;
  readonly level: Level;
  readonly verdict: Verdict;
  readonly reason: string;
}

declare module "vitest" {
  interface TaskMeta {
    assay?: ClauseMeta;
  }
}

/** `video.submit.status  FAIL  the document answers …; the target answered 200 (exchange 14)` */
export const headline = (id: string, { verdict, reason }: Pick<Ruling, "verdict" | "reason">): string =>
  `${id}  ${verdict}  ${reason}`;

/** Whether the clause's test fails: the target fell short, nothing could be concluded, or we are at fault. */
export function isTestFailure(level: Level, verdict: Verdict): boolean {
  if (verdict === "FAIL" || verdict === "HARNESS-ERROR") return true;
  return level === "required" && (verdict === "BLOCKED" || verdict === "INCONCLUSIVE");
}

const SKIPPED: readonly Verdict[] = ["NOT-RUN", "NOT-APPLICABLE", "KNOWN"];

/** Whether the clause's test counts as skipped. */
export const isSkipped = (verdict: Verdict): boolean => SKIPPED.includes(verdict);

/** Verdicts that are worth a line while the run is on. */
export const isNotable = (level: Level, verdict: Verdict): boolean =>
  verdict === "WARN" || isTestFailure(level, verdict);
