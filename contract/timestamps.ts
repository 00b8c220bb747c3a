/** The form of the service's timestamps: ISO 8601 in UTC. Pure. */

const UTC_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]00:00)$/;
const TO_THE_SECOND = "2030-01-02T03:04:05".length;

/** Whether a value is a real date with a time of day and `Z` or a zero offset, and any fraction of a second. */
export function isUtcTimestamp(value: unknown): boolean {
  if (typeof value !== "string" || !UTC_DATE_TIME.test(value)) return false;
  const ms = Date.parse(value);
  // A date that does not exist, such as 30 February, is read as another one.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value.slice(0, TO_THE_SECOND));
}
