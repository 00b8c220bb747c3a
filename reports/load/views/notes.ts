/** Remarks on how the figures of a run came about, for every view: they follow the reasons of the verdict. */

import { FLAGS } from "../../../formats/outcomes.ts";
import type { MetricResult, RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";

/** The remarks on a run, as sentences without their end. */
export const notesOf = (run: Pick<RunResult, "metrics" | "flags">): readonly string[] =>
  [tokenNote(run.metrics["output_tokens_per_s"]), ...flagNotes(run)].filter((note) => note !== undefined);

/** What each flag of an ok request says about the figures. */
const FLAG_NOTES: Readonly<Record<(typeof FLAGS)[number], string>> = {
  buffered: "the content came at once, so that its gaps are left out and its first token says nothing of the pace",
  empty: "no content came, so that there is no first token",
  "no-done": "the stream ended with a finish_reason and without [DONE]",
  "unfinished-event": "the last event lacks its blank line",
  "media-type": "an event stream came under another media type",
  "too-long-to-check": "the content was too long to be checked",
};

/** `flag buffered in 12 ok responses: the content came at once, …`, for each flag that occurs. */
const flagNotes = ({ flags = {} }: Pick<RunResult, "flags">): string[] =>
  FLAGS.flatMap((flag) => {
    const count = flags[flag];
    return count === undefined ? [] : [`flag ${flag} in ${plural(count, "ok response")}: ${FLAG_NOTES[flag]}`];
  });

/** How tokens were counted where usage does not state them; undefined where it always does. */
export function tokenNote({ parts = {} }: Pick<MetricResult, "parts"> = {}): string | undefined {
  const { chunks = 0, usage = 0 } = parts;
  if (chunks === 0) return undefined;
  const which = usage === 0 ? "all" : `${formatNumber(chunks)} of`;
  return `output tokens are counted by chunks (events with content) in ${which} ${plural(chunks + usage, "request")}, which have no usage`;
}
