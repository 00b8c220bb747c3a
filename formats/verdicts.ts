/** The lines of `verdicts.jsonl`, and the one policy that says what a verdict means to test runners, reports and the exit code. */

import { z } from "zod";
import { PARTS, type Part } from "../contract/service.ts";
import { exchangesHeader } from "./exchanges.ts";

export const VERDICTS_SCHEMA = "assay.verdicts/1";

/** How binding a clause is. `compatible` belongs to the profile openai and binds like `required`. */
export const LEVELS = ["required", "recommended", "observed", "compatible"] as const;
export type Level = (typeof LEVELS)[number];

/** What a clause can come to, the worst first. */
export const VERDICTS = [
  "FAIL",
  "HARNESS-ERROR",
  "WARN",
  "BLOCKED",
  "INCONCLUSIVE",
  "KNOWN",
  "NOT-RUN",
  "NOT-APPLICABLE",
  "OBSERVED",
  "PASS",
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A statement of the specification that a clause checks: a row of the ledger. */
export const statement = z
  .object({
    row: z.string().describe("id of the row of the ledger"),
    section: z.string().describe("section of the specification"),
    text: z.string().describe("the statement, in words"),
  })
  .meta({ id: "statement" });
export type Statement = z.infer<typeof statement>;

const clause = {
  id: z.string().describe("id of the clause"),
  area: z.string().describe("area of the clause"),
  level: z.enum(LEVELS).describe("how binding the clause is"),
  text: z.string().describe("what is checked, in words"),
  specification: z.array(statement).default([]).describe("absent in files that were written before it existed"),
};

export const plannedClause = z.object({
  ...clause,
  selected: z.boolean().describe("whether the run checks it"),
  reason: z.string().optional().describe("why, in a sentence"),
});

export type PlannedClause = z.infer<typeof plannedClause>;

const baselineEntry = z.strictObject({
  clause: z.string().describe("id of the clause"),
  reason: z.string().trim().min(1).describe("why, in a sentence"),
  expires: z.iso.date().describe("last day on which the failure is excused, in UTC"),
});
/** Known failures, at most one per clause. */
export const baseline = z.array(baselineEntry);
export type BaselineEntry = z.infer<typeof baselineEntry>;

/** How much traffic there was, in exchanges. */
export const trafficCounts = z.object({
  requests: z.int().describe("exchanges seen"),
  judged: z.int().describe("those that clauses were checked on, where they are of a kind that a clause is about"),
  clientLeft: z
    .int()
    .describe("not judged, because the client left before the response had ended, or sent what could not be passed on"),
  unchecked: z.int().describe("passed on without being judged, because more came than could be taken"),
  unrecorded: z
    .int()
    .describe("judged, but not in exchanges.jsonl, whose size is bounded; never one that shows a violation first"),
  cached: z
    .int()
    .optional()
    .describe("judged, and returned by a cache, as age, cache-status or a header like it says; absent: none"),
});
export type TrafficCounts = z.infer<typeof trafficCounts>;

/** What a run rests on: responses of the service, by kind. */
export const basis = z.object({
  chats: z.int().describe("completions"),
  streams: z.int().describe("streamed replies"),
  embeddings: z.int().describe("lists of embeddings"),
  tasks: z.int().describe("video tasks that were submitted"),
  refusals: z.int().describe("requests that were refused with a 4xx status"),
});
export type Basis = z.infer<typeof basis>;

const outage = z
  .object({
    invalidRequests: z.int().describe("how many invalid requests had been sent by then"),
    status: z.int().describe("status of a valid request that was served before"),
    ms: z.number().describe("milliseconds until it was served again, or was no longer waited for"),
  })
  .describe("a time in which the target no longer served what it had served before");
export type Outage = z.infer<typeof outage>;

const interference = z
  .object({
    cut: z.int().describe("responses that were cut while another request was open, and asked for again alone"),
    whole: z.int().describe("how many of them were whole then"),
  })
  .describe("the target cuts a response when another request comes: it was asked for one at a time from then on");
export type Interference = z.infer<typeof interference>;

const { schema: _, ...ofRun } = exchangesHeader.shape;

export const verdictHeader = z.object({
  schema: z.literal(VERDICTS_SCHEMA),
  traffic: z.literal(true).optional().describe("the exchanges are recorded traffic, which no probe sent"),
  ...ofRun,
  baseline: baseline.default([]).describe("known failures that were given"),
  clauses: z.array(plannedClause).describe("every clause, selected or not"),
});

const share = z
  .object({
    count: z.int().describe("how many violate the clause"),
    of: z.int().describe("how many there were"),
    kind: z.string().describe("what they are, in the plural"),
  })
  .describe("of the exchanges or tasks that the clause is about, how many violate it; absent where none of them does");
export type Share = z.infer<typeof share>;

export const verdictLine = z.object({
  ...clause,
  verdict: z.enum(VERDICTS).describe("verdict on the clause"),
  reason: z.string().describe("why, in a sentence"),
  blockedBy: z.string().optional().describe("the clause that must pass first"),
  evidence: z.array(z.int()).describe("ids of the exchanges that show it"),
  share: share.optional(),
  at: z.string().optional().describe("when it was decided, ISO 8601 in UTC"),
});
export type VerdictLine = z.infer<typeof verdictLine>;

export const verdictEnd = z.object({
  finishedAt: z.string().describe("when it ended, ISO 8601 in UTC"),
  staleBaseline: z
    .array(z.string())
    .default([])
    .describe("entries of the baseline that have expired or now pass, a sentence each"),
  basis: basis.optional().describe("what the verdicts rest on; absent in older results"),
  ended: z.string().optional().describe("why the run ended before every clause was checked, such as its deadline"),
  outages: z
    .array(outage)
    .optional()
    .describe("times in which the target had stopped serving: none of their responses is evidence"),
  interference: interference.optional(),
  traffic: trafficCounts.optional().describe("what was seen of recorded traffic; absent when probes were sent"),
});

/** Whether clauses of a level decide the exit code. */
export const isBinding = (level: Level): boolean => level === "required" || level === "compatible";

/**
 * What the verdict of a clause means to a test runner, a report and the exit code: `failure` the target does not conform,
 * `error` it is not known whether it does, `skip` nothing was to be decided, `note` worth reading but not decisive.
 * @param selected false for a clause that the run leaves out: its NOT-RUN means nothing
 * @param failOn the least that fails a run: with `warn`, a warning is a failure
 */
export function checkStatus(level: Level, verdict: Verdict, selected = true, failOn: FailOn = "fail"): CheckStatus {
  if (verdict === "PASS") return "pass";
  if (verdict === "FAIL") return "failure";
  if (verdict === "HARNESS-ERROR") return "error";
  if (verdict === "WARN" && failOn === "warn") return "failure";
  if (verdict === "WARN" || verdict === "OBSERVED") return "note";
  if (verdict === "KNOWN" || verdict === "NOT-APPLICABLE") return "skip";
  return isBinding(level) && selected ? "error" : "skip";
}
export type CheckStatus = "failure" | "error" | "skip" | "pass" | "note";

/** The least that fails a run. */
export type FailOn = "fail" | "warn";

/** The part of the service that a clause is about; keys and paths belong to the part that they are tried on. */
export const partOfClause = (id: string): Part | undefined =>
  isVideoClause(id) ? "video" : PARTS.find((part) => id.split(".").includes(part));

/** Whether a clause may create video tasks or belongs to them, so that it is checked only when video is allowed. */
export const isVideoClause = (id: string): boolean => /(^|\.)video(\.|$)/.test(id);
