import { Script } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { differencesOf, encodeIntegers, READ_INTEGERS } from "./point-data.ts";
import { RANGE_FIGURES } from "./points-script.ts";

/** What the script of a page makes of JSON, as it was sent to the page. */
const inScript = <T>(script: string, call: string, input: unknown, result: z.ZodType<T>): T => {
  const text = `${script}; JSON.stringify((${call})(${JSON.stringify(input)}))`;
  return result.parse(JSON.parse(String(new Script(text).runInNewContext({ atob }))));
};

const numbers = z.array(z.number());

test("the script of a page reads the numbers that were written, in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -(2 ** 52), max: 2 ** 52 })), (list) => {
      expect(inScript(READ_INTEGERS, "readIntegers", encodeIntegers(list), numbers)).toEqual(list);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.nat()), (list) => {
      const read = inScript(
        READ_INTEGERS,
        "(text) => sumsOf(readIntegers(text))",
        encodeIntegers(differencesOf(list)),
        numbers,
      );
      expect(read).toEqual(list);
    }),
  );
});

test("a number from 0 to 63 takes one byte", () => {
  expect(encodeIntegers([0, 63, -64])).toBe(Buffer.from([0, 126, 127]).toString("base64"));
});

const figures = z.object({
  count: z.number(),
  points: z.number(),
  counts: numbers,
  failed: z.number(),
  percentiles: z.array(z.number().optional().nullable()),
  isExact: z.boolean(),
});
const KINDS = [
  { isOk: true, failed: false },
  { isOk: false, failed: true },
];

const figuresOf = (points: object, range: readonly [number, number]) =>
  inScript(
    RANGE_FIGURES,
    "([points, range]) => figuresOf(points, range)",
    [{ kinds: KINDS, ...points }, range],
    figures,
  );

/** A request per 10 ms, every tenth failed; latencies of 1 ms, 2 ms and so on. */
const every = (count: number) => ({
  kind: Array.from({ length: count }, (_, index) => (index % 10 === 9 ? 1 : 0)),
  sentMs: Array.from({ length: count }, (_, index) => 10 * index),
  us: Array.from({ length: count }, (_, index) => 1_000 * (index + 1)),
});

test("the figures of a range are those of its requests, and a percentile without ten samples beyond it is none", () => {
  const all = { ...every(1_000), requests: 1_000, failed: 100, slowest: 0, slowestUs: 0 };
  // The requests 200 to 499, of which 270 are ok: the 135th and the 257th of these.
  const { count, failed, percentiles, isExact, counts } = figuresOf(all, [2, 4.995]);
  expect({ count, failed, isExact, counts }).toEqual({ count: 300, failed: 30, isExact: true, counts: [270, 30] });
  expect(percentiles).toEqual([349, 485, null]);
});

test("each request of a sample that was drawn stands for those that were not", () => {
  const { kind, sentMs, us } = every(1_000);
  // All that failed, the 100 slowest of the others, and every second one of the rest.
  const slowestUs = 1_000 * 889;
  const held = kind.flatMap((own, index) =>
    own === 1 || (us[index] ?? 0) >= slowestUs || index % 2 === 0 ? [index] : [],
  );
  const pick = (list: readonly number[]) => held.map((index) => list[index]);
  const sample = {
    kind: pick(kind),
    sentMs: pick(sentMs),
    us: pick(us),
    requests: 1_000,
    failed: 100,
    slowest: 100,
    slowestUs,
  };
  const whole = figuresOf(sample, [0, 10]);
  expect([Math.round(whole.count), Math.round(whole.failed), whole.isExact]).toEqual([1_000, 100, false]);
  // Of all 900 that are ok: 499 and 949, which a sample with the slowest would put far higher.
  expect(whole.percentiles[0]).toBeGreaterThan(490);
  expect(whole.percentiles[0]).toBeLessThan(510);
  expect(whole.percentiles[1]).toBe(949);
});
