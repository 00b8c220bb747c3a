import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import type { TrafficCounts } from "../../formats/verdicts.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { selectPassive } from "./clause-selection.ts";
import { loadClauses } from "./load-clauses.ts";
import { TrafficRun, type TrafficViolation, trafficOnRedacted, trafficVerdicts } from "./traffic-run.ts";

const KEY = "sk-canary-key-of-a-user";
const PROMPT = "a canary in the prompt";
const clauses = await loadClauses();

const COMPLETION = {
  id: "c",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

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

/** What is written and said of traffic. */
function checked(redactBodies: boolean, ...exchanges: readonly Exchange[]) {
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
    redactBodies,
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

test("what the traffic leaves open is not held against the target; a response that was cut is not verified", () => {
  const cut = chat(1, {}, { failure: { kind: "reset", message: "reset" } });
  expect(checked(false, cut).verdicts.get("chat.response.id")?.verdict).toBe("INCONCLUSIVE");
  const left = chat(1, {}, { failure: { kind: "client", message: "left" } });
  const { verdicts, counts } = checked(false, left);
  expect(verdicts.get("chat.response.id")?.verdict).toBe("NOT-APPLICABLE");
  expect(counts?.clientLeft).toBe(1);
});

test("keys and cookies are not written, wherever they stand", () => {
  const { written, said, verdicts } = checked(false, chat(1, { id: 7, model: `for ${KEY}`, object: KEY }));
  const text = JSON.stringify([written, said.map(({ verdict }) => verdict), [...verdicts]]);
  expect(text).not.toMatch(/canary-(key|cookie|set)/);
  expect(text).toMatch(PROMPT);
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
