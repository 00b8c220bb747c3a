import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventsOf } from "./event-stream.ts";

/** `name|data` of each event; one without its blank line ends with `~`. */
const seen = (body: string): string[] => {
  const { whole, unfinished } = eventsOf(body);
  return [
    ...whole.map(({ name, data }) => `${name}|${data}`),
    ...(unfinished ? [`${unfinished.name}|${unfinished.data}~`] : []),
  ];
};

/** Shared with the tests of the extension. */
const cases = z
  .array(z.object({ name: z.string(), body: z.string(), events: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync(new URL("../scenarios/testdata/event-streams.json", import.meta.url), "utf8")));

test.each(cases)("$name", ({ body, events }) => {
  expect(seen(body)).toEqual(events);
});

test("no more events are read than wanted", () => {
  expect(eventsOf("data: a\n\ndata: b\n\ndata: c\n\n", 2)).toEqual({
    whole: [
      { name: "", data: "a" },
      { name: "", data: "b" },
    ],
    more: true,
  });
  expect(eventsOf("data: a\n\ndata: b\n\n", 2).more).toBe(false);
});

test("the end of a line is the same wherever the body is cut for reading", () => {
  const line = fc.constantFrom("data: a", "", ": comment", "event: b", "x".repeat(65_530), "x".repeat(65_535));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("\r", "\r\n"), (lines, end) => {
      expect(eventsOf(lines.map((each) => each + end).join(""))).toEqual(
        eventsOf(lines.map((each) => `${each}\n`).join("")),
      );
    }),
    { seed: 1 },
  );
});

test("the time of reading grows with the length, whatever ends the lines", () => {
  const took = (body: string): number => {
    const begin = performance.now();
    eventsOf(body);
    return performance.now() - begin;
  };
  const size = 2 ** 20;
  took("\r".repeat(size));
  expect(took("\r".repeat(4 * size))).toBeLessThan(12 * Math.max(took("\n".repeat(4 * size)), 20));
});
