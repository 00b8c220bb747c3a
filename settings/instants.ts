/** Instants on the clock as files and ledgers write them: ISO 8601 in UTC with microseconds, of which a Date keeps three. */

import { UsageError } from "./usage-error.ts";

/** Writes a time in milliseconds since 1970, with a fraction. */
export function formatInstant(unixMs: number): string {
  const micros = Math.round(unixMs * 1_000);
  const whole = Math.floor(micros / 1_000);
  return new Date(whole).toISOString().replace("Z", `${String(micros - whole * 1_000).padStart(3, "0")}Z`);
}

/** Reads an ISO 8601 time into milliseconds since 1970, to the microsecond; NaN for any other text. */
export function readInstant(text: string): number {
  const beyondMillis = /\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? "";
  return Date.parse(text) + Number(beyondMillis.padEnd(3, "0")) / 1_000;
}

const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a user's `2026-11-21T18:00:00Z` into milliseconds since 1970.
 * @throws UsageError for any other text, also for a time without a zone
 */
export function parseInstant(text: string): number {
  const at = WITH_ZONE.test(text.trim()) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(`"${text}" is not an instant with its zone; write one such as 2026-11-21T18:00:00Z`);
  }
  return at;
}
