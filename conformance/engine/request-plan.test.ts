import { expect, test } from "vitest";
import { select } from "./clause-selection.ts";
import { loadClauses } from "./load-clauses.ts";
import { plan } from "./request-plan.ts";

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
  expect(planned({ only: "chat.temperature.above" })).toMatchObject({ invalidRequests: 6, keyRequests: 0 });
  const { keyRequests, outputTokens, unlimitedRequests } = planned({ profile: "openai" });
  expect(keyRequests).toBeLessThanOrEqual(12);
  expect(outputTokens).toBeGreaterThan(0);
  expect(unlimitedRequests).toBeLessThan(5);
});

test("the valid requests between invalid ones are counted: one after three at least, one after each and its repeats at most", () => {
  const { requests, invalidRequests, keyRequests, outputTokens } = planned({ only: "chat.temperature.above" });
  const sent = 8;
  expect({ invalidRequests, keyRequests }).toEqual({ invalidRequests: 6, keyRequests: 0 });
  expect(requests.best).toBe(sent + 2);
  expect(requests.worst).toBeGreaterThanOrEqual(sent + 6);
  expect(outputTokens).toBeGreaterThanOrEqual((sent + 6) * 16);
});
