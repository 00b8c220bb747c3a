/** The types of values that only settings of a load have. Runs in Node and inside k6. */

import { type Choices, formatChoices, parseChoices } from "../choices.ts";
import { notOneOf } from "../nearest.ts";
import type { Codec } from "../setting.ts";
import { parseCount } from "../units.ts";
import { UsageError } from "../usage-error.ts";
import { FILE } from "../values.ts";
import {
  type ArrivalProcess,
  formatArrivalProcess,
  namedTrace,
  parseArrivalProcess,
  readArrivalProcess,
} from "./arrival-process.ts";
import { formatCancelPoint, parseCancelPoint } from "./cancel-point.ts";
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
import { formatLeave, parseLeave } from "./leave.ts";
import { formatMix, parseMix, type WeightedPart } from "./mix.ts";
import { formatPollSchedule, parsePollSchedule } from "./poll-schedule.ts";
import { formatPrices, type Prices, pricesIn, readPrices } from "./prices.ts";
import { formatRates, parseRates, type RateProfile, steadyRate } from "./rates.ts";
import { formatSegment, parseSegment, type Segment } from "./segment.ts";

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

/** Which streamed chats are left before their end, and when. */
export const LEAVE = asText(parseLeave, formatLeave, "share@point");

export const EXTRA_BODY: Codec<ExtraBody, "members"> = {
  read: readExtraBody,
  write: formatExtraBody,
  fromJson: (json) => parseExtraBody(JSON.stringify(json)),
  form: "members",
  files: (given) => (typeof given === "string" ? [given] : []),
  placeholder: "file|json",
};

/** An amount of money above 0. */
export const AMOUNT: Codec<number, "number"> = {
  read: (text) => {
    const amount = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : 0;
    if (amount > 0) return amount;
    throw new UsageError(`"${text}" is not an amount above 0, such as 5 or 0.50`);
  },
  placeholder: "amount",
  form: "number",
};

/** Prices, or the file that holds them. */
export const PRICES: Codec<Prices | string, "members"> = {
  read: readPrices,
  write: formatPrices,
  fromJson: pricesIn,
  form: "members",
  files: (given) => (typeof given === "string" ? [given] : []),
  placeholder: "file|json",
};

/** How many characters a token has on average. */
export const CHARACTERS: Codec<number, "number"> = {
  read: (text) => {
    const count = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (count >= 0.5 && count <= 50) return count;
    throw new UsageError(`"${text}" is not a number of characters; write one from 0.5 to 50, such as 4.2`);
  },
  placeholder: "n",
  form: "number",
};

export const MIX: Codec<readonly WeightedPart[]> = { read: parseMix, write: formatMix, placeholder: "list" };

/** The file that describes the workloads of a load, or a trace of them; `load.json` holds the workloads themselves. */
export const WORKLOADS: Codec<string, "workloads"> = {
  ...FILE,
  form: "workloads",
  files: (text) => [namedTrace(text)?.file ?? text],
};

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
