/** How reports write numbers: three or four significant digits, and the unit. */

/** `0.490`, `12.40`, `101`, `12,345`. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? grouped(value, 0) : formatFigure(value);
}

/** Like `formatNumber` for measured values: a whole number keeps its decimals, so that columns align. */
export function formatFigure(value: number): string {
  return value === 0 ? "0" : grouped(value, digitsOf(value));
}

function digitsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 1_000) return 0;
  if (size >= 100) return 1;
  return size >= 1 ? 2 : 3;
}

/** By their digits: to make one takes longer than to write some hundred numbers with it. */
const formats: Intl.NumberFormat[] = [];

function grouped(value: number, digits: number): string {
  formats[digits] ??= new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return formats[digits].format(value);
}

/** A share from 0 to 1 in percent, with one decimal unless it is whole. More than none is never `0%`, less than all never `100%`. */
export function formatShare(share: number): string {
  const percent = Number((share * 100).toFixed(1));
  if (share > 0 && percent === 0) return "<0.1%";
  if (share < 1 && percent === 100) return ">99.9%";
  return `${percent}%`;
}

/** A relative error such as `±0.05%`. */
export const formatError = (error: number): string => `±${Number((error * 100).toPrecision(2))}%`;

/** Digits of a rate below one per second: `0.0167`, and not `0.017`. */
const SMALL_RATE = { maximumSignificantDigits: 3 };

const isSmall = (perSecond: number): boolean => perSecond > 0 && perSecond < 1;

/** A rate such as `20/s`, `19.83/s` or `0.0167/s`. */
function formatRate(perSecond: number): string {
  const digits = isSmall(perSecond) ? SMALL_RATE : { maximumFractionDigits: digitsOf(perSecond) };
  return `${perSecond.toLocaleString("en-US", digits)}/s`;
}

/** A rate that was given, as a part of a list of rates: `1500`, `12.5` or `0.0167`. */
export function formatGivenRate(perSecond: number): string {
  const digits = isSmall(perSecond) ? SMALL_RATE : { maximumFractionDigits: 3 };
  return perSecond.toLocaleString("en-US", { useGrouping: false, ...digits });
}

/** A value with its unit: `101.0 ms`, `19.83/s`, `0.5%`. */
export function formatValue(value: number, unit: string): string {
  if (unit === "share") return formatShare(value);
  if (unit === "1/s") return formatRate(value);
  return unit === "count" || unit === "cost"
    ? formatNumber(value)
    : `${unit === "ms" ? formatFigure(value) : formatNumber(value)} ${unit}`;
}

/** Seconds as `12.3 s` or `5 min 10 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  const rest = Math.round(seconds % 60);
  return rest === 0 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

/** `1 request`, `2 requests`. */
export const plural = (count: number, word: string): string =>
  `${formatNumber(count)} ${word}${count === 1 ? "" : "s"}`;

/** An ISO 8601 instant in UTC as `2026-01-02 03:04:05 UTC`; another text as it is. */
export const formatInstant = (instant: string): string =>
  instant.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");

/** The day of an ISO 8601 instant in UTC, as `2026-01-02`; `unknown date` for another text. */
export const formatDay = (instant: string): string => /^\d{4}-\d\d-\d\d(?=T)/.exec(instant)?.[0] ?? "unknown date";
