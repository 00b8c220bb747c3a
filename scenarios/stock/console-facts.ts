/**
 * What the stock client reports to `assay`: one line of JSON per fact, on k6's console. A request has two lines, one
 * before it is sent and one after, because k6 stops scripts in the middle of a request when a run ends.
 */

import type { RunOptions } from "k6/x/assay";
import type { ArrivalEnd } from "../../formats/outcomes.ts";
import type { RequestRecord } from "../../formats/records.ts";

/** Once per virtual user: the run that it is part of. */
export interface RunFact {
  readonly line: "run";
  readonly settings: RunOptions["settings"];
  readonly seed: number;
}

/** An arrival that started. */
export interface ArrivalFact {
  readonly line: "arrival";
  readonly index: number;
  readonly phase: "warmup" | "measure";
  /** When it started, and when the schedule did. */
  readonly at: string;
  readonly start: string;
}

/** An arrival for which the scenario has come to its end. */
export interface ArrivalEndedFact {
  readonly line: "arrival-ended";
  readonly index: number;
  /** Absent: its requests tell how it ended. */
  readonly end?: ArrivalEnd;
  readonly detail?: string;
}

/** Members of a record that are known before the request is sent. */
export const SENT_MEMBERS = {
  id: true,
  op: true,
  phase: true,
  arrival: true,
  workload: true,
  model: true,
  sent: true,
  items: true,
  max_tokens: true,
  requested_input_tokens: true,
  task: true,
  cancel_reason: true,
  cancel_at: true,
  tags: true,
} as const;

/** Those of them that are not repeated when it has ended. */
export const ONLY_SENT_MEMBERS = {
  op: true,
  phase: true,
  arrival: true,
  workload: true,
  model: true,
  items: true,
  max_tokens: true,
  requested_input_tokens: true,
  cancel_reason: true,
  cancel_at: true,
  tags: true,
} as const;

/** A request that is about to be sent. */
export interface SentFact extends Readonly<Pick<RequestRecord, keyof typeof SENT_MEMBERS>> {
  readonly line: "sent";
}

/** A request that has ended: the other members of its record, and when it was sent. */
export interface EndedFact extends Readonly<Omit<RequestRecord, keyof typeof ONLY_SENT_MEMBERS | "scheduled">> {
  readonly line: "ended";
}

export type Fact = RunFact | ArrivalFact | ArrivalEndedFact | SentFact | EndedFact;

/** Variable with the mark that begins our lines; random for each run, so that no other text can be mistaken for one. */
export const MARK_VARIABLE = "ASSAY_LINE_MARK";
