/** Judges one clause on recorded exchanges. Pure: the run and the replay share it. */

import type { Exchanges } from "../../formats/exchanges.ts";
import type { Level } from "../../formats/verdicts.ts";
import { wasAccepted } from "../judges/acceptance.ts";
import { answered } from "../judges/status.ts";
import { latestTask } from "../judges/task-history.ts";
import type { Clause, Context } from "../model/clause.ts";
import { type ClauseVerdict, type Finding, inconclusive, notApplicable, verdictFrom } from "../model/findings.ts";

/** What a need came to. */
export interface NeedVerdict {
  readonly id: string;
  readonly ruling: ClauseVerdict;
}

/** The ruling of a clause whose needs did not all pass; undefined when they did. */
export function blockedBy(needs: readonly NeedVerdict[]): ClauseVerdict | undefined {
  const need = needs.find(({ ruling }) => ruling.verdict !== "PASS");
  if (need === undefined) return undefined;
  const { verdict, reason } = need.ruling;
  if (verdict === "NOT-RUN" || verdict === "NOT-APPLICABLE") return { verdict, reason, evidence: [] };
  const origin = need.ruling.blockedBy ?? need.id;
  const because = verdict === "BLOCKED" ? reason : `${need.id} must pass first and is ${verdict}: ${reason}`;
  return { verdict: "BLOCKED", reason: because, blockedBy: origin, evidence: [] };
}

/** NOT-APPLICABLE when the clause rests on a setting that was not given. */
export function inapplicable({ probes: [probe] }: Clause, { failingPrompt }: Context): ClauseVerdict | undefined {
  if (probe.kind !== "task" || probe.onlyWith === undefined || failingPrompt) return undefined;
  return verdictFrom(
    "observed",
    notApplicable("no prompt that content review rejects was given; add --failing-prompt"),
    [],
  );
}

/** Judges a clause on what each of its probes saw. */
export function judgeClause(clause: Clause, seen: readonly Exchanges[], context: Context): ClauseVerdict {
  try {
    const picked = clause.pick(seen[0] ?? []);
    const evidence = [...picked, ...seen.slice(1).flat()].map(({ id }) => id);
    const own = picked.map(({ id }) => id);
    if (picked.length === 0)
      return verdictFrom(clause.level, clause.unmet, (seen[0] ?? []).map(({ id }) => id).slice(-1));
    const unusable = clause.anyAnswer ? undefined : unusableReason(picked);
    if (unusable !== undefined) return verdictFrom(clause.level, unusable, own);
    const finding = clause.judge([picked, ...seen.slice(1)], context);
    const several = clause.probes.length > 1 && clause.control === undefined;
    return verdictFrom(levelOf(clause.level, finding), finding, several ? evidence : own);
  } catch (error) {
    return harnessError(`the judge of ${clause.id} threw`, error);
  }
}

/** The ruling when Assay itself is at fault. */
export function harnessError(what: string, error: unknown): ClauseVerdict {
  const reason = error instanceof Error ? error.message : String(error);
  return { verdict: "HARNESS-ERROR", reason: `${what}: ${reason}`, evidence: [] };
}

/** The types keep an observed clause from being broken; so does this, should a judge be written around them. */
function levelOf(level: Level, { kind }: Finding): Level {
  if (level === "observed" && kind === "broken") throw new Error("an observed clause cannot be broken");
  return level;
}

const LATER: readonly number[] = [408, 429, 503];

/** Why exchanges are no evidence: no whole answer, or one that says "later". */
function unusableReason(exchanges: Exchanges): Finding | undefined {
  const bad = exchanges.find(
    ({ answer, failure }) => failure !== undefined || answer?.truncated || LATER.includes(answer?.status ?? 0),
  );
  if (bad === undefined) return undefined;
  if (bad.answer?.truncated) return inconclusive("the answer was longer than what is read of one");
  if (bad.answer !== undefined && bad.failure !== undefined) {
    return inconclusive(`the answer was cut (${bad.failure.kind}: ${bad.failure.message})`);
  }
  return inconclusive(answered(bad));
}

/** Whether a packed job was accepted, so that it stands for each of its fields. */
export const isPackedAccepted = (packed: Exchanges): boolean => wasAccepted(latestTask(packed)[0]);
