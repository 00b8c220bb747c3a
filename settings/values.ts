/** The types of values that settings have. Runs in Node and inside k6. */

import { parseBaseUrl } from "./address.ts";
import {
  type ArrivalProcess,
  formatArrivalProcess,
  parseArrivalProcess,
  readArrivalProcess,
} from "./arrival-process.ts";
import { formatCancelPoint, parseCancelPoint } from "./cancel-point.ts";
import { type Choices, formatChoices, parseChoices } from "./choices.ts";
import {
  type Distribution,
  formatPrefixes,
  formatTimes,
  formatTokenLengths,
  formatTurns,
  parsePrefixes,
  parseTimes,
  parseTokenLengths,
  parseTurns,
} from "./drawn-values.ts";
import { type ExtraBody, formatExtraBody, parseExtraBody, readExtraBody } from "./extra-body.ts";
import { formatHeaders, type HeaderSource, parseHeaders, readHeaders } from "./headers.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { formatMix, parseMix, type WeightedPart } from "./mix.ts";
import { notOneOf } from "./nearest.ts";
import { formatPollSchedule, parsePollSchedule } from "./poll-schedule.ts";
import { formatRates, parseRates, type RateProfile, steadyRate } from "./rates.ts";
import { formatRegressionLimits, parseRegressionLimits, type RegressionLimit } from "./regression-limits.ts";
import { formatSegment, parseSegment, type Segment } from "./segment.ts";
import type { Codec } from "./setting.ts";
import { formatDuration, parseBytes, parseCount, parseDuration, parseRate, parseShare } from "./units.ts";
import { UsageError } from "./usage-error.ts";

/** Any text. */
export const text = (placeholder: string): Codec<string, "text"> => ({
  read: (value) => value,
  placeholder,
  form: "text",
});

/** The name of a file. */
export const FILE: Codec<string, "text"> = { ...text("file"), files: (file) => [file] };

/** Texts joined by commas. */
export const texts = (placeholder: string): Codec<readonly string[], "texts"> => ({
  read: (value) => value.split(",").map((part) => part.trim()),
  placeholder,
  form: "texts",
});

export const SWITCH: Codec<boolean, "switch"> = {
  form: "switch",
  read: (text) => {
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0" || text === "") return false;
    throw new UsageError(`"${text}" is neither true nor false`);
  },
};

/** Milliseconds. */
export const DURATION: Codec<number, "milliseconds"> = {
  read: parseDuration,
  write: formatDuration,
  fromJson: (json) => parseDuration(`${json}ms`),
  placeholder: "time",
  form: "milliseconds",
};

/** A whole number of at least 1. */
export const COUNT: Codec<number, "number"> = { read: (text) => parseCount(text), placeholder: "n", form: "number" };

/** A whole number of at least 0. */
export const COUNT_OR_ZERO: Codec<number, "number"> = {
  read: (text) => parseCount(text, 0),
  placeholder: "n",
  form: "number",
};

/** A whole number of at least 1, or the word `auto`. */
export const COUNT_OR_AUTO: Codec<number | "auto"> = {
  read: (text) => (text === "auto" ? text : parseCount(text)),
  placeholder: "n|auto",
};

/** Events per second, over the course of a run. */
export const RATES: Codec<RateProfile, "number or text"> = {
  read: parseRates,
  write: formatRates,
  toJson: (rates) => steadyRate(rates) ?? formatRates(rates),
  placeholder: "rate",
  form: "number or text",
};

export const ARRIVAL: Codec<ArrivalProcess, "arrival"> = {
  read: parseArrivalProcess,
  write: formatArrivalProcess,
  fromJson: readArrivalProcess,
  form: "arrival",
  files: (arrival) => (arrival.process === "trace" ? [arrival.file] : []),
  placeholder: "process",
};
export const BYTES: Codec<number, "bytes"> = { read: parseBytes, placeholder: "size", form: "bytes" };
/** Whole numbers of at least 1, used in turn or by weight. */
export const COUNT_CHOICES: Codec<Choices<number>, "numbers or text"> = {
  read: (text) => parseChoices(text, (value) => parseCount(value)),
  write: formatChoices,
  toJson: (choices) => (choices.weights === undefined ? choices.values : formatChoices(choices)),
  form: "numbers or text",
  placeholder: "choices",
};
/** Numbers of tokens. */
export const TOKEN_LENGTHS: Codec<Distribution, "text"> = {
  read: parseTokenLengths,
  write: formatTokenLengths,
  toJson: formatTokenLengths,
  form: "text",
  files: (lengths) => (lengths.kind === "histogram" ? [lengths.file] : []),
  placeholder: "lengths",
};
/** The same, as a number where it is always the same. */
export const TOKEN_LIMITS: Codec<Distribution, "number or text"> = {
  ...TOKEN_LENGTHS,
  toJson: (lengths) => (lengths.kind === "fixed" ? lengths.value : formatTokenLengths(lengths)),
  form: "number or text",
};
/** A codec of values that are written as texts in JSON too. */
const asText = <T>(read: (text: string) => T, write: (value: T) => string, placeholder: string): Codec<T, "text"> => ({
  read,
  write,
  toJson: write,
  placeholder,
  form: "text",
});
/** Times in milliseconds. */
export const TIMES = asText(parseTimes, formatTimes, "times");
export const PREFIXES = asText(parsePrefixes, formatPrefixes, "n");
export const TURNS = asText(parseTurns, formatTurns, "n");
export const EXTRA_BODY: Codec<ExtraBody, "members"> = {
  read: readExtraBody,
  write: formatExtraBody,
  fromJson: (json) => parseExtraBody(JSON.stringify(json)),
  form: "members",
  files: (given) => (typeof given === "string" ? [given] : []),
  placeholder: "file|json",
};
export const HEADERS: Codec<readonly HeaderSource[], "headers"> = {
  read: parseHeaders,
  write: formatHeaders,
  fromJson: readHeaders,
  form: "headers",
  placeholder: "NAME=ENVVAR",
};
export const ADDRESS: Codec<string, "text"> = { read: parseBaseUrl, placeholder: "url", form: "text" };
/** Milliseconds since 1970. */
export const INSTANT: Codec<number, "instant"> = {
  read: parseInstant,
  write: formatInstant,
  fromJson: (json) => parseCount(String(json)),
  placeholder: "instant",
  form: "instant",
};
export const LIMITS: Codec<readonly RegressionLimit[]> = {
  read: parseRegressionLimits,
  write: formatRegressionLimits,
  placeholder: "limits",
};
export const MIX: Codec<readonly WeightedPart[]> = { read: parseMix, write: formatMix, placeholder: "list" };
/** Events per second. */
export const RATE: Codec<number> = { read: parseRate, placeholder: "rate" };
/** The file that describes the workloads of a load; `load.json` holds the workloads themselves. */
export const WORKLOADS: Codec<string, "workloads"> = { ...FILE, form: "workloads" };
/** When to cancel video tasks, each as `parseCancelPoint` reads it. */
export const CANCEL_POINTS: Codec<readonly string[], "texts"> = {
  form: "texts",
  read: (value) => value.split(",").map((point) => formatCancelPoint(parseCancelPoint(point))),
  placeholder: "list",
};
/** When to poll video tasks, as `parsePollSchedule` reads it. */
export const POLL_SCHEDULE: Codec<string, "text"> = {
  form: "text",
  read: (value) => formatPollSchedule(parsePollSchedule(value)),
  placeholder: "schedule",
};
export const SEGMENT: Codec<Segment, "text"> = {
  form: "text",
  read: parseSegment,
  write: formatSegment,
  toJson: formatSegment,
  placeholder: "i/n",
};
/** From 0 to 1. */
export const SHARE: Codec<number, "number"> = { read: parseShare, placeholder: "share", form: "number" };

/** Some of a few words, joined by commas. */
export const someOf = <const T extends string>(placeholder: string, ...choices: readonly T[]): Codec<readonly T[]> => {
  const { read } = oneOf(placeholder, ...choices);
  return { read: (text) => text.split(",").map((part) => read(part.trim())), placeholder };
};

/** One of a few words. */
export const oneOf = <const T extends string>(placeholder: string, ...choices: readonly T[]): Codec<T, "text"> => ({
  form: "text",
  read: (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new UsageError(notOneOf(text, choices));
    return choice;
  },
  placeholder,
  choices,
});

/** Some of a few values, used in turn or by weight. */
export const choicesOf = <const T extends string | number>(...known: readonly T[]): Codec<Choices<T>, "text"> => ({
  read: (text) =>
    parseChoices(text, (given) => {
      const choice = known.find((candidate) => String(candidate) === given);
      if (choice === undefined) throw new UsageError(notOneOf(given, known.map(String)));
      return choice;
    }),
  write: formatChoices,
  toJson: formatChoices,
  placeholder: "choices",
  form: "text",
});
