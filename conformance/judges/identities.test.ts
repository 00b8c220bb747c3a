import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { allAgree, oneIdEach, oneLengthPerModel } from "./identities.ts";

let sent = 0;
function exchange(path: string, request: object, body: string): Exchange {
  sent += 1;
  return {
    id: sent,
    probe: "p",
    request: { method: "POST", url: `http://h/v1/${path}`, headers: {}, body: JSON.stringify(request) },
    answer: { status: 200, headers: {}, body, truncated: false, chunks: [], headersMs: 1, endMs: 2 },
    startedAt: "2030-01-01T00:00:00Z",
  };
}
const completion = (id: unknown) => exchange("chat/completions", {}, JSON.stringify({ id }));
const stream = (...ids: readonly string[]) =>
  exchange("chat/completions", { stream: true }, ids.map((id) => `data: ${JSON.stringify({ id })}\n\n`).join(""));
const vectors = (request: object, ...lengths: readonly number[]) =>
  exchange(
    "embeddings",
    { model: "m", ...request },
    JSON.stringify({
      data: lengths.map((length, index) => ({ index, embedding: Array.from({ length }, () => 0.5) })),
    }),
  );

test.each([
  ["two completions of other ids", [completion("a"), completion("b")], "holds"],
  ["two completions of one id", [completion("a"), completion("a")], "broken"],
  ["a stream with the id of a completion", [completion("a"), stream("a", "a")], "broken"],
  ["streams whose chunks have several ids", [stream("a", "b"), stream("a", "b")], "inconclusive"],
  ["completions without a usable id", [completion(7), completion(7)], "inconclusive"],
])("%s: %s", (_, exchanges, kind) => expect(allAgree(oneIdEach, exchanges).kind).toBe(kind));

test.each([
  ["one length", [vectors({}, 3), vectors({}, 3, 3)], "holds"],
  ["another length in another response", [vectors({}, 3), vectors({}, 2, 2)], "broken"],
  ["an empty vector, which another clause names", [vectors({}, 3), vectors({}, 0), vectors({}, 3)], "holds"],
  ["another length of another model", [vectors({}, 3), vectors({ model: "n" }, 2), vectors({}, 3)], "holds"],
  ["another length that was asked for", [vectors({}, 3), vectors({ dimensions: 2 }, 2), vectors({}, 3)], "holds"],
])("vectors of %s: %s", (_, exchanges, kind) => expect(allAgree(oneLengthPerModel, exchanges).kind).toBe(kind));

test("what differs is named with both exchanges", () => {
  const exchanges = [vectors({}, 3), vectors({}, 2)];
  expect(allAgree(oneLengthPerModel, exchanges)).toMatchObject({
    observed: 'those of "m" had 3 numbers before, and 2 here',
    evidence: exchanges.map(({ id }) => id),
  });
});

test("a response that a cache returned again is told from one that has an id of another", () => {
  const [first, again, other] = [
    completion("a"),
    completion("a"),
    exchange("chat/completions", {}, '{"id":"a","n":1}'),
  ];
  const observed = `two had "a", the other one in exchange ${first.id}`;
  expect(allAgree(oneIdEach, [first, again])).toMatchObject({
    observed: `${observed}, whose response is the same byte for byte, as from a cache`,
  });
  expect(allAgree(oneIdEach, [first, other])).toMatchObject({ observed });
});
