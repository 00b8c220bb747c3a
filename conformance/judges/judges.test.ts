/** Judges against generated documents: fields as one by one are judged the same as the whole by the contract's schemas. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CHAT_COMPLETION_FIELDS,
  EMBEDDING_LIST_FIELDS,
  type Field,
  VIDEO_CANCELLATION_FIELDS,
} from "../../contract/fields.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { chatCompletion, embeddingList, videoCancellation } from "../../tests/support/contract/service-schemas.ts";
import { answering } from "../../tests/support/targets/answering.ts";
import { unusableReason } from "../engine/judge-clause.ts";
import { accepted, errorOf, type Judged } from "./acceptance.ts";
import { keyAccepted, keyEnforced } from "./auth.ts";
import { isStreamed } from "./chat-stream.ts";
import { equalDimensions, itemsAre } from "./embeddings.ts";
import { limitedCompletions, streamsWithoutUsage, streamsWithUsage } from "./exchange-kinds.ts";
import { fieldIs, valueIs } from "./field-checks.ts";
import { beyondReading, documentOf } from "./json-path.ts";
import { errorWithin } from "./recognisable-stream.ts";
import { refused } from "./refusal.ts";
import {
  beginsWithRole,
  deltasMakeText,
  endsWithDone,
  errorHasMessage,
  eventsAreJson,
  ofWholeStream,
  usageIsStreamed,
} from "./stream-events.ts";
import { idsUnique, isUtc, namesZone, staysAsItEnded, submittedBeforeItsEnd } from "./video.ts";

const COMPLETION = {
  id: "c-1",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};
const EMBEDDINGS = {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [0.5, -0.5] }],
  model: "m",
  usage: { prompt_tokens: 5, total_tokens: 5 },
};
const DOCUMENTS = [
  { name: "chat completion", document: COMPLETION, fields: CHAT_COMPLETION_FIELDS, schema: chatCompletion },
  { name: "embeddings", document: EMBEDDINGS, fields: EMBEDDING_LIST_FIELDS, schema: embeddingList },
  {
    name: "cancellation",
    document: { id: "t", status: "cancelled" },
    fields: VIDEO_CANCELLATION_FIELDS,
    schema: videoCancellation,
  },
];

const allHold = (fields: readonly Field[], document: unknown): boolean =>
  fields.every(({ path, type, values }) => {
    const seen = [answering(document)];
    const right = fieldIs(path, type)(seen).kind === "holds";
    return right && (values === undefined || valueIs(path, values)(seen).kind === "holds");
  });

/** The specification with the value at one place replaced, or taken out. */
function damaged(document: unknown, path: string, value: unknown): unknown {
  const [head = "", ...rest] = path.split(".");
  const name = head.replace("[]", "");
  const object: Record<string, unknown> = { ...Object(document) };
  const member = object[name];
  if (rest.length === 0) object[name] = value;
  else
    object[name] = Array.isArray(member)
      ? member.map((item) => damaged(item, rest.join("."), value))
      : damaged(member, rest.join("."), value);
  return object;
}

describe.each(DOCUMENTS)("$name", ({ document, fields, schema }) => {
  test("holds every field", () => expect(allHold(fields, document)).toBe(true));

  test("field by field is judged as the schema judges the whole", () => {
    const paths = fc.constantFrom(...fields.map(({ path }) => path));
    const values = fc.oneof(
      fc.constant(undefined),
      fc.jsonValue().filter(isPlain),
      fc.constant([1, 2]),
      fc.constant({}),
    );
    fc.assert(
      fc.property(paths, values, (path, value) => {
        const document2 = damaged(document, path, value);
        return allHold(fields, document2) === schema.safeParse(document2).success || isEmptyList(value);
      }),
    );
  });
});

/** The schema takes whole numbers only as far as they are exact. */
const isPlain = (value: unknown): boolean => typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** An empty list is judged by clauses of its own: at least one choice, one item an input. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

test.each([
  [2, "an array of 2 arrays of 1 numbers, one per token"],
  [5, "an array of 2 arrays of 1 numbers"],
])("nested vectors beside a usage of %i tokens are %s", (prompt_tokens, words) => {
  const nested = { data: [{ embedding: [[0.5], [0.25]] }], usage: { prompt_tokens } };
  expect(fieldIs("data[].embedding", "numbers")([answering(nested)])).toMatchObject({
    observed: `the target sent data[0].embedding as ${words}`,
  });
});

const REASONING = "reasoning, which took all tokens that max_tokens allows";

test.each([
  [{ reasoning: "so" }, "length", `null, next to ${REASONING}`],
  [{ reasoning_content: "so" }, "length", `null, next to ${REASONING}`],
  [{ reasoning: "so" }, "stop", "null"],
  [{ reasoning: null }, "length", "null"],
])("a message without content and with %j, which ended by %s, was sent as %s", (more, finish_reason, words) => {
  const choice = { finish_reason, message: { content: null, ...more } };
  expect(fieldIs("choices[].message.content", "string")([answering({ choices: [choice] })])).toMatchObject({
    observed: `the target sent choices[0].message.content as ${words}`,
  });
});

test.each<[object, string, Judged["kind"], RegExp]>([
  [{ reasoning: "so" }, "length", "inconclusive", /^they held reasoning, which took all tokens/],
  [{ reasoning_content: "so" }, "length", "inconclusive", /^they held reasoning, which took all tokens/],
  [{ reasoning: "so" }, "stop", "broken", /^they held reasoning and no content$/],
  [{}, "length", "broken", /^they held no content$/],
])("a stream of %j and no content, which ended by %s, is %s", (delta, finish_reason, kind, words) => {
  const events = [{ choices: [{ delta }] }, { choices: [{ delta: {}, finish_reason }] }];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const found = deltasMakeText(answering(text));
  expect(found).toMatchObject({ kind, [kind === "broken" ? "observed" : "why"]: expect.stringMatching(words) });
});

test.each([
  [1, true],
  [0, false],
  [-1, false],
])("a completion with max_tokens %i is one with a limit: %s", (max_tokens, isLimited) => {
  const { request, ...rest } = answering(COMPLETION, 200, { model: "m", messages: [], max_tokens });
  const exchange = { ...rest, request: { ...request, url: "http://h/v1/chat/completions" } };
  expect(limitedCompletions.fits([exchange])).toBe(isLimited);
});

test.each([
  [undefined, "without"],
  [{}, "without"],
  [{ include_usage: false }, "without"],
  [{ include_usage: true }, "with"],
  [{ include_usage: true, include_obfuscation: false }, "with"],
  [{ include_usage: true, continuous_usage_stats: false }, "with"],
  [{ include_usage: true, continuous_usage_stats: true }, "neither"],
  [{ continuous_usage_stats: true }, "neither"],
])("a stream with the options %j is one of those %s usage", (stream_options, expected) => {
  const { request, ...rest } = answering(COMPLETION, 200, { model: "m", messages: [], stream: true, stream_options });
  const seen = [{ ...rest, request: { ...request, url: "http://h/v1/chat/completions" } }];
  expect({ with: streamsWithUsage.fits(seen), without: streamsWithoutUsage.fits(seen) }).toEqual({
    with: expected === "with",
    without: expected === "without",
  });
});

describe("acceptance and refusal", () => {
  test("any status and body is judged without throwing, and never both accepted and refused", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.string(), fc.jsonValue()), (status, body) => {
        const exchange = answering(body, status);
        return !(accepted(exchange).kind === "holds" && refused(exchange).kind === "holds");
      }),
    );
  });
  test.each([400, 403, 404, 405, 413, 422])("%i is a refusal", (status) => {
    expect(refused(answering({}, status)).kind).toBe("holds");
  });
  test.each([401, 500, 301])("%i is neither", (status) =>
    expect(refused(answering({}, status)).kind).toBe("inconclusive"),
  );
  test.each([{ error: { message: "temperature must be at most 2" } }, "<!doctype html><p>Welcome", "", { id: "x" }])(
    "200 with %j is neither acceptance nor refusal of a chat request",
    (body) => {
      const asked = { method: "POST", url: "http://h/v1/chat/completions", headers: {}, body: "{}" };
      expect(refused({ ...answering(body), request: asked })).toMatchObject({
        kind: "inconclusive",
        why: expect.stringContaining("which is neither acceptance nor refusal"),
      });
      expect(keyEnforced([{ ...answering(body), request: asked }]).kind).toBe("inconclusive");
    },
  );
  test.each([
    ['data: {"error": {"message": "no"}}', 'text that is no JSON: "data: {\\"error\\": {\\"message\\": \\"no\\"}}"'],
    [{ error: { message: "no" } }, 'an object of error: "no"'],
  ])("what a 200 said in place of a completion is quoted: %j", (body, quoted) => {
    const asked = { method: "POST", url: "http://h/v1/chat/completions", headers: {}, body: "{}" };
    expect(refused({ ...answering(body), request: asked })).toMatchObject({
      why: `the target returned 200 with ${quoted}, which is neither acceptance nor refusal`,
    });
  });
  test("403 with a page is that of a firewall, and says nothing of the key", () => {
    const context = { keyGiven: true, failingPrompt: false };
    const page = answering("<html><body>Forbidden</body></html>", 403);
    expect(keyAccepted([page], [], context)).toMatchObject({ kind: "inconclusive", elsewhere: true });
    expect(keyAccepted([answering({ error: "no" }, 403)], [], context)).toMatchObject({
      why: expect.stringContaining("refused the API key"),
    });
  });
  test("200 with a completion, whole or streamed, breaks a refusal", () => {
    const asked = { method: "POST", url: "http://h/v1/chat/completions", headers: {}, body: "{}" };
    for (const body of [COMPLETION, 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'])
      expect(refused({ ...answering(body), request: asked }).kind).toBe("broken");
  });
  test.each([200, 202, 299])("%i breaks a refusal", (status) =>
    expect(refused(answering({}, status)).kind).toBe("broken"),
  );
});

test.each([
  ["returns at once", 19, 5_000, "completed", "holds"],
  ["returns late, and its task is polled at once", 700, 701, "completed", "broken"],
  ["returns late, and its task is processing", 700, 5_700, "processing", "holds"],
  // Nobody looked for 5 s, in which the task can have ended.
  ["returns late, and its task is polled later", 121, 5_121, "completed", "inconclusive"],
])("a submission that %s", (_, endMs, polledMs, status, kind) => {
  const part = (startMs: number, body: object, method: string, ms: number): Exchange => {
    const base = answering(body);
    const url = `http://h/v1/videos/generations${method === "GET" ? "/t" : ""}`;
    const startedAt = new Date(Date.parse(base.startedAt) + startMs).toISOString();
    const { answer, request } = base;
    return {
      ...base,
      startedAt,
      request: { ...request, method, url },
      ...(answer && { answer: { ...answer, endMs: ms } }),
    };
  };
  const polls = [status, "completed"].map((state, i) => part(polledMs + i, { id: "t", status: state }, "GET", 1));
  const history = [part(0, { id: "t", status: "processing" }, "POST", endMs), ...polls];
  expect(submittedBeforeItsEnd(history).kind).toBe(kind);
});

describe("created_at", () => {
  const created = (created_at: unknown) => [answering({ created_at })];
  test.each([
    ["2030-01-02T03:04:05Z", "holds", "holds"],
    ["2030-01-02T03:04:05.123456+00:00", "holds", "holds"],
    ["2030-01-02T03:04:05", "holds", "broken"],
    ["2030-01-02", "holds", "broken"],
    ["2030-01-02T03:04:05+02:00", "broken", "broken"],
    ["2030-13-02T03:04:05Z", "broken", "broken"],
    ["yesterday", "broken", "broken"],
    [1893553445, "broken", "broken"],
  ])("%s: in UTC %s, names its zone %s", (value, utc, zone) => {
    expect([isUtc(created(value)).kind, namesZone(created(value)).kind]).toEqual([utc, zone]);
  });
});

test("ids are compared with all their digits, which a double does not hold", () => {
  const request = { method: "POST", url: "http://h/v1/videos/generations", headers: {} } as const;
  const submitted = (id: string): Exchange[] => [{ ...answering(`{"id":${id}}`, 202), request }];
  const [one, other] = ["12345678901234567891", "12345678901234567892"];
  expect(idsUnique([submitted(one), submitted(other)]).kind).toBe("holds");
  expect(idsUnique([submitted(one), submitted(one)]).kind).toBe("broken");
  expect(idsUnique([submitted("{}"), submitted("{}")]).kind).toBe("holds");
});

const REQUEST = { model: "m", messages: [{ role: "user", content: "Hello." }], stream: true };

const streaming = (body: string): Exchange => ({
  ...answering(body),
  request: { method: "POST", url: "http://h/v1/chat/completions", headers: {}, body: JSON.stringify(REQUEST) },
});

describe("a stream", () => {
  test.each([
    ['data: {"choices":[{"delta":{}}]}\n\n', "holds"],
    ['{"choices":[{"delta":{}}]}', "holds"],
    ['{"choices":[{"delta":{}}]}\n{"choices":[]}\n', "holds"],
    ['data: {"choices":[{"delta":{}}]}\ndata: {"choices":[{"delta":{}}]}\n', "holds"],
    ['data: {"choices":[{"delta":{}}]}\n\nevent: error\ndata: overloaded\n\n', "holds"],
    ['{"response":"Hel","done":false}\n{"response":"lo","done":true}\n', "holds"],
    ['event: delta\ndata: {"text":"Hel"}\n\nevent: delta\ndata: {"text":"lo"}\n\n', "holds"],
    ['\u001e{"token":"Hel"}\n\u001e{"token":"lo"}\n', "holds"],
    ["data: Hel\n\ndata: lo\n\ndata: [DONE]\n\n", "holds"],
    ["", "broken"],
    [" ", "broken"],
    [JSON.stringify(COMPLETION), "broken"],
    ["{}", "broken"],
    ['{"id":"x"}', "broken"],
    ['{"choices":"none"}', "broken"],
    ['{"error":{"message":"overloaded"}}', "broken"],
    ['{\n  "error": "overloaded"\n}', "broken"],
    ['data: {"error":{"message":"overloaded"}}\n\n', "broken"],
    ['data: {"error":{"message":"overloaded"}}\n\ndata: [DONE]\n\n', "broken"],
    ['{"error":"overloaded"}\n{"error":"overloaded"}\n', "broken"],
    ["event: error\ndata: overloaded\n\n", "broken"],
    [JSON.stringify(REQUEST), "broken"],
    [`data: ${JSON.stringify(REQUEST)}\n\n`, "broken"],
    ["Internal error", "inconclusive"],
    ["Hello, world.\nHow are you?\n", "inconclusive"],
    ["data: [DONE]\n\n", "inconclusive"],
    ['data: {"id":"x"}\n\n', "inconclusive"],
    ['data: {"type":"ping"}\n\ndata: {"type":"ping"}\n\n', "inconclusive"],
    ['data: {"type":"ping"}\n\ndata: {"status":"busy"}\n\ndata: {"error":"overloaded"}\n\n', "inconclusive"],
    ["[".repeat(2_000), "inconclusive"],
  ])("%j: %s", (body, kind) => expect(isStreamed(streaming(body)).kind).toBe(kind));

  test("whose coding cannot be undone is no evidence, neither for nor against a target", () => {
    const { answer, ...rest } = streaming("");
    if (answer === undefined) throw new Error("there is no answer");
    const failure = { kind: "coding" as const, message: "Assay cannot read the coding zstd" };
    const unread = { ...rest, answer: { ...answer, headers: { "content-encoding": "zstd" } }, failure };
    expect(isStreamed(unread)).toEqual({
      kind: "inconclusive",
      why: "the response was not read: Assay cannot read the coding zstd",
    });
    expect(unusableReason([unread])).toEqual(isStreamed(unread));
  });

  test("that was cut before anything in it was recognisable is no evidence", () => {
    const failure = { kind: "reset" as const, message: "the connection was reset" };
    expect(isStreamed({ ...streaming(' {"error":1}'), failure })).toMatchObject({
      kind: "inconclusive",
      why: expect.stringContaining("cut"),
    });
  });
});

test("a task that leaves its end is found, wherever in the polls", () => {
  const states = fc.array(fc.constantFrom("processing", "completed", "cancelled"), { maxLength: 6 });
  fc.assert(
    fc.property(states, (list) => {
      const found = staysAsItEnded(list.map((status) => answering({ status })));
      const end = list.findIndex((state) => state !== "processing");
      const later = end < 0 ? [] : list.slice(end + 1);
      const wanted =
        later.length === 0 ? "inconclusive" : later.every((state) => state === list[end]) ? "holds" : "broken";
      return found.kind === wanted;
    }),
  );
});

describe("the mark of the end of a stream", () => {
  const chunk = 'data: {"a":1}\n\n';

  test.each([
    ["data: [DONE]\n\n", "holds"],
    ["event: message\ndata: [DONE]\n\n", "holds"],
    ["event: end\ndata: [DONE]\n\n", "broken"],
    ["event: [DONE]\ndata: {}\n\n", "broken"],
    ["data: [DONE]\n", "broken"],
  ])("%j %s", (end, kind) => expect(endsWithDone(answering(chunk + end)).kind).toBe(kind));

  test("in an event of another name it is said, and is no JSON that is missing", () => {
    const stream = answering(`${chunk}event: end\ndata: [DONE]\n\n`);
    expect(eventsAreJson(stream).kind).toBe("holds");
    expect(endsWithDone(stream)).toMatchObject({ observed: 'the last event of the name "end" held "[DONE]"' });
  });
});

test("a stream of more events than are read is not judged", () => {
  const judge = ofWholeStream(eventsAreJson);
  expect(judge(answering("data: {}\n\n".repeat(20_000))).kind).toBe("holds");
  expect(judge(answering("data: {}\n\n".repeat(20_001)))).toMatchObject({
    kind: "inconclusive",
    why: expect.stringContaining("more than 20000 events"),
  });
});

test("a stream whose key was refused has no usage that is missing", () => {
  const refused = answering({ error: "no such key" }, 401);
  expect(ofWholeStream(usageIsStreamed)(refused)).toMatchObject({ kind: "inconclusive", elsewhere: true });
});

test("a batch of many long vectors is judged", () => {
  const vector = Array.from({ length: 3_072 }, () => 0.5);
  const data = Array.from({ length: 256 }, (_, index) => ({ object: "embedding", index, embedding: vector }));
  const batch = answering(JSON.stringify({ object: "list", data }));
  expect(beyondReading(batch)).toBeUndefined();
  expect(itemsAre(256)([batch]).kind).toBe("holds");
  expect(equalDimensions(batch).kind).toBe("holds");
});

test("JSON beyond what is read is no evidence, neither for nor against a target", () => {
  const nested = answering(`{"id":${"[".repeat(2_000)}${"]".repeat(2_000)}}`);
  const many = answering(`{"choices":[${"{},".repeat(100_000)}{}]}`);
  expect([nested, many].map(beyondReading)).toEqual(["nested deeper than 1000 levels", "of more than 100000 values"]);
  expect([nested, many].map(documentOf)).toEqual([undefined, undefined]);
  expect(beyondReading(answering("[".repeat(900) + "]".repeat(900)))).toBeUndefined();
});

test("a stream that holds an error after its choices did not come to its end", () => {
  const chunks = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
  for (const error of [
    'data: {"error":{"message":"no"}}',
    'data: {"object":"error","message":"no"}',
    "event: error\ndata: no",
  ])
    expect(errorWithin(streaming(`${chunks}${error}\n\ndata: [DONE]\n\n`))).toContain("no");
  expect(errorWithin(streaming(`${chunks}data: {"choices":[],"error":null}\n\ndata: [DONE]\n\n`))).toBeUndefined();
});

describe("a stream that fails before its reply was not served, whatever its status", () => {
  const role = 'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n';
  const end = "data: [DONE]\n\n";

  test.each([
    [
      "an error beside a choice",
      'data: {"choices":[{"delta":{},"finish_reason":"error"}],"error":{"message":"no"}}\n\n',
    ],
    ["an error event", "event: error\ndata: no\n\n"],
  ])("%s", (_, error) => {
    expect(refused(streaming(role + error + end))).toMatchObject({
      kind: "inconclusive",
      why: expect.stringMatching(
        /with a stream that failed before its reply: .*no.*, which is neither acceptance nor refusal/,
      ),
    });
    const reply = 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n';
    expect(refused(streaming(role + reply + error + end)).kind).toBe("broken");
  });

  test("of one without an error it was", () => expect(refused(streaming(role + end)).kind).toBe("broken"));
});

test.each([
  [{ detail: [{ loc: ["body", "messages"] }] }, 'it was {"detail":[{"loc":["body","messages"]}]}'],
  [{ error: "no" }, 'it was {"error":"no"}'],
  ["Internal Server Error", 'it was no JSON: "Internal Server Error"'],
])("the refusal %j is quoted, and it alone is the evidence", (body, observed) => {
  const refused = answering(body);
  expect(errorHasMessage(refused)).toMatchObject({ kind: "broken", observed, evidence: [refused.id] });
});

test.each([
  [
    {
      error: {
        message: `GatewayError: UpstreamException - invalid temperature: must be from 0 to 2. ${"a".repeat(200)}`,
      },
    },
    `: "GatewayError: UpstreamException - invalid temperature: must be from 0 to 2. ${"a".repeat(83)}…"`,
  ],
  [
    { status: 500, error: "SyntaxError", message: "Bad control character in position 9" },
    ': "SyntaxError: Bad control character in position 9"',
  ],
  [{ error: "overloaded" }, ': "overloaded"'],
  [{ detail: "Not Found" }, ': "Not Found"'],
])("what a target says was wrong is quoted to its cause: %j", (body, quoted) => {
  expect(errorOf(answering(body))).toBe(quoted);
});

test("a first delta without a role is said to have none", () => {
  const chunk = { choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }] };
  expect(beginsWithRole(answering(`data: ${JSON.stringify(chunk)}\n\n`))).toMatchObject({ observed: "it had no role" });
});
