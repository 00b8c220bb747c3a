/** One of several equal parts of a run, for one of the machines or clusters that share it. Pure. */

import { UsageError } from "../usage-error.ts";

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

export const formatSegment = ({ part, of }: Segment): string => `${part}/${of}`;

/** How many of so many things are those of a part, which has each `of`-th of them. */
export const countIn = (count: number, { part, of }: Segment = WHOLE): number =>
  Math.max(0, Math.ceil((count - part + 1) / of));

const WHOLE: Segment = { part: 1, of: 1 };
