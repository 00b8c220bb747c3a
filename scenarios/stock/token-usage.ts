/** The `usage` of a chat response: what it reports, under the names of the record. Pure. */

import type { RequestRecord } from "../../formats/records.ts";
import { isCount, isObject } from "../../lib/json.ts";

export type Usage = Readonly<Pick<RequestRecord, "input_tokens" | "output_tokens" | "reasoning_tokens">>;

/** The counts of a usage object; what is not a whole number is absent. */
export function usageOf(usage: unknown): Usage {
  if (!isObject(usage)) return {};
  const { prompt_tokens: input, completion_tokens: output, completion_tokens_details: details } = usage;
  const reasoning = isObject(details) ? details["reasoning_tokens"] : undefined;
  return {
    ...(isCount(input) && { input_tokens: input }),
    ...(isCount(output) && { output_tokens: output }),
    ...(isCount(reasoning) && { reasoning_tokens: reasoning }),
  };
}
