/** The types of values that settings have. Runs in Node and inside k6. */

import { parseBaseUrl, parseResolve } from "./address.ts";
import {
  formatHeaders,
  type HeaderSource,
  parseFreeHeaderName,
  parseHeaderName,
  parseHeaders,
  readHeaders,
} from "./headers.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { notOneOf } from "./nearest.ts";
import { formatRegressionLimits, parseRegressionLimits, type RegressionLimit } from "./regression-limits.ts";
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

export const BYTES: Codec<number, "bytes"> = { read: parseBytes, placeholder: "size", form: "bytes" };
export const HEADERS: Codec<readonly HeaderSource[], "headers"> = {
  read: parseHeaders,
  write: formatHeaders,
  fromJson: readHeaders,
  form: "headers",
  placeholder: "NAME=ENVVAR",
};
/** The name of a header that a user may choose. */
export const HEADER_NAME: Codec<string, "text"> = { read: parseHeaderName, placeholder: "name", form: "text" };
/** One that requests do not have for another purpose. */
export const FREE_HEADER_NAME: Codec<string, "text"> = { ...HEADER_NAME, read: parseFreeHeaderName };
export const ADDRESS: Codec<string, "text"> = { read: parseBaseUrl, placeholder: "url", form: "text" };
/** Addresses of names. */
export const RESOLVE: Codec<readonly string[], "texts"> = {
  read: parseResolve,
  placeholder: "host:port:addr",
  form: "texts",
};
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
/** Events per second. */
export const RATE: Codec<number> = { read: parseRate, placeholder: "rate" };
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
