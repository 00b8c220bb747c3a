/**
 * Reads a Retry-After header (RFC 9110, section 10.2.3): seconds, or a date. Pure.
 * @param nowMs the current time in milliseconds since 1970
 * @returns milliseconds to wait, 0 for a date in the past; undefined without a readable value
 */
export function retryAfterMs(value: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1_000;
  // A date holds letters; without them, Date.parse takes any number for a year.
  const date = /[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
