import { readFileSync } from "node:fs";
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
