/**
 * Whether a published `conformance.json` follows from the evidence beside it: the recorded exchanges, judged again, and the
 * recorded verdicts. It finds evidence that was changed and results that were edited; it cannot find exchanges that never
 * took place. Pure.
 */

import type { ClauseResult, ConformanceResult, EvidenceFile } from "../../formats/conformance.ts";
import { canonical } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import { conformanceVerdict } from "../verdict-words.ts";
import { changedFiles, textOf, type Verification } from "../verification.ts";
import { summarize } from "./tally.ts";

export interface Rejudged {
  /** What `verdicts.jsonl` holds. */
  readonly recorded: ConformanceResult;
  /** The same run, its exchanges judged again. */
  readonly again: ConformanceResult;
  /** Ids of clauses that this version does not have, or whose exchanges were changed to take a secret out. */
  readonly notJudged: ReadonlySet<string>;
  /** The files as they are now. */
  readonly evidence: readonly EvidenceFile[];
  /** What may have made the result: the version that recorded the run, and this one. */
  readonly tools: readonly string[];
  /** The badge and the summary beside the result, and what they are made from it; none of another version's. */
  readonly views: readonly { readonly file: string; readonly found: string; readonly made: string | undefined }[];
  /** The member in which the headers of the two files differ, so that they are not of one run. */
  readonly otherRun: string | undefined;
}

/** Compares a published result with what its evidence gives. */
export function verifyPublished(published: ConformanceResult, rejudged: Rejudged): Verification {
  const differences = [
    ...changedFiles("conformance.json", published.evidence ?? [], rejudged.evidence),
    ...(rejudged.otherRun === undefined
      ? []
      : [`exchanges.jsonl and verdicts.jsonl are not of one run: ${rejudged.otherRun} of their headers differs`]),
    ...(rejudged.tools.includes(published.tool)
      ? []
      : [
          `tool is "${shorten(published.tool, 80)}" in conformance.json; the record is of ${rejudged.tools.join(" or ")}`,
        ]),
    ...rejudged.views.flatMap(({ file, found, made }) =>
      found === made ? [] : [`${file} is not what conformance.json gives`],
    ),
    ...contradictions(published).map((sentence) => `conformance.json contradicts itself: ${sentence}`),
    ...ofWhole(published, rejudged.recorded),
    ...ofClauses(published, rejudged),
  ];
  const made = new Map(rejudged.again.clauses.map((clause) => [clause.id, clause]));
  const decided = published.clauses.filter(({ verdict }) => verdict !== "NOT-RUN");
  const standing = decided.filter(({ id }) => rejudged.notJudged.has(id)).length;
  const reproduced = decided.filter(
    ({ id, verdict }) => !rejudged.notJudged.has(id) && made.get(id)?.verdict === verdict,
  ).length;
  return { differences, reproduced, standing, hashed: published.evidence !== undefined };
}

/**
 * What a result says of itself that its clauses do not bear out, a sentence each: it was edited, or is damaged.
 */
export function contradictions(result: ConformanceResult): string[] {
  const summary = summarize(result.clauses);
  const { word } = conformanceVerdict({ ...result, summary });
  const counts = (["required", "compatible", "recommended"] as const).filter(
    (level) => canonical(summary[level]) !== canonical(result.summary[level]),
  );
  const { failed, unverified } = {
    failed: summary.required.failed + summary.compatible.failed,
    unverified: summary.required.unverified + summary.compatible.unverified,
  };
  const ids = result.clauses.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  const mayConform = failed + unverified === 0 && summary.required.verified + summary.compatible.verified > 0;
  const counted = `${summary.required.verified} of ${summary.required.total}`;
  return [
    ...(twice === undefined ? [] : [`it lists ${shorten(twice, 80)} twice`]),
    ...counts.map((level) => `its summary does not count the ${level} clauses that it lists`),
    ...(counts.length > 0 || result.headline.startsWith(counted)
      ? []
      : [`its headline is "${shorten(result.headline, 60)}", and its clauses give ${counted} required verified`]),
    // Of counts that are wrong, the word follows: saying both would say one thing twice.
    ...(counts.length > 0 || result.verdict === word || result.verdict.startsWith(`${word} (`)
      ? []
      : [`its verdict is "${shorten(result.verdict, 60)}", and its clauses and exit code give ${word}`]),
    ...(result.exitCode === 0 && (!mayConform || result.finishedAt === undefined || result.problems.length > 0)
      ? ["its exit code is 0, and its list of verdicts does not confirm it"]
      : []),
  ];
}

/** The members of a result that stand in the record too, or are computed from it. */
const OF_WHOLE = ["target", "startedAt", "finishedAt", "exitCode", "settings"] as const;
/** Of these, versions of Assay may choose other words. */
const WORDED = ["verdict", "conclusion", "headline", "basis", "problems", "traffic"] as const;

function ofWhole(published: ConformanceResult, recorded: ConformanceResult): string[] {
  const members = published.tool === recorded.tool ? [...OF_WHOLE, ...WORDED] : OF_WHOLE;
  return members.flatMap((member) =>
    textOf(published[member]) === textOf(recorded[member])
      ? []
      : [
          `${member} is ${shorten(textOf(published[member]), 80)} in conformance.json; verdicts.jsonl gives ${shorten(textOf(recorded[member]), 80)}`,
        ],
  );
}

function ofClauses(published: ConformanceResult, { recorded, again }: Rejudged): string[] {
  const [listed, made] = [byId(published), byId(again)];
  const missing = again.clauses.filter(({ id }) => !listed.has(id));
  return [
    ...again.clauses.flatMap(({ id, verdict, reason }) => {
      const claimed = listed.get(id);
      if (claimed === undefined || claimed.verdict === verdict) return [];
      return [
        `${id} is ${claimed.verdict} in conformance.json; the evidence gives ${verdict}: ${shorten(reason, 200)}`,
      ];
    }),
    ...missing.map(({ id, verdict }) => `${id} is not in conformance.json; the evidence gives ${verdict}`),
    ...published.clauses.flatMap(({ id, verdict }) =>
      made.has(id) ? [] : [`${id} is ${verdict} in conformance.json, and the record has no such clause`],
    ),
    ...recorded.clauses.flatMap((clause) => {
      const claimed = listed.get(clause.id);
      const isListed = claimed === undefined || claimed.verdict !== made.get(clause.id)?.verdict;
      return isListed ? [] : editedMembers(claimed, clause);
    }),
  ];
}

const byId = ({ clauses }: ConformanceResult): ReadonlyMap<string, ClauseResult> =>
  new Map(clauses.map((clause) => [clause.id, clause]));

/** Members of a clause that are copied from the record. */
const OF_CLAUSE = ["level", "text", "reason", "evidence", "selected", "specification", "blockedBy"] as const;

const editedMembers = (claimed: ClauseResult, recorded: ClauseResult): string[] =>
  OF_CLAUSE.flatMap((member) =>
    textOf(claimed[member]) === textOf(recorded[member])
      ? []
      : [
          `${member} of ${recorded.id} is ${shorten(textOf(claimed[member]), 80)} in conformance.json; verdicts.jsonl gives ${shorten(textOf(recorded[member]), 80)}`,
        ],
  );
