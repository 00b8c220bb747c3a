import { expect, test } from "vitest";
import { BODY_CAPS, BodyReader, MOST_CHUNKS, readBudget } from "./body-reader.ts";

test("chunks become one body, each with its time", () => {
  const reader = new BodyReader(readBudget());
  expect([reader.add(Buffer.from("one"), 1), reader.add(Buffer.from("two"), 2)]).toEqual([true, true]);
  expect(reader.bytes().toString()).toBe("onetwo");
  expect(reader.chunks).toEqual([
    { atMs: 1, bytes: 3 },
    { atMs: 2, bytes: 3 },
  ]);
});

test("the longer all bodies are together, the less is read of each", () => {
  const budget = readBudget();
  for (const { below, cap } of BODY_CAPS) {
    const reader = new BodyReader(budget);
    expect(reader.add(Buffer.alloc(cap + 1), 0)).toBe(false);
    expect([reader.truncated, reader.bytes().length]).toEqual([true, cap]);
    budget.read = below;
  }
});

test("a body that is read while others use up what may be read is cut", () => {
  const budget = readBudget();
  const reader = new BodyReader(budget);
  reader.add(Buffer.alloc(100_000), 0);
  budget.read = BODY_CAPS[0]?.below ?? 0;
  expect([reader.add(Buffer.from("a"), 1), reader.truncated]).toEqual([false, true]);
});

test("tiny chunks take little memory: few of them are kept apart", () => {
  const reader = new BodyReader(readBudget());
  for (let n = 0; n < 3 * MOST_CHUNKS; n += 1) reader.add(Buffer.from("a"), n);
  expect(reader.chunks).toHaveLength(MOST_CHUNKS);
  expect(reader.chunks.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(3 * MOST_CHUNKS);
});

test("what is too long for what follows is cut, and marked", () => {
  const reader = new BodyReader(readBudget());
  reader.add(Buffer.from("abc"), 0);
  reader.cut(3);
  expect(reader.truncated).toBe(false);
  reader.cut(2);
  expect([reader.truncated, reader.bytes().toString()]).toEqual([true, "ab"]);
});
