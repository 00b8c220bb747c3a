/** How reports write numbers: three or four figures that matter, and the unit. */

/** `0.49`, `12.4`, `101`, `12,345`: as many digits as are worth reading. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? grouped(value, 0) : formatFigure(value);
}

/** Like `formatNumber` for what is measured and not counted: a whole number keeps its decimals, so that columns align. */
export function formatFigure(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 1_000) return grouped(value, 0);
  if (size >= 100) return grouped(value, 1);
  return grouped(value, size >= 1 ? 2 : 3);
}

const grouped = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A share from 0 to 1 as per cent. A little is never written as none, nor nearly all as all. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.0001) return "<0.01 %";
  if (share < 1 && share > 0.9999) return ">99.99 %";
  const percent = share * 100;
  return `${Number.isInteger(percent) ? percent : percent.toFixed(percent < 10 || percent > 90 ? 2 : 1)} %`;
}

/** A value with its unit: `101 ms`, `19.8 /s`, `0.5 %`. */
export function formatValue(value: number, unit: string): string {
  if (unit === "share") return formatShare(value);
  if (unit === "1/s") return `${formatNumber(value)} /s`;
  return unit === "count"
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
