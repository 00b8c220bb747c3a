import fc from "fast-check";
import { expect, test } from "vitest";
import { utcTimestamp } from "../tests/support/contract/service-schemas.ts";
import { isUtcTimestamp } from "./timestamps.ts";

const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
const fraction = fc.constantFrom("", ".5", ".123456789", ".");
const zone = fc.constantFrom("Z", "z", "", "+00:00", "-00:00", "+00", "+0000", "+02:00");
const timestamp = fc
  .tuple(
    fc.constantFrom("2024", "2030", "1900", "0000"),
    part(13),
    part(32),
    part(24),
    part(60),
    part(60),
    fraction,
    zone,
  )
  .map(([y, mo, d, h, mi, s, f, z]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${f}${z}`);

test("a timestamp in UTC is one exactly when the schema of the tests says so", () => {
  let accepted = 0;
  fc.assert(
    fc.property(timestamp, (text) => {
      if (isUtcTimestamp(text)) accepted += 1;
      expect(isUtcTimestamp(text)).toBe(utcTimestamp.safeParse(text).success);
    }),
    { numRuns: 5000, seed: 7 },
  );
  expect(accepted).toBeGreaterThan(200);
});

test.each([
  ["2024-02-29T00:00:00Z", true],
  ["2023-02-29T00:00:00Z", false],
  ["2030-01-02T24:00:00Z", false],
  ["2030-01-02T03:04Z", false],
  [1893553445, false],
  [undefined, false],
])("%j: %s", (value, is) => expect(isUtcTimestamp(value)).toBe(is));
