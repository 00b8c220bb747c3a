/** Judges one clause on exchanges, wherever these come from. Pure. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Level } from "../../formats/verdicts.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { beyondReading } from "../judges/json-path.ts";
import { failureInWords, isSuccess, isUnread, returned, UNDECIDED_STATUSES } from "../judges/status.ts";
import type { Clause, Context } from "../model/clause.ts";
import { type ClauseVerdict, type Finding, inconclusive, notApplicable, verdictFrom } from "../model/findings.ts";
import type { LeftOut } from "../model/probe.ts";

/** What a need came to. */
export interface NeedVerdict {
  readonly id: string;
  readonly verdict: ClauseVerdict;
}

/** The verdict of a clause whose needs did not all pass; undefined when they did. */
export function blockedBy(needs: readonly NeedVerdict[]): ClauseVerdict | undefined {
  const need = needs.find(({ verdict: { verdict } }) => verdict !== "PASS");
  if (need === undefined) return undefined;
  const { verdict, reason } = need.verdict;
  if (verdict === "NOT-RUN" || verdict === "NOT-APPLICABLE") return { verdict, reason, evidence: [] };
  const origin = need.verdict.blockedBy ?? need.id;
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

/** What a clause came to on its probes. */
export interface Judgement extends ClauseVerdict {
  /** The response says nothing about the subject of the clause. */
  readonly elsewhere?: true;
  /** Without what the target was asked, and is for what needs this clause, since it refuses that. */
  readonly without?: LeftOut;
  /** It says that the target refuses that: what needs it is judged all the same. */
  readonly goesOn?: true;
}

/**
 * Judges a clause on the exchanges of each of its probes.
 * @param confirmed those of its own probe when it was sent again after a server error
 */
export function judgeClause(
  clause: Clause,
  exchanges: readonly Exchanges[],
  context: Context,
  confirmed: readonly Exchanges[] = [],
): Judgement {
  try {
    const picked = [...clause.pick(exchanges[0] ?? []), ...confirmed.flatMap(clause.pick)];
    const evidence = [...picked, ...exchanges.slice(1).flat()].map(({ id }) => id);
    const own = picked.map(({ id }) => id);
    if (picked.length === 0)
      return {
        ...verdictFrom(clause.level, clause.unmet, (exchanges[0] ?? []).map(({ id }) => id).slice(-1)),
        elsewhere: true,
      };
    const judge = (): Finding => clause.judge([picked, ...exchanges.slice(1)], context);
    const { finding, isUnusable } = findingOn(picked, clause.anyResponse, judge);
    // A clause about acceptance says itself that nothing usable came.
    if (isUnusable) return { ...verdictFrom(clause.level, finding, own), ...(!clause.accepts && { elsewhere: true }) };
    const several = clause.probes.length > 1 && clause.control === undefined;
    const isElsewhere = finding.kind === "inconclusive" && finding.elsewhere === true;
    return {
      ...verdictFrom(levelOf(clause.level, finding), finding, several ? evidence : own),
      ...(isElsewhere && { elsewhere: true }),
    };
  } catch (error) {
    return harnessError(`the judge of ${clause.id} threw`, error);
  }
}

/** The verdict after an internal error. */
export function harnessError(what: string, error: unknown): ClauseVerdict {
  return { verdict: "HARNESS-ERROR", reason: `${what}: ${reasonOf(error)}`, evidence: [] };
}

/** The types keep an observed clause from being broken; so does this, should a judge be written around them. */
export function levelOf(level: Level, { kind }: Finding): Level {
  if (level === "observed" && kind === "broken") throw new Error("an observed clause cannot be broken");
  return level;
}

/**
 * What is found on exchanges: what the judge finds, or why they are no evidence.
 * Of a response that was cut, the part that came can still show a violation.
 * @param anyResponse whether the judge takes responses of any kind
 */
export function findingOn(
  exchanges: Exchanges,
  anyResponse: boolean,
  judge: () => Finding,
): { readonly finding: Finding; readonly isUnusable: boolean } {
  const unusable = anyResponse ? undefined : unusableReason(exchanges);
  if (unusable === undefined) return { finding: judge(), isUnusable: false };
  if (exchanges.every((one) => unusableReason([one]) === undefined || cameInPart(one))) {
    const found = judge();
    if (found.kind === "broken" && found.already) return { finding: found, isUnusable: false };
  }
  return { finding: unusable, isUnusable: true };
}

/** Whether a response began as one that succeeds does, and its end is not known. */
export const cameInPart = (exchange: Exchange): boolean =>
  isSuccess(exchange) && !isUnread(exchange) && (exchange.failure !== undefined || exchange.answer?.truncated === true);

/** Why exchanges are no evidence: no whole answer, one that asks to try again later, or one that is not read. */
export function unusableReason(exchanges: Exchanges): Finding | undefined {
  const bad = exchanges.find(
    ({ answer, failure }) =>
      failure !== undefined || answer?.truncated || UNDECIDED_STATUSES.includes(answer?.status ?? 0),
  );
  if (bad === undefined) {
    const beyond = exchanges.map(beyondReading).find((reason) => reason !== undefined);
    return beyond === undefined ? undefined : inconclusive(`the response is JSON ${beyond}, which Assay does not read`);
  }
  if (bad.answer?.truncated) return inconclusive("the response was longer than what Assay reads of one");
  if (bad.failure !== undefined && isUnread(bad))
    return inconclusive(`the response was not read: ${bad.failure.message}`);
  if (bad.answer !== undefined && bad.failure !== undefined) {
    return inconclusive(`the response was cut (${failureInWords(bad.failure)})`);
  }
  return inconclusive(returned(bad));
}
