/** Whatever JSON a target sends, every judge comes to a verdict about the target: none is an error of Assay's own. */

import { createServer, type RequestListener } from "node:http";
import fc from "fast-check";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { Exchange } from "../formats/exchanges.ts";
import { parseJson } from "../lib/json.ts";
import { FAILING_PROMPT, startMock } from "../mock-server/index.ts";
import { hostileJson, replaced } from "../tests/support/contract/hostile-json.ts";
import { type ClauseVerdicts, judgeTarget, KEY } from "../tests/support/targets/judge-target.ts";
import { closed, listenOnLoopback } from "../tests/support/targets/loopback-server.ts";
import { InvariantChecker } from "./engine/invariants.ts";
import { loadClauses } from "./engine/load-clauses.ts";
import { evaluateRecorded } from "./engine/recorded-run.ts";
import { silentSink } from "./engine/run-files.ts";

const clauses = await loadClauses();
const context = { keyGiven: true, failingPrompt: true };
const recorded: Exchange[] = [];

beforeAll(async () => {
  const mock = await startMock({ timing: "instant", workMs: 50, apiKeys: [KEY] });
  const env = { ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_PROFILE: "openai" };
  const sink = { ...silentSink, exchange: (exchange: Exchange) => void recorded.push(exchange) };
  await judgeTarget(mock.url, env, sink);
  await mock.stop();
});

const harnessErrors = (verdicts: ClauseVerdicts): string[] =>
  [...verdicts].flatMap(([id, { verdict, reason }]) => (verdict === "HARNESS-ERROR" ? [`${id}: ${reason}`] : []));

function expectVerdicts(verdicts: ClauseVerdicts): void {
  expect(harnessErrors(verdicts)).toEqual([]);
  expect(Math.max(...[...verdicts.values()].map(({ reason }) => reason.length))).toBeLessThan(5_000);
}

/** A change of one response: which exchange, which value in it, and what stands there instead; perhaps another status. */
const change = fc.record({
  exchange: fc.nat(),
  value: fc.nat(),
  by: hostileJson,
  status: fc.option(fc.constantFrom(200, 202, 400, 401, 404, 500, 503), { freq: 8 }),
});

/** A body with one of its values replaced: of a document, or of the event of a stream. */
function changedBody(body: string, value: number, by: string): string {
  const document = parseJson(body);
  if (document !== undefined) return replaced(document, value, by);
  const events = body.split("\n\n");
  const at = value % events.length;
  const event = parseJson((events[at] ?? "").replace(/^data: ?/, ""));
  return events.with(at, `data: ${event === undefined ? by : replaced(event, value, by)}`).join("\n\n");
}

test("no judge fails on a hostile value, wherever in a response it stands", async () => {
  expect(recorded.length).toBeGreaterThan(80);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 24 }), async (changes) => {
      const exchanges = [...recorded];
      for (const { exchange, value, by, status } of changes) {
        const at = exchange % exchanges.length;
        const before = exchanges[at];
        if (before?.answer === undefined) continue;
        const body = changedBody(before.answer.body, value, by);
        exchanges[at] = { ...before, answer: { ...before.answer, body, status: status ?? before.answer.status } };
      }
      expectVerdicts(await evaluateRecorded(clauses, exchanges, context));
      const checker = new InvariantChecker(clauses, context);
      for (const exchange of exchanges) checker.add(exchange);
      expectVerdicts(checker.verdicts());
    }),
    // Every run evaluates all clauses over all exchanges: many changes in few runs cost less than few in many.
    { seed: 1, numRuns: Number(process.env["ASSAY_FUZZ_RUNS"] ?? 30) },
  );
});

/** Bodies that a target of the specification sends, by the end of the path. */
const TASK = { id: "t", status: "processing", model: "m", created_at: "2030-01-01T00:00:00Z", progress: 1 };
const BODIES: readonly (readonly [RegExp, number, unknown])[] = [
  [
    /chat\/completions$/,
    200,
    {
      id: "a",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
    },
  ],
  [/embeddings$/, 200, { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [1] }] }],
  [/cancel$/, 200, { id: "t", status: "cancelled" }],
  [/generations$/, 202, TASK],
  [/generations\/[^/]*$/, 200, { ...TASK, status: "completed", video_url: "https://a/b", usage: { total_cost: 1 } }],
];

test("no run fails on hostile responses", async () => {
  let values: readonly { readonly value: number; readonly by: string }[] = [];
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    const [, status = 404, body = {}] = BODIES.find(([path]) => path.test(request.url ?? "")) ?? [];
    const { value, by } = values[requests % values.length] ?? { value: 0, by: "{}" };
    requests += 1;
    request.resume().on("end", () => {
      response.writeHead(status, { "content-type": "application/json" }).end(replaced(body, value, by));
    });
  };
  const server = createServer(listener);
  const url = await listenOnLoopback(server);
  onTestFinished(() => closed(server));
  const replacement = fc.record({ value: fc.nat(), by: hostileJson });
  await fc.assert(
    fc.asyncProperty(fc.array(replacement, { minLength: 1, maxLength: 5 }), async (replacements) => {
      values = replacements;
      const env = { ASSAY_FAILING_PROMPT: "a", ASSAY_PROFILE: "openai", ASSAY_DEADLINE: "2s" };
      expectVerdicts(await judgeTarget(url, env));
    }),
    { seed: 1, numRuns: 8 },
  );
});
