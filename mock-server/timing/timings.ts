/** How long the mock takes: named timings as data, and the distributions made of them. */

import { formatDuration } from "../../settings/units.ts";
import { unknownName } from "../base/unknown-name.ts";
import { type Draw, fixed, parseDraw } from "./distribution.ts";

export interface TimingNumbers {
  /** Milliseconds from a chat request to its first content. */
  readonly ttftMs: number;
  /** Milliseconds between two chunks of content. */
  readonly itlMs: number;
  /** Tokens of a reply that `max_tokens` does not limit. */
  readonly outputTokens: number;
  /** Milliseconds of processing of a video task. */
  readonly workMs: number;
  /** Milliseconds of an embeddings request. */
  readonly embeddingMs: number;
}

/** Every named timing, fastest first. */
const TIMINGS = {
  instant: { ttftMs: 0, itlMs: 0, outputTokens: 24, workMs: 50, embeddingMs: 0 },
  fast: { ttftMs: 20, itlMs: 5, outputTokens: 40, workMs: 300, embeddingMs: 5 },
  typical: { ttftMs: 200, itlMs: 20, outputTokens: 150, workMs: 3000, embeddingMs: 30 },
  slow: { ttftMs: 1000, itlMs: 60, outputTokens: 300, workMs: 30_000, embeddingMs: 200 },
} as const satisfies Record<string, TimingNumbers>;

/** Every timing with one line about it. */
export const TIMING_ROWS = Object.entries(TIMINGS).map(([name, { ttftMs, itlMs, outputTokens, workMs }]) => ({
  name,
  about:
    `${formatDuration(ttftMs)} to the first token, ${formatDuration(itlMs)} between tokens, ${outputTokens} tokens; ` +
    `video ${formatDuration(workMs)}`,
}));

export type TimingName = keyof typeof TIMINGS;
export const TIMING_NAMES = Object.keys(TIMINGS);
export const DEFAULT_TIMING: TimingName = "fast";

/** Replacements of single numbers of a timing: a number, or a text such as `lognormal:100ms,0.5`. */
export interface TimingOverrides {
  readonly ttftMs?: number | string;
  readonly itlMs?: number | string;
  readonly outputTokens?: number | string;
  readonly workMs?: number | string;
}

export interface Timing {
  readonly name: string;
  readonly ttftMs: Draw;
  readonly itlMs: Draw;
  readonly outputTokens: Draw;
  readonly workMs: Draw;
  readonly embeddingMs: Draw;
}

const isTiming = (name: string): name is TimingName => Object.hasOwn(TIMINGS, name);

/**
 * The timing of that name with some numbers replaced.
 * @throws UsageError for an unknown name or an invalid replacement
 */
export function timingOf(name: string, overrides: TimingOverrides): Timing {
  if (!isTiming(name)) throw unknownName("timing", name, TIMING_NAMES);
  const base = TIMINGS[name];
  return {
    name,
    ttftMs: parseDraw("the time to the first token", overrides.ttftMs ?? base.ttftMs, "ms"),
    itlMs: parseDraw("the time between tokens", overrides.itlMs ?? base.itlMs, "ms"),
    outputTokens: parseDraw("the number of output tokens", overrides.outputTokens ?? base.outputTokens, "count"),
    workMs: parseDraw("the work of a video task", overrides.workMs ?? base.workMs, "ms"),
    embeddingMs: fixed(base.embeddingMs),
  };
}
