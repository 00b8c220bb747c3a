/** Instants on the clock as files and ledgers write them: ISO 8601 in UTC with microseconds, of which a Date keeps three. */

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
