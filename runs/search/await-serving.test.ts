/** The wait between two runs of a search: it ends when the target serves, when its time is over, and at an interrupt. */

import { expect, test } from "vitest";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { awaitServing } from "./await-serving.ts";

/** Waits for a target that responds with these statuses, and then with the last one. */
async function waitFor(statuses: readonly number[], longestMs = 60_000) {
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
      response.writeHead(status || 503).end("{}");
    });
  });
  const endpoints = [{ part: "chat", connection: { target }, model: "m" } as const];
  const options = { say: (line: string) => void said.push(line), signal: leave.signal, firstPauseMs: 1, longestMs };
  const isServing = await awaitServing({ endpoints }, options);
  return { isServing, said, bodies };
}

test("a target that serves is not waited for, and is asked for a short response of the model", async () => {
  const { isServing, said, bodies } = await waitFor([200]);
  expect([isServing, said]).toEqual([true, []]);
  expect(bodies.map((body) => JSON.parse(body))).toMatchObject([{ model: "m", max_tokens: expect.any(Number) }]);
});

test("a target that refuses for a while is waited for, and that is said", async () => {
  const { isServing, said, bodies } = await waitFor([503, 429, 500, 200]);
  expect([isServing, bodies.length]).toEqual([true, 4]);
  expect(said).toEqual([
    "The target refuses requests since the last run (503). Waiting until it serves again, up to 1m.",
    expect.stringMatching(/^It serves again, .* later\.$/),
  ]);
});

test("a target that goes on refusing is not waited for longer than a bound", async () => {
  const { isServing, said } = await waitFor([429], 5);
  expect([isServing, said.at(-1)]).toEqual([
    false,
    "It did not serve again within 5ms; the next run starts anyway.",
  ]);
});

test("an interrupt ends the wait", async () => {
  const { isServing, said, bodies } = await waitFor([503, 0]);
  expect([isServing, said.length, bodies.length]).toEqual([false, 1, 2]);
});

test("where what is sent is not known, there is no wait", async () => {
  const { signal } = new AbortController();
  expect(await awaitServing({ endpoints: [] }, { say: expect.fail, signal })).toBe(true);
});
