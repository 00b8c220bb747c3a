/** The types of values that settings have. Runs in Node and inside k6. */

import { parseBaseUrl } from "./address.ts";
import { type ArrivalProcess, formatArrivalProcess, parseArrivalProcess } from "./arrival-process.ts";
import { formatCancelPoint, parseCancelPoint } from "./cancel-point.ts";
import { type Choices, formatChoices, parseChoices } from "./choices.ts";
import {
  type Distribution,
  formatPrefixes,
  formatTimes,
  formatTokenLengths,
  formatTurns,
  type Prefixes,
  parsePrefixes,
  parseTimes,
  parseTokenLengths,
  parseTurns,
  type Turns,
} from "./drawn-values.ts";
import { type ExtraBody, formatExtraBody, readExtraBody } from "./extra-body.ts";
import { formatHeaders, type HeaderSource, parseHeaders } from "./headers.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { formatMix, parseMix, type WeightedPart } from "./mix.ts";
import { notOneOf } from "./nearest.ts";
import { formatPollSchedule, parsePollSchedule } from "./poll-schedule.ts";
import { formatRates, parseRates, type RateProfile } from "./rates.ts";
import { formatRegressionLimits, parseRegressionLimits, type RegressionLimit } from "./regression-limits.ts";
import { parseSegment, type Segment } from "./segment.ts";
import type { Codec } from "./setting.ts";
import { formatDuration, parseBytes, parseCount, parseDuration, parseRate, parseShare } from "./units.ts";
import { UsageError } from "./usage-error.ts";
import { formatWorkloads, readWorkloads, type Workloads } from "./workload.ts";

/** Any text. */
export const text = (placeholder: string): Codec<string> => ({ read: (value) => value, placeholder });

/** The name of a file. */
export const FILE: Codec<string> = { ...text("file"), files: (file) => [file] };

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

/** A whole number of at least 1, or the word `auto`. */
export const COUNT_OR_AUTO: Codec<number | "auto"> = {
  read: (text) => (text === "auto" ? text : parseCount(text)),
  placeholder: "n|auto",
};

/** Events per second, over the course of a run. */
export const RATES: Codec<RateProfile> = { read: parseRates, write: formatRates, placeholder: "rate" };

export const ARRIVAL: Codec<ArrivalProcess> = {
  read: parseArrivalProcess,
  write: formatArrivalProcess,
  files: (arrival) => (arrival.process === "trace" ? [arrival.file] : []),
  placeholder: "process",
};
export const BYTES: Codec<number> = { read: parseBytes, placeholder: "size" };
/** Whole numbers of at least 1, used in turn or by weight. */
export const COUNT_CHOICES: Codec<Choices<number>> = {
  read: (text) => parseChoices(text, (value) => parseCount(value)),
  write: formatChoices,
  placeholder: "choices",
};
/** Numbers of tokens. */
export const TOKEN_LENGTHS: Codec<Distribution> = {
  read: parseTokenLengths,
  write: formatTokenLengths,
  files: (lengths) => (lengths.kind === "histogram" ? [lengths.file] : []),
  placeholder: "lengths",
};
/** Times in milliseconds. */
export const TIMES: Codec<Distribution> = { read: parseTimes, write: formatTimes, placeholder: "times" };
export const PREFIXES: Codec<Prefixes> = { read: parsePrefixes, write: formatPrefixes, placeholder: "n" };
export const TURNS: Codec<Turns> = { read: parseTurns, write: formatTurns, placeholder: "n" };
export const EXTRA_BODY: Codec<ExtraBody> = {
  read: readExtraBody,
  write: formatExtraBody,
  files: (given) => (typeof given === "string" ? [given] : []),
  placeholder: "file|json",
};
export const HEADERS: Codec<readonly HeaderSource[]> = {
  read: parseHeaders,
  write: formatHeaders,
  placeholder: "NAME=ENVVAR",
};
export const ADDRESS: Codec<string> = { read: parseBaseUrl, placeholder: "url" };
/** Milliseconds since 1970. */
export const INSTANT: Codec<number> = { read: parseInstant, write: formatInstant, placeholder: "instant" };
export const LIMITS: Codec<readonly RegressionLimit[]> = {
  read: parseRegressionLimits,
  write: formatRegressionLimits,
  placeholder: "limits",
};
export const MIX: Codec<readonly WeightedPart[]> = { read: parseMix, write: formatMix, placeholder: "list" };
/** Events per second. */
export const RATE: Codec<number> = { read: parseRate, placeholder: "rate" };
export const WORKLOADS: Codec<Workloads | string> = {
  read: readWorkloads,
  write: formatWorkloads,
  files: (given) => (typeof given === "string" ? [given] : []),
  placeholder: "file",
};
/** When to cancel video tasks, each as `parseCancelPoint` reads it. */
export const CANCEL_POINTS: Codec<readonly string[]> = {
  read: (value) => value.split(",").map((point) => formatCancelPoint(parseCancelPoint(point))),
  placeholder: "list",
};
/** When to poll video tasks, as `parsePollSchedule` reads it. */
export const POLL_SCHEDULE: Codec<string> = {
  read: (value) => formatPollSchedule(parsePollSchedule(value)),
  placeholder: "schedule",
};
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
    if (choice === undefined) throw new UsageError(notOneOf(text, choices));
    return choice;
  },
  placeholder,
  choices,
});

/** Some of a few values, used in turn or by weight. */
export const choicesOf = <const T extends string | number>(...known: readonly T[]): Codec<Choices<T>> => ({
  read: (text) =>
    parseChoices(text, (given) => {
      const choice = known.find((candidate) => String(candidate) === given);
      if (choice === undefined) throw new UsageError(notOneOf(given, known.map(String)));
      return choice;
    }),
  write: formatChoices,
  placeholder: "choices",
});
