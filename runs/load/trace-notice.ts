/** What was read of a trace is said before it is replayed: a wrong unit shows in its length and its rate. */

import { sentence } from "../../lib/text.ts";
import { traceInWords } from "../../reports/load/views/trace-words.ts";
import type { LoadPlan } from "./plan-load.ts";

/** Undefined for a load without a trace. */
export function traceNotice({ replayed }: LoadPlan): string | undefined {
  return replayed && sentence(traceInWords(replayed));
}
