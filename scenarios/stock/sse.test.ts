import { expect, test } from "vitest";
import { eventsOf } from "./sse.ts";

/** `name|data` of each event; one without its blank line ends with `~`. */
const seen = (body: string): string[] => {
  const { whole, unfinished } = eventsOf(body);
  return [
    ...whole.map(({ name, data }) => `${name}|${data}`),
    ...(unfinished ? [`${unfinished.name}|${unfinished.data}~`] : []),
  ];
};

test.each([
  ["one event", "data: a\n\n", ["|a"]],
  ["CRLF line ends", "data: a\r\n\r\ndata: b\r\n\r\n", ["|a", "|b"]],
  ["CR-only line ends", "data: a\r\rdata: b\r\r", ["|a", "|b"]],
  ["mixed line ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", ["|a", "|b", "|c"]],
  ["byte order mark", "\uFEFFdata: a\n\n", ["|a"]],
  ["a second byte order mark is data", "\uFEFF\uFEFFdata: a\n\ndata: b\n\n", ["|b"]],
  ["comments", ": hello\n:\ndata: a\n: between\n\n", ["|a"]],
  ["no space after the colon", "data:a\n\n", ["|a"]],
  ["only one space is dropped", "data:  a\n\n", ["| a"]],
  ["two data lines", "data: a\ndata: b\n\n", ["|a\nb"]],
  ["data without colon", "data\n\n", ["|"]],
  ["event name", "event: error\ndata: a\n\ndata: b\n\n", ["error|a", "|b"]],
  ["name without data is dropped", "event: a\n\ndata: x\n\n", ["|x"]],
  ["other fields", "id: 1\nretry: 10\nfoo: 1\ndatax: 2\ndata: a\n\n", ["|a"]],
  ["colon in the value", "data: a:b\n\n", ["|a:b"]],
  ["blank lines only", "\n\n\r\n\r\r", []],
  ["no blank line at the end", "data: a\n\ndata: b\n", ["|a", "|b~"]],
  ["no line end at the end", "data: a\n\ndata: b", ["|a", "|b~"]],
  ["trailing comment is no event", "data: a\n\n: bye", ["|a"]],
  ["empty stream", "", []],
])("%s", (_, body, events) => {
  expect(seen(body)).toEqual(events);
});
