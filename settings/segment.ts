/** One of several equal parts of a run, for one of the machines that share it. Pure. */

import { UsageError } from "./usage-error.ts";

export interface Segment {
  /** Numbered from 1. */
  readonly part: number;
  readonly of: number;
}

/**
 * Reads `2/4`.
 * @throws UsageError for any other text, and for a part beyond the last
 */
export function parseSegment(text: string): Segment {
  const [part = 0, of = 0] = (/^\s*(\d+)\s*\/\s*(\d+)\s*$/.exec(text) ?? []).slice(1).map(Number);
  if (part >= 1 && part <= of && Number.isSafeInteger(of)) return { part, of };
  throw new UsageError(`"${text}" is not a part of a run; write the second of four as 2/4`);
}
