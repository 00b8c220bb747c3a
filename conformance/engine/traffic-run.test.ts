import { describe, expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import type { TrafficCounts } from "../../formats/verdicts.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { selectPassive } from "./clause-selection.ts";
import { loadClauses } from "./load-clauses.ts";
import {
  type TrafficOptions,
  TrafficRun,
  type TrafficViolation,
  trafficOnRedacted,
  trafficVerdicts,
} from "./traffic-run.ts";

const KEY = "sk-canary-key-of-a-user";
const PROMPT = "a canary in the prompt";
const clauses = await loadClauses();

const COMPLETION = {
  id: "c",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

const TIMES = { truncated: false, chunks: [], headersMs: 1, endMs: 2 };

function chat(id: number, changes: object, more: Partial<Exchange> = {}): Exchange {
  return {
    id,
    probe: "traffic",
    request: {
      method: "POST",
      url: "http://service.example/v1/chat/completions",
      headers: { authorization: `Bearer ${KEY}`, cookie: "session=canary-cookie", "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: PROMPT }] }),
    },
    answer: {
      status: 200,
      headers: { "content-type": "application/json", "set-cookie": "session=canary-set" },
      body: JSON.stringify({ ...COMPLETION, ...changes }),
      truncated: false,
      chunks: [],
      headersMs: 1,
      endMs: 2,
    },
    startedAt: "2026-01-01T00:00:00.000000Z",
    ...more,
  };
}

test.each(["<!doctype html><p>Welcome", "<a/>", "\n<Error><Code>AccessDenied</Code></Error>\n"])(
  "pages for everything are no service that fails: the verdict says what was found there: %j",
  (body) => {
    const html = chat(1, {}, { answer: { status: 200, headers: {}, body, ...TIMES } });
    const { said, verdicts } = checked(false, html);
    expect(said).toEqual([]);
    expect(verdicts.get("chat.minimal")).toMatchObject({
      verdict: "INCONCLUSIVE",
      reason:
        "the target returned 200 with an HTML or XML page, and nothing else at this address responds as the service does; check --target (exchange 1)",
    });
    expect([...verdicts.values()].filter(({ verdict }) => verdict === "FAIL")).toEqual([]);
  },
);

test("a target that does not know the model is one of the service", () => {
  const error = { message: "The model `m` does not exist.", type: "NotFoundError", param: "model", code: 404 };
  const unknown = chat(1, {}, { answer: { status: 404, headers: {}, body: JSON.stringify({ error }), ...TIMES } });
  expect(checked(false, unknown).verdicts.get("chat.minimal")?.reason).not.toContain("check --target");
});

test("a page among responses of the service fails", () => {
  const body = "<!doctype html><p>Welcome";
  const html = chat(2, {}, { answer: { status: 200, headers: {}, body, ...TIMES } });
  expect(checked(false, chat(1, {}), html).verdicts.get("chat.minimal")?.verdict).toBe("FAIL");
});

/** What is written and said of traffic. */
const checked = (redactBodies: boolean, ...exchanges: readonly Exchange[]) =>
  checkedWith({ redactBodies }, ...exchanges);

function checkedWith(
  options: Pick<TrafficOptions, "redactBodies" | "mostRecorded">,
  ...exchanges: readonly Exchange[]
) {
  const written: Exchange[] = [];
  const said: TrafficViolation[] = [];
  const verdicts = new Map<string, ClauseVerdict>();
  let counts: TrafficCounts | undefined;
  const run = new TrafficRun({
    selections: selectPassive(clauses, {}),
    baseline: [],
    sink: {
      exchange: (exchange) => void written.push(exchange),
      verdict: ({ id }, verdict) => void verdicts.set(id, verdict),
      end: (end) => {
        counts = end?.traffic;
      },
    },
    violated: (violation) => void said.push(violation),
    ...options,
    startedAt: "2026-01-01T00:00:00.000Z",
  });
  for (const exchange of exchanges) run.add(exchange);
  run.end(3);
  return { written, said, verdicts, counts };
}

test("violations are said as they come, and every clause that needs no probe gets a verdict", () => {
  const { written, said, verdicts, counts } = checked(
    false,
    chat(1, { id: 7, choices: [{}] }),
    chat(2, { id: 8, choices: [{}] }),
  );
  expect(said.filter(({ clause }) => clause.id === "chat.response.id").map(({ count }) => count)).toEqual([1, 2]);
  expect(verdicts.get("chat.response.id")).toMatchObject({ verdict: "FAIL", evidence: [1, 2] });
  expect(verdicts.get("embeddings.status")).toMatchObject({
    verdict: "NOT-APPLICABLE",
    reason: "the traffic had no embeddings",
  });
  expect(verdicts.has("chat.temperature.above")).toBe(false);
  expect(written.map(({ id }) => id)).toEqual([1, 2]);
  expect(counts).toEqual({ requests: 5, judged: 2, clientLeft: 0, unchecked: 3, unrecorded: 0 });
});

/** The clauses that fail for a chat whose request has these members beside the usual ones, and gets this body. */
const failing = (members: object, body: string): readonly string[] => {
  const asked = { model: "m", messages: [{ role: "user", content: "Hi" }], ...members };
  const exchange = chat(1, {}, { answer: { status: 200, headers: {}, body, ...TIMES } });
  const { request } = exchange;
  const { verdicts } = checked(false, { ...exchange, request: { ...request, body: JSON.stringify(asked) } });
  return [...verdicts].filter(([, { verdict }]) => verdict === "FAIL").map(([id]) => id);
};

/** Choices as vLLM returns them: usage counts the tokens of all, and max_tokens limits each. */
const choices = (count: number): string =>
  JSON.stringify({
    ...COMPLETION,
    choices: Array.from({ length: count }, (_, index) => ({
      ...COMPLETION.choices[0],
      index,
      finish_reason: "length",
    })),
    usage: { prompt_tokens: 1, completion_tokens: 8 * count, total_tokens: 1 + 8 * count },
  });

test.each([
  [{ max_tokens: 8, n: 2 }, choices(2), []],
  [{ max_tokens: 8, n: 1 }, choices(1), []],
  [{ max_tokens: 4, n: 1 }, choices(1), ["chat.max_tokens.kept"]],
])("max_tokens limits each choice, and usage counts all of them: %j", (members, body, expected) => {
  expect(failing(members, body)).toEqual(expected);
});

test("responses that a cache returned are counted", () => {
  const answer = (age: string) => ({ status: 200, headers: { age }, body: JSON.stringify(COMPLETION), ...TIMES });
  const { counts } = checked(false, chat(1, {}, { answer: answer("0") }), chat(2, {}, { answer: answer("7") }));
  expect(counts).toMatchObject({ judged: 2, cached: 1 });
});

test("what the traffic leaves open is not held against the target; a response that was cut is not verified", () => {
  const cut = chat(1, {}, { failure: { kind: "reset", message: "reset" } });
  expect(checked(false, cut).verdicts.get("chat.response.id")?.verdict).toBe("INCONCLUSIVE");
  const left = chat(1, {}, { failure: { kind: "client", message: "left" } });
  const { verdicts, counts } = checked(false, left);
  expect(verdicts.get("chat.response.id")?.verdict).toBe("NOT-APPLICABLE");
  expect(counts?.clientLeft).toBe(1);
});

test("a response whose coding cannot be read was not cut: nothing is held against the target", () => {
  const { request, answer, ...rest } = chat(1, {});
  const failure = { kind: "coding" as const, message: "Assay cannot read the coding zstd" };
  const unread = { ...rest, request, ...(answer && { answer: { ...answer, body: "" } }), failure };
  expect(checked(false, unread).verdicts.get("chat.response.id")).toMatchObject({
    verdict: "INCONCLUSIVE",
    reason: expect.stringMatching(/^the response was not read: Assay cannot read the coding zstd/),
  });
  const body = JSON.stringify({ ...JSON.parse(request.body ?? ""), stream: true });
  const { verdicts } = checked(false, { ...unread, request: { ...request, body } });
  expect(verdicts.get("chat.stream.ends")?.verdict).toBe("NOT-APPLICABLE");
});

test("keys and cookies are not written, wherever they stand", () => {
  const { written, said, verdicts } = checked(false, chat(1, { id: 7, model: `for ${KEY}`, object: KEY }));
  const text = JSON.stringify([written, said.map(({ verdict }) => verdict), [...verdicts]]);
  expect(text).not.toMatch(/canary-(key|cookie|set)/);
  expect(text).toMatch(PROMPT);
});

const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello?" }] });
const URL_OF_CHAT = "http://service.example/v1/chat/completions";

/** A completion whose request has other headers, or another query. */
function chatWith(
  id: number,
  changes: object,
  { headers = {}, query = "" }: { headers?: Record<string, string>; query?: string },
): Exchange {
  const { request, ...exchange } = chat(id, changes);
  return { ...exchange, request: { ...request, url: URL_OF_CHAT + query, headers, body: BODY } };
}

/** All that is written and said. */
const textOf = ({ written, said, verdicts }: ReturnType<typeof checked>): string =>
  JSON.stringify([written, said.map(({ exchange, verdict }) => [exchange, verdict]), [...verdicts]]);

test.each(["x-goog-api-key", "ocp-apim-subscription-key", "x-auth-token", "x-api-key", "x-amz-signature", "apikey"])(
  "the value of the header %s is not written, wherever it is repeated",
  (name) => {
    for (const value of ["canary-key-of-a-user", "short"]) {
      const repeated = value === "short" ? "c" : `for ${value}`;
      const run = checked(false, chatWith(1, { id: 7, model: repeated }, { headers: { [name]: value } }));
      expect(textOf(run)).not.toMatch(/canary|short/);
      expect(run.written[0]?.request.headers).toEqual({ [name]: "<redacted>" });
    }
  },
);

test.each(["key", "api_key", "api%5Fkey", "token", "access_token", "sig", "X-Amz-Signature"])(
  "the value of the query parameter %s is not written, as it was sent nor as it was meant",
  (name) => {
    const value = "canary%2Fkey+of%20a=user";
    const plain = "canary/key of a=user";
    const encodings = [value, plain, "canary/key+of a=user", Buffer.from(plain).toString("base64")];
    const query = `?model=m&${name}=${value}&api-version=1`;
    const run = checked(false, chatWith(1, { id: 7, model: encodings }, { query }));
    expect(textOf(run)).not.toMatch(/canary|Y2FuYXJ5/);
    expect(run.written[0]?.request.url).toBe(`${URL_OF_CHAT}?model=m&${name}=<redacted>&api-version=1`);
    expect(textOf(checked(false, chatWith(1, { id: 7 }, { query: `?${name}=short` })))).not.toMatch("short");
  },
);

describe("a key in an address", () => {
  const SECRET = "sk-canary-in-an-address";
  const nested = encodeURIComponent(`https://a.example/x?model=m&api_key=${SECRET}`);
  const addresses = [
    `https://a.example/x?api_key=${SECRET}`,
    `https://a.example/x;api_key=${SECRET}?model=m`,
    `https://a.example/x#access_token=${SECRET}`,
    `https://a.example/x?code=${SECRET}&state=1`,
    `https://a.example/x?next=${nested}`,
    `https://a.example/x?next=${encodeURIComponent(`/y?z=${nested}`)}`,
    `https://a.example/x?next=https://b.example/?key=${SECRET}`,
    `https://user:${SECRET}@a.example/`,
  ];
  const names = ["referer", "x-original-url", "x-forwarded-uri", "origin", "link", "x-unknown"];

  test.each(names.flatMap((name) => addresses.map((address) => [name, address])))("%s: %s", (name, address) => {
    const value = name === "link" ? `<${address}>; rel=next` : address;
    for (const redactBodies of [false, true]) {
      const sent = chatWith(1, { id: 7, model: [SECRET] }, { headers: { [name]: value } });
      expect(textOf(checked(redactBodies, sent))).not.toMatch("canary");
      const { answer, ...request } = chatWith(1, { id: 7 }, {});
      const headers = { "content-type": "application/json", [name]: value };
      const received = { ...request, ...(answer && { answer: { ...answer, headers } }) };
      expect(textOf(checked(redactBodies, received))).not.toMatch("canary");
    }
  });

  test.each(addresses.slice(1, -1))("that of the request: %s", (address) => {
    const query = address.slice("https://a.example/x".length);
    const run = checked(false, chatWith(1, { id: 7, model: [SECRET] }, { query }));
    expect(textOf(run)).not.toMatch("canary");
  });

  test("an assertion of a client is one", () => {
    const headers = { "x-client-assertion": "canary-assertion" };
    const run = checked(false, chatWith(1, { model: ["canary-assertion"] }, { headers }));
    expect(textOf(run)).not.toMatch("canary");
  });

  test("without bodies, no value of an address in a header is written", () => {
    const headers = { referer: "https://a.example/x?q=canary-text;v=canary-too#canary-place" };
    expect(textOf(checked(true, chatWith(1, {}, { headers })))).not.toMatch("canary");
  });

  test("what separates the parts of other headers begins no secret", () => {
    const headers = { accept: "text/html;q=0.9, */*", "content-type": "application/json; charset=utf-8" };
    for (const redactBodies of [false, true]) {
      expect(checked(redactBodies, chatWith(1, {}, { headers })).written[0]?.request.headers).toEqual(headers);
    }
  });

  test("a key that one client sent in a header is not written where another has it in an address", () => {
    const run = checked(
      false,
      chatWith(1, {}, { headers: { authorization: `Bearer ${SECRET}` } }),
      chatWith(2, {}, { query: `/${SECRET}/x?plain=${SECRET}`, headers: { referer: `https://a/${SECRET}` } }),
    );
    expect(textOf(run)).not.toMatch("canary");
  });
});

test("each of several keys that were sent under one name is not written", () => {
  const headers = {
    authorization: "Bearer sk-canary-first, Basic dXNlcjpjYW5hcnktc2Vjb25k",
    "x-api-key": "canary-third, Token canary-fourth",
  };
  const model = ["sk-canary-first", "canary-second", "canary-third", "canary-fourth"];
  expect(textOf(checked(false, chatWith(1, { id: 7, model }, { headers })))).not.toMatch("canary");
});

test("the parameters of a signed request are not written where they are secret", () => {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=canary-id/20260101, SignedHeaders=host;x-date, Signature=canary-signature";
  const run = checked(
    false,
    chatWith(1, { model: ["canary-signature", "host;x-date"] }, { headers: { authorization } }),
  );
  expect(textOf(run)).not.toMatch("canary");
  expect(textOf(run)).toMatch("host;x-date");
});

test("a key is not written where the target repeats it to another client, nor a cookie that it sets", () => {
  const first = chat(1, { id: 7 });
  const other = chatWith(
    2,
    { id: 7, model: [KEY, "canary-cookie", "canary-set"] },
    { headers: { authorization: "Bearer another-key" } },
  );
  const run = checked(false, first, other);
  expect(textOf(run)).not.toMatch(/canary-(key|cookie|set)/);
});

test("the secrets that were sent last are remembered, however many there are", () => {
  const sent = (id: number, changes: object) =>
    chatWith(id, changes, { headers: { "x-api-key": `canary-key-${id}-of-many` } });
  const many = Array.from({ length: 600 }, (_, id) => sent(id, {}));
  const last = [400, 500, 599].map((id) => `canary-key-${id}-of-many`);
  expect(textOf(checked(false, ...many, sent(0, { model: last })))).not.toMatch("canary");
});

test("names that only look like those of secrets are written with their values", () => {
  const headers = { "idempotency-key": "a-key-of-one-request", "x-author": "somebody", "x-request-id": "0123-4567" };
  const query = "?max_tokens=5&keyword=something&author=somebody";
  const { written } = checked(false, chatWith(1, {}, { headers, query }));
  expect(written[0]?.request).toMatchObject({ headers, url: URL_OF_CHAT + query });
  expect(written[0]?.redacted).toBeUndefined();
});

test("a recorded query without its key leads to the same verdicts again", () => {
  const { written } = checked(false, chatWith(1, { id: 7 }, { query: `?key=${KEY}` }));
  expect(trafficOnRedacted(clauses, written).size).toBe(0);
});

test("without bodies, no value of a query is written, nor repeated by a header", () => {
  const { answer, ...exchange } = chatWith(1, { id: 7 }, { query: "?q=canary-of-a-query&canary-alone&empty=" });
  const headers = { "content-type": "application/json", location: "/elsewhere?q=canary-of-a-query&canary-alone" };
  const run = checked(true, { ...exchange, ...(answer && { answer: { ...answer, headers } }) });
  expect(textOf(run)).not.toMatch("canary");
  expect(run.written[0]?.request.url).toBe(`${URL_OF_CHAT}?q=<redacted>&<redacted>&empty=`);
});

test("the bound of what is recorded is one of the bytes of its file", () => {
  const { request, ...exchange } = chat(1, {});
  const heavy = { ...exchange, request: { ...request, body: "\u0000".repeat(5_000) } };
  const light = { ...exchange, request: { ...request, body: "-".repeat(5_000) } };
  const recorded = (one: Exchange) =>
    checkedWith({ redactBodies: false, mostRecorded: 25_000 }, one, one).written.length;
  expect(recorded(light)).toBe(2);
  expect(recorded(heavy)).toBe(0);
});

test("a key that was cut off with the response is not written, nor quoted in a reason", () => {
  const { answer, ...whole } = chat(1, {}, { failure: { kind: "reset", message: "reset" } });
  const cut = {
    ...whole,
    request: {
      ...whole.request,
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: PROMPT }], stream: true }),
    },
  };
  const headers = { "content-type": "text/event-stream" };
  for (const begun of ['data: {"id":"', '{"error":{"message":"']) {
    for (let length = 4; length < KEY.length; length += 1) {
      const body = begun + KEY.slice(0, length);
      const { written, verdicts } = checked(false, { ...cut, ...(answer && { answer: { ...answer, headers, body } }) });
      expect(JSON.stringify([written, [...verdicts]])).not.toContain(KEY.slice(0, 4));
    }
  }
});

test("without bodies, neither exchanges nor verdicts hold any text of them", () => {
  const { written, said, verdicts } = checked(
    true,
    chat(1, { id: "canary-id", object: "canary-object", model: ["canary"], usage: 'canary\\" one' }),
    chat(2, {
      choices: [{ index: "canary", message: { role: "canary", content: "Hi" }, finish_reason: "canary-end" }],
    }),
  );
  expect(JSON.stringify([written, said.map(({ verdict }) => verdict), [...verdicts]])).not.toMatch(/canary/);
  const failed = [...verdicts].filter(([, { verdict }]) => verdict === "FAIL").map(([id]) => id);
  expect(failed).toContain("chat.response.usage");
  expect(failed).toContain("chat.response.choices.index");
});

test("recorded traffic leads to the same verdicts again, unless bodies were taken out of it", () => {
  const { written, verdicts } = checked(false, chat(1, { id: 7 }), chat(2, { id: "c" }));
  const again = trafficVerdicts(clauses, written);
  for (const [id, { verdict }] of verdicts) expect([id, again.get(id)?.verdict]).toEqual([id, verdict]);
  expect(trafficOnRedacted(clauses, written).size).toBe(0);
  const { written: redacted } = checked(true, chat(1, { id: 7 }));
  expect(trafficOnRedacted(clauses, redacted).size).toBe(clauses.length);
});
