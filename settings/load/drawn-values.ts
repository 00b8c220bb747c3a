/**
 * Random quantities as users write them: `512`, `uniform:100,900`, `normal:512,128` (mean, standard deviation),
 * `lognormal:512,0.5` (median, sigma of the logarithm) or `histogram:FILE`. Pure: runs in Node and inside k6.
 */

import { formatDuration, parseDuration } from "../units.ts";
import { UsageError } from "../usage-error.ts";

/** A distribution of numbers of tokens, or of times in milliseconds. */
export type Distribution =
  | { readonly kind: "fixed"; readonly value: number }
  | { readonly kind: "uniform"; readonly min: number; readonly max: number }
  | { readonly kind: "normal"; readonly mean: number; readonly sd: number }
  | { readonly kind: "lognormal"; readonly median: number; readonly sigma: number }
  /** Relative to the folder in which the command runs. */
  | { readonly kind: "histogram"; readonly file: string };

/** What a distribution is of. */
interface Quantity {
  /** Reads an amount. @throws UsageError */
  readonly read: (text: string) => number;
  readonly write: (amount: number) => string;
  /** Least value that may be given. */
  readonly min: number;
  /** For errors. */
  readonly like: string;
}

/** No length of a text is drawn beyond this, in tokens. */
export const MOST_TOKENS = 1_000_000;

const TOKENS: Quantity = {
  read: (text) => {
    const amount = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
    if (amount > MOST_TOKENS) throw new UsageError(`"${text}" is more than ${MOST_TOKENS} tokens`);
    if (Number.isNaN(amount)) throw new UsageError(`"${text}" is not a number of tokens`);
    return amount;
  },
  write: String,
  min: 1,
  like: "512, uniform:100,900, normal:512,128 (mean, standard deviation), lognormal:512,0.5 (median, sigma) or histogram:FILE",
};

const TIMES: Quantity = {
  read: parseDuration,
  write: formatDuration,
  min: 0,
  like: "2s, uniform:1s,9s, normal:5s,1s (mean, standard deviation) or lognormal:5s,1 (median, sigma)",
};

const NUMBER = /^\s*\d+(?:\.\d+)?\s*$/;

/**
 * Reads a distribution of numbers of tokens.
 * @throws UsageError for any other text, a length below 1 or above a million, and a range that is empty
 */
export const parseTokenLengths = (text: string): Distribution => parse(text, TOKENS);

/** Writes it the way `parseTokenLengths` reads it. */
export const formatTokenLengths = (given: Distribution): string => format(given, TOKENS);

/**
 * Reads a distribution of times, in milliseconds.
 * @throws UsageError for any other text, and a range that is empty
 */
export function parseTimes(text: string): Distribution {
  if (text.trim().startsWith("histogram:")) throw unreadable(text, TIMES);
  return parse(text, TIMES);
}

/** Writes it the way `parseTimes` reads it. */
export const formatTimes = (given: Distribution): string => format(given, TIMES);

function parse(text: string, of: Quantity): Distribution {
  const [, kind = "fixed", rest = ""] = /^\s*(?:([a-z]+):)?(.*?)\s*$/.exec(text) ?? [];
  if (kind === "histogram" && rest !== "") return { kind, file: rest };
  const parts = rest.split(",");
  const [first = "", second] = parts;
  if (parts.length !== (kind === "fixed" ? 1 : 2)) throw unreadable(text, of);
  const amount = (part: string | undefined): number => readAmount(part ?? "", text, of);
  const atLeast = (value: number): number => {
    if (value >= of.min) return value;
    throw new UsageError(`"${text}" has a length below ${of.write(of.min)}; write it like ${of.like}`);
  };
  if (kind === "fixed") return { kind, value: whole(atLeast(amount(first)), text, of) };
  if (kind === "uniform") {
    const [min, max] = [amount(first), amount(second)].map((bound) => whole(atLeast(bound), text, of));
    if (min === undefined || max === undefined || min > max) {
      throw new UsageError(`"${text}" is an empty range: its first number is above its second`);
    }
    return { kind, min, max };
  }
  if (kind === "normal") return { kind, mean: atLeast(amount(first)), sd: amount(second) };
  if (kind === "lognormal" && second !== undefined && NUMBER.test(second)) {
    return { kind, median: atLeast(amount(first)), sigma: Number(second) };
  }
  throw unreadable(text, of);
}

function readAmount(part: string, text: string, of: Quantity): number {
  try {
    return of.read(part);
  } catch (error) {
    if (error instanceof UsageError && / more than | longer than /.test(error.message)) throw error;
    throw unreadable(text, of);
  }
}

function whole(value: number, text: string, of: Quantity): number {
  if (of !== TOKENS || Number.isInteger(value)) return value;
  throw new UsageError(`"${text}" has a part of a token; write it like ${of.like}`);
}

const unreadable = (text: string, of: Quantity): UsageError =>
  new UsageError(`"${text}" is not a distribution; write it like ${of.like}`);

function format(given: Distribution, { write }: Quantity): string {
  switch (given.kind) {
    case "fixed":
      return write(given.value);
    case "uniform":
      return `uniform:${write(given.min)},${write(given.max)}`;
    case "normal":
      return `normal:${write(given.mean)},${write(given.sd)}`;
    case "lognormal":
      return `lognormal:${write(given.median)},${given.sigma}`;
    case "histogram":
      return `histogram:${given.file}`;
  }
}

/** Texts of equal length, with one of which prompts begin. */
export interface Prefixes {
  readonly tokens: number;
  readonly texts: number;
  /** The share of the prompts that do. */
  readonly share: number;
}

/**
 * Reads `1000`, `1000x4` for four texts, or `50%:1000x4` for half of the prompts.
 * @throws UsageError for any other text, and numbers below 1
 */
export function parsePrefixes(text: string): Prefixes {
  const [, percent = "100", tokens = "", texts = "1"] =
    /^\s*(?:(\d+(?:\.\d+)?)%\s*:)?\s*(\d+)\s*(?:x\s*(\d+)\s*)?$/.exec(text) ?? [];
  const read = { tokens: Number(tokens), texts: Number(texts), share: Number(percent) / 100 };
  const isShare = read.share > 0 && read.share <= 1;
  if (read.tokens >= 1 && read.tokens <= MOST_TOKENS && read.texts >= 1 && isShare) return read;
  throw new UsageError(
    `"${text}" is not a length of prefixes; write it like 1000, 1000x4 for four texts, or 50%:1000x4 for half of the prompts`,
  );
}

/** Writes them the way `parsePrefixes` reads them. */
export const formatPrefixes = ({ tokens, texts, share }: Prefixes): string =>
  `${share === 1 ? "" : `${Number((share * 100).toPrecision(12))}%:`}${tokens}${texts === 1 ? "" : `x${texts}`}`;

/** How many turns a conversation has: from `min` to `max`, each as likely. */
export interface Turns {
  readonly min: number;
  readonly max: number;
}

const MOST_TURNS = 100;

/**
 * Reads `4` or `2..6`.
 * @throws UsageError for any other text, an empty range, and more than 100 turns
 */
export function parseTurns(text: string): Turns {
  const [, first = "", second = first] = /^\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?$/.exec(text) ?? [];
  const [min, max] = [Number(first), Number(second)];
  if (first !== "" && min >= 1 && min <= max && max <= MOST_TURNS) return { min, max };
  throw new UsageError(`"${text}" is not a number of turns from 1 to ${MOST_TURNS}; write one such as 4, or 2..6`);
}

/** Writes it the way `parseTurns` reads it. */
export const formatTurns = ({ min, max }: Turns): string => (min === max ? String(min) : `${min}..${max}`);
