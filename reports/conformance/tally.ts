/** Counting verdicts: the headline, the exit code, and the sentence that explains it. */

import { PARTS, type Part } from "../../contract/service.ts";
import type { ClauseResult, ConformanceResult, Tally } from "../../formats/conformance.ts";
import {
  type Basis,
  type FailOn,
  type Interference,
  isBinding,
  isVideoClause,
  type Level,
  type Outage,
  partOfClause,
  type Verdict,
} from "../../formats/verdicts.ts";
import { shorten } from "../../lib/text.ts";
import { formatNumber, plural } from "../numbers.ts";
import { statusOf } from "./clause-groups.ts";
import { leftWords } from "./left-clauses.ts";

/** Verdicts that take a clause out of the count: it does not apply here, or its failure is known. */
const NOT_COUNTED: readonly Verdict[] = ["NOT-APPLICABLE", "KNOWN"];

const counted = (clauses: readonly ClauseResult[], level: Level): ClauseResult[] =>
  clauses.filter((clause) => clause.level === level && clause.selected && !NOT_COUNTED.includes(clause.verdict));

function tally(clauses: readonly ClauseResult[], level: Level): Tally {
  const all = counted(clauses, level);
  const verified = all.filter((clause) => statusOf(clause) === "pass").length;
  const failed = all.filter((clause) => statusOf(clause) === "failure" || clause.verdict === "WARN").length;
  return { total: all.length, verified, failed, unverified: all.length - verified - failed };
}

export function summarize(clauses: readonly ClauseResult[]): ConformanceResult["summary"] {
  return {
    required: tally(clauses, "required"),
    compatible: tally(clauses, "compatible"),
    recommended: tally(clauses, "recommended"),
    observed: clauses.filter(({ verdict }) => verdict === "OBSERVED").length,
  };
}

/** Clauses that a run leaves out, in words. */
const LEFT_OUT = [
  { words: "video not run", test: ({ id }: ClauseResult) => isVideoClause(id) },
  { words: "not selected", test: ({ id }: ClauseResult) => !isVideoClause(id) },
];
const isChosen = ({ reason }: ClauseResult): boolean => !reason.includes("--only");
const LEFT_OF_TRAFFIC = [
  { words: "not checkable from traffic", test: isChosen },
  { words: "not selected", test: (clause: ClauseResult) => !isChosen(clause) },
];

/** How the required clauses stand, in one line: `118 of 118 required verified, 4 not applicable, 2 known, 31 video not run`. */
export function headline(
  clauses: readonly ClauseResult[],
  { required, compatible }: ConformanceResult["summary"],
  isTraffic = false,
): string {
  const count = (test: (clause: ClauseResult) => boolean): Apart => apart(clauses.filter(test));
  const being = (verdict: Verdict) => count((clause) => clause.selected && clause.verdict === verdict);
  const parts: [Apart, string, "together"?][] = [
    [being("FAIL"), "failed"],
    [being("HARNESS-ERROR"), "not checked because of an internal error"],
    [being("BLOCKED"), "blocked"],
    [being("INCONCLUSIVE"), "inconclusive"],
    [being("NOT-RUN"), "not run"],
    [being("NOT-APPLICABLE"), isTraffic ? "not in the traffic" : "not applicable"],
    [being("KNOWN"), "known"],
    ...(isTraffic ? LEFT_OF_TRAFFIC : LEFT_OUT).map(({ words, test }): [Apart, string, "together"] => [
      count((clause) => !clause.selected && test(clause)),
      words,
      "together",
    ]),
  ];
  return [
    `${required.verified} of ${required.total} required verified`,
    ...(compatible.total > 0 ? [`${compatible.verified} of ${compatible.total} compatible verified`] : []),
    ...parts.flatMap(([amounts, words, together]) => {
      const sum = amounts.required + amounts.compatible;
      if (sum === 0) return [];
      return [`${compatible.total > 0 && together === undefined ? apartWords(amounts) : sum} ${words}`];
    }),
  ].join(", ");
}

/** What the verdicts of a run rest on: `24 chats, 10 streams, 35 embeddings, 60 refusals in 4 s`; empty when nothing is known. */
export function basisWords({
  basis,
  startedAt,
  finishedAt,
}: Pick<ConformanceResult, "basis" | "startedAt" | "finishedAt">): string {
  if (basis === undefined || finishedAt === undefined) return "";
  const { chats, streams, embeddings, tasks, refusals } = basis;
  const counts: [number, string][] = [
    [chats, plural(chats, "chat")],
    [streams, plural(streams, "stream")],
    [embeddings, embeddings === 1 ? "1 list of embeddings" : `${formatNumber(embeddings)} embeddings`],
    [tasks, plural(tasks, "video task")],
    [refusals, plural(refusals, "refusal")],
  ];
  const words = counts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(", ");
  const seconds = Math.ceil((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
  return `${words === "" ? "no response of the service" : words} in ${formatNumber(seconds)} s`;
}

/** When the target had stopped serving, a sentence each: `the target stopped serving (503) after 12 invalid requests, for 20 s`. */
export const outageWords = (outages: readonly Outage[]): readonly string[] =>
  outages.map(
    ({ invalidRequests, status, ms }) =>
      `the target stopped serving (${status}) after ${plural(invalidRequests, "invalid request")}, for ${formatNumber(Math.ceil(ms / 1_000))} s`,
  );

/** The clauses that a request with a valid key alone is served, and what they are about. */
const KEY_CHECKS = /^auth\.(missing|wrong)\.([a-z.]+)$/;
const KEYS = { missing: "without a key", wrong: "with an invalid key" };

/** Which endpoints serve requests that carry no valid key: a hole, whatever the level of the clauses. */
export function keyWords(clauses: readonly ClauseResult[]): readonly string[] {
  const found = clauses.flatMap(({ id, verdict }) => (verdict === "WARN" ? [KEY_CHECKS.exec(id) ?? []] : []));
  const served = Object.entries(KEYS).flatMap(([kind, words]) => {
    const endpoints = found.flatMap(([, which, endpoint]) => (which === kind && endpoint ? [endpoint] : []));
    return endpoints.length === 0 ? [] : [`${words} (${endpoints.join(", ")})`];
  });
  return served.length === 0 ? [] : [`requests are served ${served.join(" and ")}`];
}

/** What was seen of a target that serves one request at a time, and cuts one when the next comes. */
export const interferenceWords = (seen: Interference | undefined): readonly string[] =>
  seen === undefined
    ? []
    : [
        `${seen.cut === 1 ? "1 response was" : `${seen.cut} responses were`} cut while another request was open, and ${seen.whole === seen.cut ? "whole" : `${seen.whole} of them whole`} when sent again on their own: requests went one at a time from then on`,
      ];

/** How many clauses there are of each binding level. */
export interface Apart {
  readonly required: number;
  readonly compatible: number;
}

const apart = (clauses: readonly ClauseResult[]): Apart => ({
  required: clauses.filter(({ level }) => level === "required").length,
  compatible: clauses.filter(({ level }) => level === "compatible").length,
});

/** `3 required`, `3 required and 2 compatible`. */
export const apartWords = ({ required, compatible }: Apart): string =>
  [...(required > 0 ? [`${required} required`] : []), ...(compatible > 0 ? [`${compatible} compatible`] : [])].join(
    " and ",
  );

/** What a run is about: `chat, embeddings; video not run; 3 warnings`. */
export function scope(clauses: readonly ClauseResult[], isTraffic = false): string {
  const binding = clauses.filter(({ level }) => isBinding(level));
  const of = (part: Part) => binding.filter(({ id }) => partOfClause(id) === part);
  const isRun = ({ verdict }: ClauseResult): boolean =>
    verdict !== "NOT-RUN" && !(isTraffic && verdict === "NOT-APPLICABLE");
  const known = PARTS.filter((part) => of(part).length > 0);
  const run = known.filter((part) => of(part).some(isRun));
  const words = run.map((part) => (of(part).every(isRun) ? part : `${part} in part`));
  const left = known.filter((part) => !run.includes(part));
  const warnings = clauses.filter(({ verdict }) => verdict === "WARN").length;
  return [
    ...(words.length > 0 ? [words.join(", ")] : []),
    ...(left.length > 0 ? [`${left.join(", ")} not run`] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ].join("; ");
}

export interface Circumstances {
  /** The least that fails the run. */
  readonly failOn: FailOn;
  /** Parts that must have been checked as a whole. */
  readonly require: readonly string[];
  readonly finished: boolean;
  /** Why the run ended before all was checked; absent where it did not. */
  readonly ended?: string | undefined;
  /** Sentences about lines that could not be read. */
  readonly damage: readonly string[];
  /** Entries of the baseline that have expired or now pass. */
  readonly staleBaseline: readonly string[];
  readonly basis?: Basis | undefined;
}

/** An internal error (3) comes before a failure (1), which the conclusion names all the same; a failure before an inconclusive run (2). */
export function conclude(
  clauses: readonly ClauseResult[],
  { required, compatible }: ConformanceResult["summary"],
  { finished, ended, damage, staleBaseline, failOn, require, basis }: Circumstances,
): Pick<ConformanceResult, "exitCode" | "conclusion"> {
  const failed = { required: required.failed, compatible: compatible.failed };
  const faults = clauses.filter(({ verdict }) => verdict === "HARNESS-ERROR").length;
  const unchecked = `${plural(faults, "clause")} could not be checked because of an internal error`;
  const failures = required.failed + compatible.failed > 0 ? [`${clausesOf(failed)} failed`] : [];
  const early = finished ? ended : "the run was interrupted";
  const left = early === undefined ? [] : [leftWords(clauses, early)];
  if (faults > 0) return { exitCode: 3, conclusion: [...failures, unchecked, ...left].join("; ") };
  if (failures.length > 0) return { exitCode: 1, conclusion: [...failures, ...left].join("; ") };
  const warnings = clauses.filter(({ verdict }) => verdict === "WARN").length;
  if (failOn === "warn" && warnings > 0) {
    return { exitCode: 1, conclusion: `${plural(warnings, "warning")}, which --fail-on warn makes fail` };
  }
  if (staleBaseline.length > 0) {
    return { exitCode: 1, conclusion: `the baseline is out of date: ${staleBaseline.join("; ")}` };
  }
  if (damage.length > 0) return { exitCode: 2, conclusion: `the record is damaged: ${damage[0]}` };
  if (!finished) return { exitCode: 2, conclusion: left.join() };
  const unverified = { required: required.unverified, compatible: compatible.unverified };
  if (required.unverified + compatible.unverified > 0) {
    const cause = mainCause(clauses);
    const why = cause === undefined ? "" : `: ${cause.id} is ${cause.verdict}, ${shorten(cause.reason, 300)}`;
    return { exitCode: 2, conclusion: [`${clausesOf(unverified)} could not be verified${why}`, ...left].join("; ") };
  }
  const absent = PARTS.filter((part) => require.includes(part) && !isWhole(clauses, part));
  if (absent.length > 0) {
    return { exitCode: 2, conclusion: `--require asks for ${absent.join(", ")}: some of its clauses did not run` };
  }
  // What the interface states in addition to the specification is no evidence for the specification.
  const isOfService = clauses.some(({ level, selected }) => selected && level === "required");
  if (required.verified === 0 && (isOfService || compatible.verified === 0)) {
    const what = compatible.verified === 0 ? "nothing" : "no required clause";
    return { exitCode: 2, conclusion: `${what} was verified${unservedWords(basis)}` };
  }
  return { exitCode: 0, conclusion: "every selected required clause is verified" };
}

/** Why nothing could be verified: nothing was sent, or none of it was served; empty where that is not why. */
function unservedWords(basis: Basis | undefined): string {
  if (basis === undefined) return "";
  const { refusals, ...served } = basis;
  if (Object.values(served).some((count) => count > 0)) return "";
  return refusals === 0
    ? ": there was no response of the service"
    : `: the target refused ${refusals === 1 ? "the only request" : `all ${formatNumber(refusals)} requests`}`;
}

/** `3 required and 2 compatible clauses` */
const clausesOf = (amounts: Apart): string =>
  `${apartWords(amounts)} clause${amounts.required + amounts.compatible === 1 ? "" : "s"}`;

/** Whether all of a part's clauses that decide were run. */
const isWhole = (clauses: readonly ClauseResult[], part: Part): boolean => {
  const own = clauses.filter(({ id, level }) => isBinding(level) && partOfClause(id) === part);
  return own.length > 0 && own.every(({ verdict }) => verdict !== "NOT-RUN");
};

/** The clause that explains best why others could not be verified: that of the key, else the one that blocks the most. */
function mainCause(clauses: readonly ClauseResult[]): ClauseResult | undefined {
  const causes = clauses.filter((clause) => clause.verdict === "INCONCLUSIVE" && statusOf(clause) === "error");
  const blocked = ({ id }: ClauseResult): number => clauses.filter(({ blockedBy }) => blockedBy === id).length;
  const key = causes.find(({ id, reason }) => id.startsWith("auth.key.") && /\brefused the API key\b/.test(reason));
  return key ?? causes.toSorted((a, b) => blocked(b) - blocked(a))[0];
}
