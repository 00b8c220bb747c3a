/** What every view of a conformance result shows, in the order in which it matters. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { type CheckStatus, checkStatus, type FailOn, VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { plural } from "../numbers.ts";
import { failOnOf, type Tone } from "../verdict-words.ts";

export const statusOf = ({ level, verdict, selected }: ClauseResult, failOn?: FailOn): CheckStatus =>
  checkStatus(level, verdict, selected, failOn);

/** True of a clause that keeps the run from being green: it decides the exit code. */
export const isDecisive = (clause: ClauseResult, failOn?: FailOn): boolean =>
  ["failure", "error"].includes(statusOf(clause, failOn));

/** The tone in which a verdict is shown. */
export const TONES: Readonly<Record<Verdict, Tone>> = {
  PASS: "good",
  FAIL: "bad",
  "HARNESS-ERROR": "bad",
  WARN: "unsure",
  BLOCKED: "unsure",
  INCONCLUSIVE: "unsure",
  KNOWN: "none",
  OBSERVED: "none",
  "NOT-APPLICABLE": "none",
  "NOT-RUN": "none",
};

/** Verdicts that somebody should read about. */
export const NOTABLE: readonly Verdict[] = ["FAIL", "HARNESS-ERROR", "WARN", "BLOCKED", "INCONCLUSIVE", "KNOWN"];

/** Something that somebody should read about. */
export interface FindingGroup {
  readonly clause: ClauseResult;
  /** The clauses that could not be checked because of it. */
  readonly blocks: readonly ClauseResult[];
  /** Whether it or one of those decides the exit code. */
  readonly decisive: boolean;
}

/** What somebody should read about, the worst first; a clause that is blocked stands under its cause. */
export function findings({ clauses, settings }: Pick<ConformanceResult, "clauses" | "settings">): FindingGroup[] {
  const failOn = failOnOf({ settings });
  const notable = clauses.filter(({ verdict }) => NOTABLE.includes(verdict));
  const ids = new Set(notable.map(({ id }) => id));
  const cause = ({ verdict, blockedBy }: ClauseResult): string | undefined =>
    verdict === "BLOCKED" && blockedBy !== undefined && ids.has(blockedBy) ? blockedBy : undefined;
  return notable
    .filter((clause) => cause(clause) === undefined)
    .map((clause) => {
      const blocks = notable.filter((other) => cause(other) === clause.id);
      return { clause, blocks, decisive: [clause, ...blocks].some((one) => isDecisive(one, failOn)) };
    })
    .sort((a, b) => Number(b.decisive) - Number(a.decisive) || rank(a) - rank(b) || b.blocks.length - a.blocks.length);
}

const rank = ({ clause }: FindingGroup): number => VERDICTS.indexOf(clause.verdict);

/** Most clauses that are named of those that one blocks. */
const MOST_NAMED = 5;

/** `58 clauses: chat.status, chat.roles and 56 more`. */
export function blockedWords(blocks: readonly ClauseResult[]): string {
  const named = blocks.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = blocks.length - named.length;
  return `${plural(blocks.length, "clause")}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The profile of a run, by its settings. */
export const profileOf = ({ settings }: Pick<ConformanceResult, "settings">): string =>
  typeof settings["profile"] === "string" ? settings["profile"] : "unknown";

/** What a clause rests on, as a label: the specification, or the interface that it only names. */
export const basisLabel = ({ level }: ClauseResult): string =>
  level === "compatible" ? "OpenAI-compatible interface" : "Specification";

/**
 * Each statement that a clause checks, with its section; none in records that were written without them. A clause about
 * the OpenAI-compatible interface, which the specification only names, states its own.
 */
export const specificationOf = ({ specification, level, text }: ClauseResult): readonly string[] =>
  level === "compatible" ? [text] : specification.map(({ section, text }) => `${text} (section "${section}")`);

export interface Area {
  readonly area: string;
  readonly clauses: readonly ClauseResult[];
  /** Verdicts that occur, the worst first. */
  readonly counts: readonly (readonly [Verdict, number])[];
}

/** Clauses by area, both in the order in which they are planned. */
export const areas = (clauses: readonly ClauseResult[]): Area[] =>
  [...groupedBy(clauses, ({ area }) => area)].map(([area, members]) => ({
    area,
    clauses: members,
    counts: countVerdicts(members),
  }));

/** Verdicts that occur and how often, the worst first. */
export const countVerdicts = (clauses: readonly Pick<ClauseResult, "verdict">[]): (readonly [Verdict, number])[] =>
  VERDICTS.flatMap((verdict) => {
    const count = clauses.filter((clause) => clause.verdict === verdict).length;
    return count > 0 ? [[verdict, count] as const] : [];
  });

/** `exchange 14`, `exchanges 3, 4`. */
export const exchangeWords = (evidence: readonly number[]): string =>
  `exchange${evidence.length === 1 ? "" : "s"} ${evidence.join(", ")}`;
