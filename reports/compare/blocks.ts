/** The blocks of time into which the measured window of a run is divided. */

import type { Span } from "../load/metrics/span.ts";

/** The block of an instant, from 0; what lies outside the window belongs to its first or last block. */
export function blockAt(instant: number, { from, to }: Pick<Span, "from" | "to">, blocks: number): number {
  const block = Math.floor(((instant - from) / (to - from)) * blocks);
  return Number.isNaN(block) ? 0 : Math.min(blocks - 1, Math.max(0, block));
}
