/** Streams that held reasoning and no content: they have a first token of any kind, and none of content. Pure. */

import type { RunResult } from "../../../formats/run.ts";

/** How many ok streams held reasoning alone, at least: some of the others may have held it next to content. */
export const reasonedAlone = (metrics: RunResult["metrics"]): number =>
  Math.max(0, (metrics["ttft_any"]?.count ?? 0) - (metrics["ttft"]?.count ?? 0));
