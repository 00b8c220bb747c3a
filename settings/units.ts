/**
 * How people write durations, rates, counts, shares and amounts of memory, read into numbers. Each reader throws a
 * UsageError that shows how to write a value. Pure: runs in Node and inside k6.
 */

import { UsageError } from "./usage-error.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A week; longer durations are refused. Timers of Node end at once after 24.8 days, and some settings are added up. */
export const LONGEST_MS = 168 * 3_600_000;

/** Reads `500ms`, `30s`, `10m` or `1.5h` into milliseconds; a bare `0` is 0. */
export function parseDuration(text: string): number {
  if (text.trim() === "0") return 0;
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*$/.exec(text) ?? [];
  const factor = unit === undefined ? undefined : UNIT_MS[unit];
  if (amount === undefined || factor === undefined) {
    throw new UsageError(`"${text}" is not a duration; write one such as 500ms, 30s or 10m`);
  }
  const ms = Number(amount) * factor;
  if (ms > LONGEST_MS) {
    throw new UsageError(
      `"${text}" is longer than ${formatDuration(LONGEST_MS)}, the longest duration; write a shorter one`,
    );
  }
  return ms;
}

/** Writes milliseconds the way `parseDuration` reads them, in the largest unit that keeps them whole. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0s";
  for (const unit of ["h", "m", "s"] as const) {
    const factor = UNIT_MS[unit] ?? 1;
    if (ms >= factor && ms % factor === 0) return `${ms / factor}${unit}`;
  }
  return `${ms}ms`;
}

/** From so many of a unit on, a duration that need not be exact is written in it. */
const ROUND = 10;

/** Writes a duration that is at least as long as milliseconds: in whole seconds, or, where that is ten and more, in whole minutes or hours. */
export function formatAtLeast(ms: number): string {
  const unit = [3_600_000, 60_000].find((each) => ms >= ROUND * each) ?? 1_000;
  return formatDuration(Math.ceil(ms / unit) * unit);
}

/** Reads `20`, `20/s`, `600/m` into events per second. */
export function parseRate(text: string): number {
  const [, amount, unit = "s"] = /^\s*(\d+(?:\.\d+)?(?:e-\d+)?)\s*(?:\/\s*(s|m|h))?\s*$/.exec(text) ?? [];
  const rate = Number(amount) / ((UNIT_MS[unit] ?? 1_000) / 1_000);
  if (!(rate > 0)) throw new UsageError(`"${text}" is not a rate above zero; write one such as 20/s, 0.5/s or 600/m`);
  return rate;
}

/** Reads a whole number that is at least `min`. */
export function parseCount(text: string, min = 1): number {
  const count = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count) || count < min) {
    throw new UsageError(`"${text}" is not a whole number of at least ${min}`);
  }
  return count;
}

/** Reads `1,8,32`. */
export const parseCounts = (text: string): readonly number[] => text.split(",").map((count) => parseCount(count));

/** Reads `2`, `0.5`: a speed, for example. */
export function parseFactor(text: string): number {
  const factor = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!(factor > 0)) throw new UsageError(`"${text}" is not a number above zero; write one such as 2 or 0.5`);
  return factor;
}

/** Reads `0.2` or `20%` into a share from 0 to 1. */
export function parseShare(text: string): number {
  const [, amount, percent] = /^\s*(\d+(?:\.\d+)?)\s*(%)?\s*$/.exec(text) ?? [];
  const share = Number(amount) / (percent === undefined ? 1 : 100);
  if (!(share >= 0 && share <= 1)) {
    throw new UsageError(`"${text}" is not a share; write one from 0 to 1 such as 0.2, or from 0% to 100%`);
  }
  return share;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  ...{ "": 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
};
const LEAST_BYTES = 2 ** 20;

/** Reads `4GiB`, `512MiB`, `2GB` or a bare number of bytes into bytes; at least a megabyte. */
export function parseBytes(text: string): number {
  const [, amount, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
  const bytes = Math.floor(Number(amount) * (UNIT_BYTES[unit] ?? Number.NaN));
  if (!Number.isSafeInteger(bytes) || bytes < LEAST_BYTES) {
    throw new UsageError(
      `"${text}" is not an amount of memory of 1MiB or more; write bytes, or one such as 512MiB or 4GiB`,
    );
  }
  return bytes;
}
