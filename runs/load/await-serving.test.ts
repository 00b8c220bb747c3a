/** The wait between two runs: it ends when the target serves, when its time is over, and at an interrupt. */

import { expect, test } from "vitest";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { waitAfterFailures } from "./await-serving.ts";

/** Waits after runs with these error rates for a target that responds with these statuses, and then with the last one. */
async function waitFor(
  statuses: readonly number[],
  { longestMs = 60_000, rates = [0.5] as readonly number[], headers = {} } = {},
) {
  const said: string[] = [];
  const leave = new AbortController();
  const bodies: string[] = [];
  const target = await serveInTest((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      bodies.push(body);
      const status = statuses[Math.min(bodies.length, statuses.length) - 1] ?? 200;
      if (status === 0) leave.abort();
      response.writeHead(status || 503, headers).end("{}");
    });
  });
  const endpoints = [{ part: "chat", connection: { target }, model: "m" } as const];
  const options = { say: (line: string) => void said.push(line), signal: leave.signal, firstPauseMs: 1, longestMs };
  const ready = waitAfterFailures({ endpoints }, options);
  for (const rate of rates) await ready(rate);
  return { said, bodies };
}

test("a target that serves is not waited for, and is asked for a short response of the model", async () => {
  const { said, bodies } = await waitFor([200]);
  expect(said).toEqual([]);
  expect(bodies.map((body) => JSON.parse(body))).toMatchObject([{ model: "m", max_tokens: expect.any(Number) }]);
});

test("a target that refuses for a while is waited for, and that is said", async () => {
  const { said, bodies } = await waitFor([503, 429, 500, 200]);
  expect(bodies).toHaveLength(4);
  expect(said).toEqual([
    "The target refuses requests since the last run (503). Waiting until it serves again, up to 1m.",
    expect.stringMatching(/^It serves again, .* later\.$/),
  ]);
});

test("a target that goes on refusing is not waited for longer than a bound, nor again before it served", async () => {
  const inVain = "It did not serve again within 5ms; the next run starts anyway.";
  const count = async (rates: readonly number[]) =>
    (await waitFor([429], { longestMs: 5, rates })).said.filter((line) => line === inVain).length;
  expect([await count([0.5]), await count([0.5, 1, 1]), await count([0.5, 1, 0.9])]).toEqual([1, 1, 2]);
});

test("a target that asks to be tried again at once is not asked more often", async () => {
  // After pauses of 1, 2, 4, ..., 128 ms, and the end of the last one.
  const { bodies } = await waitFor([503], { longestMs: 300, headers: { "retry-after": "0" } });
  expect(bodies.length).toBeLessThanOrEqual(10);
});

test("after a run without failures, nothing is sent", async () => {
  expect((await waitFor([503], { rates: [0] })).bodies).toEqual([]);
});

test("an interrupt ends the wait", async () => {
  const { said, bodies } = await waitFor([503, 0]);
  expect([said.length, bodies.length]).toEqual([1, 2]);
});

test("where what is sent is not known, there is no wait", async () => {
  const { signal } = new AbortController();
  await waitAfterFailures({ endpoints: [] }, { say: expect.fail, signal })(1);
});
