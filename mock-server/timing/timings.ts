/** How long the mock takes: named timings as data, and the distributions made of them. */

import { unknownName } from "../base/unknown-name.ts";
import { type Draw, fixed, parseDraw } from "./distribution.ts";

export interface TimingNumbers {
  readonly about: string;
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
export const TIMINGS = {
  instant: {
    about: "immediate responses of 24 tokens; video 50 ms",
    ttftMs: 0,
    itlMs: 0,
    outputTokens: 24,
    workMs: 50,
    embeddingMs: 0,
  },
  fast: {
    about: "20 ms to the first token, 5 ms between tokens, 40 tokens; video 300 ms",
    ttftMs: 20,
    itlMs: 5,
    outputTokens: 40,
    workMs: 300,
    embeddingMs: 5,
  },
  typical: {
    about: "200 ms to the first token, 20 ms between tokens, 150 tokens; video 3 s",
    ttftMs: 200,
    itlMs: 20,
    outputTokens: 150,
    workMs: 3000,
    embeddingMs: 30,
  },
  slow: {
    about: "1 s to the first token, 60 ms between tokens, 300 tokens; video 30 s",
    ttftMs: 1000,
    itlMs: 60,
    outputTokens: 300,
    workMs: 30_000,
    embeddingMs: 200,
  },
} as const satisfies Record<string, TimingNumbers>;

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
