/** Lines of the file that k6 writes its console to: facts of our shim, and whatever else a script says. Pure. */

import { z } from "zod";
import { OPS, OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import { parseJson } from "../../../lib/json.ts";

/** Of k6's own log and of its console alike, with `--log-format=json`. */
const entry = z.object({ level: z.string(), msg: z.string(), error: z.string().optional() });

const arrivalPhase = z.enum(["warmup", "measure"]);

/** See `scenarios/stock/console-facts.ts`. */
const fact = z.discriminatedUnion("line", [
  z.object({ line: z.literal("run"), settings: z.record(z.string(), z.unknown()), seed: z.number() }),
  z.object({ line: z.literal("arrival"), phase: arrivalPhase, start: z.string() }),
  z.object({
    line: z.literal("sent"),
    id: z.string(),
    op: z.enum(OPS),
    phase: z.enum(PHASES),
    model: z.string(),
    sent: z.string(),
    items: z.number().optional(),
    task: z.string().optional(),
    tags: z.record(z.string(), z.string()).optional(),
  }),
  z.looseObject({
    line: z.literal("ended"),
    id: z.string(),
    outcome: z.enum(OUTCOMES),
    status: z.number().optional(),
    e2e: z.number().optional(),
    task: z.string().optional(),
    task_state: z.string().optional(),
  }),
]);

export type Fact = z.infer<typeof fact>;
export type Sent = Extract<Fact, { line: "sent" }>;
export type Ended = Extract<Fact, { line: "ended" }>;

/** What k6 says on a line of its log. */
export interface Remark {
  readonly level: string;
  readonly text: string;
}

/** Reads a line of k6's log; one that is none is taken as it is. */
export function remarkOf(line: string): Remark {
  const read = entry.safeParse(parseJson(line));
  if (!read.success) return { level: "info", text: line };
  const { level, msg, error } = read.data;
  return { level, text: error === undefined ? msg : `${msg}: ${error}` };
}

/**
 * Reads a line of the console file.
 * @param mark begins our own
 * @returns a fact of the shim, or what the script said
 * @throws ZodError for a line of ours that is not as it should be
 */
export function consoleLine(line: string, mark: string): Fact | Remark {
  const remark = remarkOf(line);
  return remark.text.startsWith(`${mark} `) ? fact.parse(parseJson(remark.text.slice(mark.length + 1))) : remark;
}

export const isFact = (line: Fact | Remark): line is Fact => "line" in line;
