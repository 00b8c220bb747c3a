import { describe, expect, test } from "vitest";
import { type ConversationCalls, runConversation, type TurnReply, type TurnRequest } from "./run-conversation.ts";

const NO_LIMIT = 1e9;

/** A conversation whose turns are made, with what was sent. */
function play(
  replies: (request: TurnRequest) => TurnReply,
  {
    turns = 3,
    contextLimit = NO_LIMIT,
    ...calls
  }: Partial<ConversationCalls> & { turns?: number; contextLimit?: number } = {},
): TurnRequest[] {
  const sent: TurnRequest[] = [];
  runConversation(
    {
      say: (turn) => ({ messages: `{"role":"user","content":"q${turn}"}`, tokens: 10, maxTokens: 7 }),
      think: () => true,
      ...calls,
      send: (request) => {
        sent.push(request);
        return replies(request);
      },
    },
    turns,
    contextLimit,
  );
  return sent;
}

const ok = (request: TurnRequest): TurnReply => ({
  outcome: "ok",
  text: `a"${request.turn}`,
  input_tokens: 12 * request.turn,
  output_tokens: 5,
});

describe("a conversation", () => {
  test("carries each response back as the message of the assistant", () => {
    const sent = play(ok);
    expect(sent.map(({ turn, turns, maxTokens }) => [turn, turns, maxTokens])).toEqual([
      [1, 3, 7],
      [2, 3, 7],
      [3, 3, 7],
    ]);
    expect(JSON.parse(sent[2]?.conversation ?? "")).toEqual([
      { role: "user", content: "q1" },
      { role: "assistant", content: 'a"1' },
      { role: "user", content: "q2" },
      { role: "assistant", content: 'a"2' },
      { role: "user", content: "q3" },
    ]);
  });

  test("states the tokens that its messages were made to have, with those of the responses", () => {
    expect(play(ok).map(({ inputTokens }) => inputTokens)).toEqual([10, 25, 40]);
    const unmade = play(ok, { say: () => ({ messages: "{}", maxTokens: 7 }) });
    expect(unmade.map((request) => "inputTokens" in request)).toEqual([false, false, false]);
    const uncounted = play(({ turn }) => ({ outcome: "ok", text: `a${turn}` }));
    expect(uncounted.map(({ inputTokens }) => inputTokens)).toEqual([10, undefined, undefined]);
  });

  test.each([
    ["a turn that fails", { outcome: "http_error", text: "a" }],
    ["a response without text", { outcome: "ok" }],
  ])("ends with %s", (_, reply) => {
    expect(play((request) => (request.turn === 2 ? reply : ok(request)))).toHaveLength(2);
  });

  test("ends when the run stops while its user thinks", () => {
    const thought: number[] = [];
    const sent = play(ok, { think: (turn) => thought.push(turn) < 2 });
    expect([sent.length, thought]).toEqual([2, [2, 3]]);
  });

  test("sends no request that would have more tokens than the limit, by what the target counted", () => {
    const tokens = JSON.stringify({ role: "user", content: "q2" }).length / 4;
    expect(play(ok, { contextLimit: 17 + 7 + tokens })).toHaveLength(2);
    expect(play(ok, { contextLimit: 17 + 7 + tokens - 1 })).toHaveLength(1);
    expect(play(ok, { contextLimit: 1 })).toHaveLength(1);
  });

  test("is bounded where the target counts nothing", () => {
    const sent = play(() => ({ outcome: "ok", text: "x".repeat(4_000) }), { turns: 100, contextLimit: 5_000 });
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.length).toBeLessThan(6);
  });
});
