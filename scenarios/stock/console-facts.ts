/**
 * What the shim tells `assay`: a line of JSON per fact, which k6 writes to its console file. A request has two lines, one
 * before it is sent and one after, because k6 cuts scripts off in mid-request when a run ends.
 */

import type { Op, Outcome, Phase } from "../../formats/outcomes.ts";

/** The outcomes that a k6 without the extension can observe. */
export type StockOutcome = Exclude<Outcome, "stalled">;

/** Once per virtual user: the run that it is part of. */
export interface RunLine {
  readonly line: "run";
  readonly settings: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

/** An arrival that started. */
export interface ArrivalLine {
  readonly line: "arrival";
  readonly phase: "warmup" | "measure";
  /** When the schedule started. */
  readonly start: string;
}

/** A request that is about to be sent. */
export interface SentLine {
  readonly line: "sent";
  readonly id: string;
  readonly op: Op;
  readonly phase: Phase;
  readonly model: string;
  readonly sent: string;
  readonly items?: number;
  readonly task?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** A request that has ended: members of its record, but for those of its `sent` line. */
export interface EndedLine {
  readonly line: "ended";
  readonly id: string;
  readonly outcome: StockOutcome;
  readonly [member: string]: unknown;
}

export type Line = RunLine | ArrivalLine | SentLine | EndedLine;

/** Variable with the mark that begins our lines; chosen anew for each run, so that no other text can pass for one. */
export const MARK_VARIABLE = "ASSAY_LINE_MARK";
