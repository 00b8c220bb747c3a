import { expect, test } from "vitest";
import { PATHS } from "../../../contract/service.ts";
import { parseMetricsText } from "../../../lib/prometheus-text.ts";
import { mockFor, send } from "../../../tests/support/targets/mock-client.ts";

const chat = { path: PATHS.chat, body: { model: "m", messages: [{ role: "user", content: "hello" }], stream: true } };

test("the mock serves its metrics only when it is asked to", async () => {
  const mock = await mockFor();
  expect(await send(mock, { path: "/metrics", headers: {} })).toMatchObject({ status: 404 });
});

test("the metrics tell how many chats run and wait, and which share of the slots is used", async () => {
  const mock = await mockFor({ metrics: true, timing: "fast", capacity: { slots: 2, stepMs: 60_000 } });
  const chats = [1, 2, 3].map(() => send(mock, { ...chat, patienceMs: 60_000 }));
  const read = async () => {
    const { text, status } = await send(mock, { path: "/metrics?x=1", headers: {} });
    expect(status).toBe(200);
    return parseMetricsText(text, () => true, 10).samples.map(({ series, value }) => [series, value]);
  };
  await expect.poll(read).toEqual([
    ['vllm:num_requests_running{engine="0"}', 2],
    ['vllm:num_requests_waiting{engine="0"}', 1],
    ['vllm:kv_cache_usage_perc{engine="0"}', 1],
  ]);
  expect(mock.groundTruth().filter(({ route }) => route === "none")).toEqual([]);
  await mock.stop();
  await Promise.all(chats);
});
