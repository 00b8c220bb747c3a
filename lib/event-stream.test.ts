import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
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

test("the characters that are looked at are as many as the body has, whatever ends the lines", () => {
  const { indexOf } = String.prototype;
  const looking = vi.spyOn(String.prototype, "indexOf");
  onTestFinished(() => looking.mockRestore());
  let lookedAt = 0;
  looking.mockImplementation(function (this: string, wanted, from = 0) {
    const found = indexOf.call(this, wanted, from);
    lookedAt += (found < 0 ? this.length : found) - from;
    return found;
  });
  for (const end of ["\n", "\r", "\r\n"]) {
    lookedAt = 0;
    eventsOf(end.repeat(100_000));
    expect(lookedAt, JSON.stringify(end)).toBeGreaterThan(0);
    expect(lookedAt, JSON.stringify(end)).toBeLessThan(3 * 100_000);
  }
});
