/** Remarks on how the figures of a run came about, for every view: they follow the reasons of the verdict. */

import type { MetricResult, RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";

/** The remarks on a run, as sentences without their end. */
export const notesOf = (run: Pick<RunResult, "metrics">): readonly string[] =>
  [tokenNote(run.metrics["output_tokens_per_s"])].filter((note) => note !== undefined);

/** How tokens were counted where usage does not state them; undefined where it always does. */
export function tokenNote({ parts = {} }: Pick<MetricResult, "parts"> = {}): string | undefined {
  const { chunks = 0, usage = 0 } = parts;
  if (chunks === 0) return undefined;
  const which = usage === 0 ? "all" : `${formatNumber(chunks)} of`;
  return `output tokens are counted by chunks (events with content) in ${which} ${plural(chunks + usage, "request")}, which have no usage`;
}
