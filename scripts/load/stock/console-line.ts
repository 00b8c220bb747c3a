/** Lines of k6's log: facts of the stock client, and remarks of k6 or of a script. Pure. */

import { z } from "zod";
import { TASK_STATES } from "../../../contract/service.ts";
import { ARRIVAL_ENDS } from "../../../formats/outcomes.ts";
import { recordedSettings, requestRecord } from "../../../formats/records.ts";
import { parseJson } from "../../../lib/json.ts";
import { ONLY_SENT_MEMBERS, SENT_MEMBERS } from "../../../scenarios/stock/console-facts.ts";

/** A line of the log with `--log-format=json`; what scripts write to their console has a source. */
const entry = z.object({
  level: z.string(),
  msg: z.string(),
  error: z.string().optional(),
  source: z.string().optional(),
  output: z.string().optional(),
});

/** See `scenarios/stock/console-facts.ts`. */
const fact = z.discriminatedUnion("line", [
  z.object({ line: z.literal("run"), settings: recordedSettings, seed: z.number() }),
  z.object({
    line: z.literal("arrival"),
    index: z.number(),
    phase: z.enum(["warmup", "measure"]),
    at: z.string(),
    start: z.string(),
  }),
  z.object({
    line: z.literal("arrival-ended"),
    index: z.number(),
    end: z.enum(ARRIVAL_ENDS).optional(),
    detail: z.string().optional(),
  }),
  requestRecord.pick(SENT_MEMBERS).extend({ line: z.literal("sent") }),
  requestRecord
    .omit({ ...ONLY_SENT_MEMBERS, scheduled: true })
    .partial({ sent: true })
    .extend({ line: z.literal("ended") }),
]);

export type Fact = z.infer<typeof fact>;
export type Sent = Extract<Fact, { line: "sent" }>;
export type Ended = Extract<Fact, { line: "ended" }>;
export type Arrived = Extract<Fact, { line: "arrival" }>;
export type ArrivalEnded = Extract<Fact, { line: "arrival-ended" }>;

/** Any other line. */
export interface Remark {
  readonly level: string;
  readonly text: string;
  readonly isConsole: boolean;
  /** The output of k6 that it is about. */
  readonly output?: string;
}

/**
 * Reads a line of k6's log; a line without the form of one is a remark as it is.
 * @param mark begins the facts
 * @param redact removes secrets; members of a fact that do not come from the target contain none
 * @throws ZodError for a damaged fact
 */
export function consoleLine(line: string, mark: string, redact: (text: string) => string): Fact | Remark {
  const read = entry.safeParse(parseJson(line));
  if (!read.success) return { level: "info", text: redact(line), isConsole: false };
  const { level, msg, error, source, output } = read.data;
  if (!msg.startsWith(`${mark} `)) {
    const text = redact(error === undefined ? msg : `${msg}: ${error}`);
    return { level, text, isConsole: source === "console", ...(output !== undefined && { output }) };
  }
  const known = fact.parse(parseJson(msg.slice(mark.length + 1)));
  if (known.line === "ended") return redacted(known, redact);
  if (known.line !== "arrival-ended" || known.detail === undefined) return known;
  return { ...known, detail: redact(known.detail) };
}

/** A state of the specification gives nothing away, and without it the task would not be followed. */
const isKnown = (state: string): boolean => TASK_STATES.some((known) => known === state);

/** As in the extension, the id of a task stays: without it, the task could not be cancelled. */
function redacted(ended: Ended, redact: (text: string) => string): Ended {
  const { detail, finish_reason, task_state } = ended;
  return {
    ...ended,
    ...(detail !== undefined && { detail: redact(detail) }),
    ...(finish_reason !== undefined && { finish_reason: redact(finish_reason) }),
    ...(task_state !== undefined && !isKnown(task_state) && { task_state: redact(task_state) }),
  };
}

export const isFact = (line: Fact | Remark): line is Fact => "line" in line;
