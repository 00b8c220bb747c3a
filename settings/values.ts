/** The types of values that settings have. Runs in Node and inside k6. */

import { parseBaseUrl } from "./address.ts";
import { type ArrivalProcess, formatArrivalProcess, parseArrivalProcess } from "./arrival-process.ts";
import { type ExtraBody, formatExtraBody, readExtraBody } from "./extra-body.ts";
import { formatHeaders, type HeaderSource, parseHeaders } from "./headers.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { formatMix, parseMix, type WeightedPart } from "./mix.ts";
import { formatRates, parseRates, type RateProfile } from "./rates.ts";
import { parseSegment, type Segment } from "./segment.ts";
import type { Codec } from "./setting.ts";
import {
  formatDuration,
  parseBytes,
  parseCount,
  parseCounts,
  parseDuration,
  parseFactor,
  parseRate,
  parseShare,
} from "./units.ts";
import { UsageError } from "./usage-error.ts";

/** Any text. */
export const text = (placeholder: string): Codec<string> => ({ read: (value) => value, placeholder });

/** Texts joined by commas. */
export const texts = (placeholder: string): Codec<readonly string[]> => ({
  read: (value) => value.split(",").map((part) => part.trim()),
  placeholder,
});

export const SWITCH: Codec<boolean> = {
  read: (text) => {
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0" || text === "") return false;
    throw new UsageError(`"${text}" is neither true nor false`);
  },
};

/** Milliseconds. */
export const DURATION: Codec<number> = { read: parseDuration, write: formatDuration, placeholder: "time" };

/** A whole number of at least 1. */
export const COUNT: Codec<number> = { read: (text) => parseCount(text), placeholder: "n" };

/** A whole number of at least 0. */
export const COUNT_OR_ZERO: Codec<number> = { read: (text) => parseCount(text, 0), placeholder: "n" };

/** Events per second, over the course of a run. */
export const RATES: Codec<RateProfile> = { read: parseRates, write: formatRates, placeholder: "rate" };

export const ARRIVAL: Codec<ArrivalProcess> = {
  read: parseArrivalProcess,
  write: formatArrivalProcess,
  placeholder: "process",
};
export const BYTES: Codec<number> = { read: parseBytes, placeholder: "size" };
export const COUNTS: Codec<readonly number[]> = { read: parseCounts, placeholder: "list" };
export const EXTRA_BODY: Codec<ExtraBody> = {
  read: readExtraBody,
  write: formatExtraBody,
  placeholder: "file|json",
};
export const FACTOR: Codec<number> = { read: parseFactor, placeholder: "factor" };
export const HEADERS: Codec<readonly HeaderSource[]> = {
  read: parseHeaders,
  write: formatHeaders,
  placeholder: "NAME=ENVVAR",
};
export const ADDRESS: Codec<string> = { read: parseBaseUrl, placeholder: "url" };
/** Milliseconds since 1970. */
export const INSTANT: Codec<number> = { read: parseInstant, write: formatInstant, placeholder: "instant" };
export const MIX: Codec<readonly WeightedPart[]> = { read: parseMix, write: formatMix, placeholder: "list" };
/** Events per second. */
export const RATE: Codec<number> = { read: parseRate, placeholder: "rate" };
export const SEGMENT: Codec<Segment> = {
  read: parseSegment,
  write: ({ part, of }) => `${part}/${of}`,
  placeholder: "i/n",
};
/** From 0 to 1. */
export const SHARE: Codec<number> = { read: parseShare, placeholder: "share" };

/** Some of a few words, joined by commas. */
export const someOf = <const T extends string>(placeholder: string, ...choices: readonly T[]): Codec<readonly T[]> => {
  const { read } = oneOf(placeholder, ...choices);
  return { read: (text) => text.split(",").map((part) => read(part.trim())), placeholder };
};

/** One of a few words. */
export const oneOf = <const T extends string>(placeholder: string, ...choices: readonly T[]): Codec<T> => ({
  read: (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new UsageError(`"${text}" is not one of ${choices.join(", ")}`);
    return choice;
  },
  placeholder,
});
