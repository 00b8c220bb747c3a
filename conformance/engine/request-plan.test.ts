import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { startMock } from "../../mock-server/index.ts";
import { judgeTarget, KEY } from "../../tests/support/targets/judge-target.ts";
import { select } from "./clause-selection.ts";
import { loadClauses } from "./load-clauses.ts";
import { plan } from "./request-plan.ts";
import { silentSink } from "./run-files.ts";

const clauses = await loadClauses();
const planned = (options: Parameters<typeof select>[1], maxVideoJobs = 8) =>
  plan(select(clauses, options), { maxVideoJobs, failingPrompt: "reject this" });

test("without video, no job is planned", () => {
  expect(planned({}).videoJobs).toEqual({ best: 0, worst: 0 });
});

test("a clause's needs are counted with it", () => {
  expect(planned({ only: "chat.temperature.above" })).toMatchObject({
    clauses: 1,
    chatRequests: 8,
    embeddingRequests: 0,
  });
});

test("a correct target costs eight jobs; the worst case is capped by the budget", () => {
  expect(planned({ video: true }).videoJobs).toEqual({ best: 8, worst: 8 });
  expect(planned({ video: true }, 100).videoJobs.worst).toBeGreaterThan(30);
});

test("what may be refused, what carries no valid key, and the tokens that the target may write are counted", () => {
  expect(planned({ only: "chat.temperature.above" })).toMatchObject({
    invalidRequests: { best: 6 },
    keyRequests: 0,
  });
  const { keyRequests, outputTokens, unlimitedRequests } = planned({ profile: "openai" });
  expect(keyRequests).toBeLessThanOrEqual(12);
  expect(outputTokens).toBeGreaterThan(0);
  expect(unlimitedRequests).toBeLessThan(5);
});

test("the valid requests between invalid ones are counted: one after three at least, one after each and its repeats at most", () => {
  const { requests, checks, invalidRequests, keyRequests, outputTokens, inputTokens } = planned({
    only: "chat.temperature.above",
  });
  const sent = 8;
  expect({ invalidRequests, keyRequests }).toEqual({ invalidRequests: { best: 6, worst: 6 }, keyRequests: 0 });
  expect(checks).toEqual({ best: 2, worst: 6 });
  expect(inputTokens.worst).toBeGreaterThan(inputTokens.best);
  expect(requests.best).toBe(sent + 2);
  expect(requests.worst).toBeGreaterThanOrEqual(sent + 6);
  expect(outputTokens).toBeGreaterThanOrEqual((sent + 6) * 16);
});

test.each([[], ["chat-invalid-500", "embeddings-invalid-500"]])(
  "no more is sent than planned, with %j",
  async (...faults) => {
    const sent: Exchange[] = [];
    const sink = { ...silentSink, exchange: (one: Exchange) => void sent.push(one) };
    const mock = await startMock({ timing: "instant", apiKeys: [KEY], faults: faults.flat() });
    await judgeTarget(mock.url, { ASSAY_VIDEO: "false", ASSAY_PROFILE: "openai" }, sink).finally(() => mock.stop());
    const { requests, checks, invalidRequests, keyRequests, inputTokens } = planned({ profile: "openai" });
    const count = (fits: (one: Exchange) => boolean): number => sent.filter(fits).length;
    const isRefused = ({ answer }: Exchange): boolean => (answer?.status ?? 0) >= 400;
    const isKeyed = ({ request }: Exchange): boolean => request.headers["authorization"] !== undefined;
    expect(sent.length).toBeLessThanOrEqual(requests.worst);
    expect(sent.length).toBeGreaterThan(requests.best - checks.best);
    expect(count((one) => isRefused(one) && isKeyed(one))).toBeLessThanOrEqual(invalidRequests.worst + keyRequests);
    expect(count((one) => !isKeyed(one))).toBeLessThanOrEqual(keyRequests);
    const characters = sent.reduce((total, { request }) => total + (request.body?.length ?? 0), 0);
    expect(characters / CHARACTERS_PER_TOKEN).toBeLessThanOrEqual(inputTokens.worst);
  },
);
