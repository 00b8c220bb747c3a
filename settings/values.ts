/** The types of values that most settings have. Runs in Node and inside k6. */

import { formatRates, parseRates, type RateProfile } from "./rates.ts";
import type { Codec } from "./setting.ts";
import { formatDuration, parseCount, parseDuration } from "./units.ts";
import { UsageError } from "./usage-error.ts";

export const TEXT: Codec<string> = { read: (text) => text };

/** Texts joined by commas. */
export const TEXTS: Codec<readonly string[]> = { read: (text) => text.split(",").map((part) => part.trim()) };

export const SWITCH: Codec<boolean> = {
  read: (text) => {
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0" || text === "") return false;
    throw new UsageError(`"${text}" is neither true nor false`);
  },
};

/** Milliseconds. */
export const DURATION: Codec<number> = { read: parseDuration, write: formatDuration };

/** A whole number of at least 1. */
export const COUNT: Codec<number> = { read: (text) => parseCount(text) };

/** A whole number of at least 0. */
export const COUNT_OR_ZERO: Codec<number> = { read: (text) => parseCount(text, 0) };

/** Events per second, over the course of a run. */
export const RATES: Codec<RateProfile> = { read: parseRates, write: formatRates };

/** One of a few words. */
export const oneOf = <const T extends string>(...choices: readonly T[]): Codec<T> => ({
  read: (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new UsageError(`"${text}" is not one of ${choices.join(", ")}`);
    return choice;
  },
});
