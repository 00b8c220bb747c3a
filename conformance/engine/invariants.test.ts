import { beforeAll, describe, expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { startMock } from "../../mock-server/index.ts";
import { unspoiled } from "../../tests/support/commands/busy-machine.ts";
import { judgeTarget, KEY } from "../../tests/support/targets/judge-target.ts";
import type { Clause } from "../model/clause.ts";
import { InvariantChecker, isInvariant } from "./invariants.ts";
import { loadClauses } from "./load-clauses.ts";
import { silentSink } from "./run-files.ts";

const CONTEXT = { keyGiven: true, failingPrompt: false };
const TARGET = "http://service.example";
const TASK = `${TARGET}/v1/videos/generations/task-1`;

let clauses: readonly Clause[];
beforeAll(async () => {
  clauses = (await loadClauses()).filter(({ profile }) => profile === undefined);
});

interface Given {
  readonly method?: string;
  readonly url?: string;
  readonly request?: object;
  readonly status?: number;
  readonly body?: object | string;
  /** Milliseconds from the first moment of the traffic, and how long the exchange took. */
  readonly at?: number;
  readonly took?: number;
  readonly failure?: Exchange["failure"];
}

let numbered = 0;
function exchange({
  method = "POST",
  url = "",
  request,
  status = 200,
  body = {},
  at,
  took = 1,
  failure,
}: Given): Exchange {
  numbered += 1;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    id: numbered,
    probe: "traffic",
    request: {
      method,
      url: url.startsWith("http") ? url : TARGET + url,
      headers: { authorization: "<redacted>" },
      ...(request && { body: JSON.stringify(request) }),
    },
    answer: {
      status,
      headers: { "content-type": "application/json" },
      body: text,
      truncated: false,
      chunks: [{ atMs: took, bytes: text.length }],
      headersMs: took,
      endMs: took,
    },
    ...(failure && { failure }),
    startedAt: new Date(Date.UTC(2026, 0, 1) + (at ?? numbered * 100)).toISOString().replace("Z", "000Z"),
  };
}

const messages = [{ role: "user", content: "Hello" }];
const completion = (changes: object = {}): object => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...changes,
});
const chat = (body: object | string, more: Given = {}): Exchange =>
  exchange({ url: "/v1/chat/completions", request: { model: "m", messages }, body, ...more });

const submit = (more: Given = {}): Exchange =>
  exchange({
    url: "/v1/videos/generations",
    request: { model: "m", prompt: "p" },
    status: 202,
    body: { id: "task-1", model: "m", status: "processing", created_at: new Date(Date.UTC(2026, 0, 1)).toISOString() },
    ...more,
  });
const poll = (state: string, more: Given = {}): Exchange =>
  exchange({ method: "GET", url: TASK, body: { id: "task-1", status: state, ...EXTRA[state] }, ...more });
const EXTRA: Readonly<Record<string, object>> = {
  processing: { progress: 10 },
  completed: { video_url: "https://v.example/1.mp4", usage: { total_cost: 1 } },
};
const cancel = (status: number, more: Given = {}): Exchange =>
  exchange({ url: `${TASK}/cancel`, status, body: { id: "task-1", status: "cancelled" }, ...more });

/** What is found when these exchanges end in this order. */
function checked(...exchanges: readonly Exchange[]) {
  const checker = new InvariantChecker(clauses, CONTEXT);
  const violated = exchanges.map((one) => checker.add(one).map(({ clause }) => clause.id));
  const verdicts = checker.verdicts();
  return {
    /** Ids of the clauses that each exchange violated first. */
    violated,
    verdict: (id: string) => verdicts.get(id)?.verdict,
    reason: (id: string) => verdicts.get(id)?.reason ?? "",
    evidence: (id: string) => verdicts.get(id)?.evidence,
    bad: [...verdicts].filter(([, { verdict }]) => verdict === "FAIL" || verdict === "WARN").map(([id]) => id),
  };
}

describe("exchanges alone", () => {
  test("one broken answer in fifty is a FAIL that names it, and how many of how many", () => {
    const bad = chat(completion({ usage: 7 }));
    const good = () => chat(completion());
    const { verdict, reason, evidence, violated } = checked(...Array.from({ length: 49 }, good), bad);
    expect(verdict("chat.response.usage")).toBe("FAIL");
    expect(reason("chat.response.usage")).toMatch(`(exchange ${bad.id}); 1 of 50 completions`);
    expect(evidence("chat.response.usage")).toEqual([bad.id]);
    expect(violated.at(-1)).toEqual(["chat.response.usage"]);
    expect(verdict("chat.response.id")).toBe("PASS");
  });

  test("what rests on a violated clause is not reported again for the same exchange, and is verified on others", () => {
    const { verdict, reason, bad } = checked(chat(completion({ usage: 7 })), chat(completion()));
    expect(bad).toEqual(["chat.response.usage"]);
    expect(verdict("chat.response.usage.total_tokens")).toBe("PASS");
    expect(reason("chat.response.usage.total_tokens")).toMatch("1 of 2 completions");
    expect(checked(chat(completion({ usage: 7 }))).verdict("chat.response.usage.total_tokens")).toBe("BLOCKED");
  });

  test.each<[string, Given]>([
    ["a refused request", { status: 400 }],
    ["a response of which the client did not wait for the end", { failure: { kind: "client", message: "left" } }],
    ["a request of another service", { url: "/v1/models" }],
  ])("%s is no evidence about completions", (_, more) => {
    expect(checked(chat({}, more)).verdict("chat.response.usage")).toBeUndefined();
  });

  test("a call of a tool is a completion, whose message needs no content", () => {
    const request = { model: "m", messages, tools: [{}] };
    const message = { role: "assistant", content: null, tool_calls: [{}] };
    const called = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const { verdict, bad } = checked(chat(completion(called), { request }));
    expect(bad).toEqual([]);
    expect(verdict("chat.response.usage")).toBe("PASS");
    expect(verdict("chat.response.choices.message.content")).toBeUndefined();
    expect(checked(chat(completion({ usage: 7 }), { request })).bad).toEqual(["chat.response.usage"]);
  });

  test("a response that was cut proves nothing", () => {
    const { verdict } = checked(chat(completion(), { failure: { kind: "reset", message: "cut" } }));
    expect(verdict("chat.response.usage")).toBe("INCONCLUSIVE");
  });

  test("a batch of embeddings has as many items as its request has texts", () => {
    const item = (index: number) => ({ object: "embedding", index, embedding: [0.5, 0.5] });
    const batch = (...data: readonly object[]) =>
      exchange({
        url: "/v1/embeddings",
        request: { model: "m", input: ["a", "b"] },
        body: { object: "list", model: "m", data, usage: { prompt_tokens: 2, total_tokens: 2 } },
      });
    expect(checked(batch(item(0), item(1))).bad).toEqual([]);
    expect(checked(batch(item(0))).bad).toEqual(["embeddings.response.data.count-many"]);
  });
});

describe("video tasks", () => {
  test("a completed task that is processing again violates the states, in the exchange that shows it", () => {
    const history = [submit(), poll("processing"), poll("completed"), poll("processing")];
    const { bad, evidence } = checked(...history);
    expect(bad).toEqual(["video.poll.completed.stays"]);
    expect(evidence("video.poll.completed.stays")).toEqual([history.at(-1)?.id]);
  });

  test("exchanges at the same time have no order", () => {
    const early = poll("processing", { at: 1_000_000, took: 500 });
    const { bad } = checked(
      submit(),
      cancel(200, { at: 1_000_100, took: 10 }),
      early,
      poll("cancelled", { at: 1_001_000 }),
    );
    expect(bad).toEqual([]);
    expect(checked(submit(), cancel(200), poll("processing")).bad).toEqual(["video.cancel.stays"]);
  });

  test("a task whose submission was not seen is followed from its first poll", () => {
    expect(checked(poll("completed"), poll("failed")).bad).toContain("video.poll.completed.stays");
  });

  test("two submissions with one id", () => {
    expect(checked(submit(), submit()).bad).toEqual(["video.submit.id.unique"]);
    expect(checked(submit()).verdict("video.submit.id.unique")).toBe("INCONCLUSIVE");
  });

  test("a server error in place of a poll of a known task", () => {
    const { bad } = checked(submit(), poll("processing"), exchange({ method: "GET", url: TASK, status: 500 }));
    expect(bad).toEqual(["video.poll.http-status"]);
  });

  test.each([401, 429, 502, 503, 504])("%d says nothing about a task", (status) => {
    const { bad } = checked(
      submit(),
      poll("processing"),
      exchange({ method: "GET", url: TASK, status }),
      cancel(status),
    );
    expect(bad).toEqual([]);
  });

  test("a refused cancel of a task that an earlier one may have cancelled", () => {
    const cutOff = (): Exchange => {
      const { answer: _, ...lost } = cancel(200);
      return { ...lost, failure: { kind: "deadline", message: "the run ended before the response did" } };
    };
    expect(checked(submit(), poll("processing"), cancel(409), poll("cancelled")).bad).toEqual(["video.cancel.works"]);
    expect(checked(submit(), poll("processing"), cutOff(), cancel(409), poll("cancelled")).bad).toEqual([]);
    expect(checked(submit(), cutOff(), cancel(409), poll("processing")).bad).toEqual(["video.cancel.works"]);
  });

  test("a task is followed over any number of polls", () => {
    const many = Array.from({ length: 500 }, () => poll("processing"));
    expect(checked(submit(), ...many, poll("completed"), poll("processing")).bad).toEqual([
      "video.poll.completed.stays",
    ]);
  });
});

describe("a run on the mock", () => {
  test("is without violations when the mock has no fault, also where it is lenient", async () => {
    for (const behaviour of ["strict", "lenient"]) {
      const check = async (attempt: number) => {
        const mock = await startMock({
          timing: "instant",
          workMs: attempt === 1 ? 500 : 5_000,
          apiKeys: [KEY],
          behaviour,
        });
        const checker = new InvariantChecker(clauses, CONTEXT);
        await judgeTarget(mock.url, {}, { ...silentSink, exchange: (one) => void checker.add(one) });
        await mock.stop();
        return checker.verdicts();
      };
      const verdicts = await unspoiled(check, (found) =>
        found.has("video.poll.processing.progress") ? undefined : "no poll found a task processing",
      );
      expect([...verdicts].filter(([, { verdict }]) => ["FAIL", "HARNESS-ERROR"].includes(verdict))).toEqual([]);
      // Without a prompt that content review rejects, no task fails.
      const unseen = clauses.filter((clause) => isInvariant(clause) && !verdicts.has(clause.id)).map(({ id }) => id);
      expect(unseen.filter((id) => !id.startsWith("video.poll.failed"))).toEqual([]);
    }
  });

  test("shows faults that only some responses have", async () => {
    const faults = [
      "chat-usage-missing@every:3",
      "embeddings-model-missing@every:3",
      "video-cancel-id-missing@every:3",
    ];
    const mock = await startMock({ timing: "instant", workMs: 100, apiKeys: [KEY], faults });
    const checker = new InvariantChecker(clauses, CONTEXT);
    await judgeTarget(mock.url, {}, { ...silentSink, exchange: (one) => void checker.add(one) });
    await mock.stop();
    const failed = [...checker.verdicts()].filter(([, { verdict }]) => verdict === "FAIL").map(([id]) => id);
    expect(failed).toEqual(
      expect.arrayContaining(["chat.response.usage", "embeddings.response.model", "video.cancel.response.id"]),
    );
  });
});
