import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PATHS } from "../../../contract/service.ts";
import { KEY_HEADER, mockFor, type Sent, send } from "../../../tests/support/targets/mock-client.ts";

const stream = (fields: object = {}): Sent => ({
  path: PATHS.chat,
  body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }], ...fields },
});

const chunk = z.looseObject({
  choices: z.array(
    z.looseObject({ delta: z.looseObject({ content: z.string().optional() }), finish_reason: z.string().nullable() }),
  ),
  usage: z.looseObject({ completion_tokens: z.int() }).optional(),
});

const eventsOf = (text: string): string[] => {
  expect(text.endsWith("\n\n")).toBe(true);
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((event) => event.slice("data: ".length));
};
const chunksOf = (text: string) =>
  eventsOf(text)
    .slice(0, -1)
    .map((event) => chunk.parse(JSON.parse(event)));

describe("a streamed completion", () => {
  it("is role, content, finish and [DONE], in this order", async () => {
    const got = await send(await mockFor({ outputTokens: 3 }), stream());
    expect([got.status, got.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(eventsOf(got.text).at(-1)).toBe("[DONE]");
    const chunks = chunksOf(got.text);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, null, "stop"]);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.slice(1, 4).every(({ choices }) => (choices[0]?.delta.content ?? "") !== "")).toBe(true);
    expect(chunks.every(({ usage }) => usage === undefined)).toBe(true);
  });

  it("ends with its usage when requested", async () => {
    const got = await send(await mockFor({ outputTokens: 3 }), stream({ stream_options: { include_usage: true } }));
    const last = chunksOf(got.text).at(-1);
    expect([last?.choices, last?.usage?.completion_tokens]).toEqual([[], 3]);
  });

  it.each([
    ["reasoning", { reasoning: 2, content: 6 }],
    ["hidden-reasoning", { reasoning: 0, content: 6 }],
  ])("of %s begins with reasoning, which its usage counts", async (behaviour, { reasoning, content }) => {
    const asked = stream({ stream_options: { include_usage: true } });
    const got = await send(await mockFor({ outputTokens: 8, behaviour }), asked);
    const deltas = chunksOf(got.text).map(({ choices }) => choices[0]?.delta ?? {});
    expect(deltas.filter((delta) => "reasoning_content" in delta)).toHaveLength(reasoning);
    expect(deltas.filter((delta) => delta.content)).toHaveLength(content);
    expect(chunksOf(got.text).at(-1)?.usage).toMatchObject({
      completion_tokens: 8,
      completion_tokens_details: { reasoning_tokens: 2 },
    });
    const { body } = asked;
    const whole = (
      await send(await mockFor({ outputTokens: 8, behaviour }), { ...asked, body: { ...Object(body), stream: false } })
    ).json;
    expect(whole).toMatchObject({
      usage: { completion_tokens: 8, completion_tokens_details: { reasoning_tokens: 2 } },
    });
  });

  it("of one event has the same text as one of many", async () => {
    const texts = ["strict", "one-event"].map(async (behaviour) => {
      const sent = { ...stream(), headers: { ...KEY_HEADER, "x-request-id": "r-3" } };
      const { text } = await send(await mockFor({ outputTokens: 8, behaviour }), sent);
      return chunksOf(text).flatMap(({ choices }) => choices[0]?.delta.content || []);
    });
    const [many = [], one = []] = await Promise.all(texts);
    expect(many).toHaveLength(8);
    expect(one).toEqual([many.join("")]);
  });

  it("is refused for its stream_options by a mock that knows none", async () => {
    const mock = await mockFor({ behaviour: "no-stream-options" });
    const got = await send(mock, stream({ stream_options: { include_usage: true } }));
    expect([got.status, (await send(mock, stream())).status]).toEqual([400, 200]);
    expect(got.text).toContain("stream_options");
  });

  it("is cut by max_tokens, with its finish_reason", async () => {
    const got = await send(await mockFor({ outputTokens: 9 }), stream({ max_tokens: 2 }));
    expect(chunksOf(got.text).at(-1)?.choices[0]?.finish_reason).toBe("length");
    expect(chunksOf(got.text)).toHaveLength(4);
  });

  it("is the same text for the same request id", async () => {
    const mock = await mockFor();
    const sent = { ...stream(), headers: { ...KEY_HEADER, "x-request-id": "r-1" } };
    const text = async () =>
      chunksOf((await send(mock, sent)).text)
        .map(({ choices }) => choices[0]?.delta.content)
        .join("");
    expect(await text()).toBe(await text());
  });

  it("is refused like any other request", async () => {
    expect((await send(await mockFor(), stream({ temperature: 2.1 }))).status).toBe(400);
  });
});

describe("the ground truth of a stream", () => {
  it("has a planned and an actual time for each chunk, on an absolute schedule, and no write is early", async () => {
    const mock = await mockFor({ ttftMs: 20, itlMs: 4, outputTokens: 12 });
    const sent = { ...stream(), headers: { ...KEY_HEADER, "x-request-id": "r-2" } };
    const contents = chunksOf((await send(mock, sent)).text).filter(({ choices }) => choices[0]?.delta.content);
    const [row] = mock.groundTruth();
    expect(row).toMatchObject({ id: "r-2", route: "chat.stream", status: 200, tokens: 12, clientLeft: false });
    expect(row?.planned_ms).toEqual(Array.from({ length: 12 }, (_, i) => 20 + 4 * i));
    expect(row?.actual_ms).toHaveLength(contents.length);
    expect(row?.actual_ms.every((at, i) => at >= (row.planned_ms[i] ?? 0))).toBe(true);
    expect(row?.lateP99Ms).toBeGreaterThanOrEqual(0);
  });

  it("is random when the timing is a distribution, and the same for the same request id", async () => {
    const mock = await mockFor({ ttftMs: "lognormal:5ms,0.5", itlMs: "gamma:1ms,2", outputTokens: 6 });
    for (const id of ["a", "b", "a"]) await send(mock, { ...stream(), headers: { ...KEY_HEADER, "x-request-id": id } });
    const [a, b, again] = mock.groundTruth().map((row) => row.planned_ms);
    expect(again).toEqual(a);
    expect(b).not.toEqual(a);
  });

  it("frees the stream when the client leaves, and records that", async () => {
    const mock = await mockFor({ ttftMs: 0, itlMs: 50, outputTokens: 10_000 });
    const leave = new AbortController();
    const { body } = stream();
    const answer = await fetch(mock.url + PATHS.chat, {
      method: "POST",
      headers: KEY_HEADER,
      body: JSON.stringify(body),
      signal: leave.signal,
    });
    await answer.body?.getReader().read();
    expect(mock.state().openStreams).toBe(1);
    leave.abort();
    await expect.poll(() => mock.state().streams).toEqual({ started: 1, completed: 0, left: 1 });
    const [row] = mock.groundTruth();
    expect(row?.clientLeft).toBe(true);
    expect(row?.actual_ms.length).toBeLessThan(row?.planned_ms.length ?? 0);
  });
});
