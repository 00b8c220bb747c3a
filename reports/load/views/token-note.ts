/** A remark on figures of tokens, for every view. */

import type { MetricResult, RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";

/** How tokens were counted where usage does not state them; undefined where it always does. */
export function tokenNote({ parts = {} }: Pick<MetricResult, "parts">): string | undefined {
  const { chunks = 0, usage = 0 } = parts;
  if (chunks === 0) return undefined;
  const of =
    usage === 0
      ? `all ${plural(chunks, "request")}`
      : `${formatNumber(chunks)} of ${plural(chunks + usage, "request")}`;
  return `tokens counted by chunks (events with content) in ${of}, which state no usage`;
}

/** The same for a whole run. */
export const tokensOf = ({ metrics }: Pick<RunResult, "metrics">): string | undefined =>
  tokenNote(metrics["output_tokens_per_s"] ?? {});
