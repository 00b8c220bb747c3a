/** The openai client for JavaScript works with the mock. */

import OpenAI from "openai";
import { beforeAll, expect, test } from "vitest";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

let client: OpenAI;
beforeAll(async () => {
  const { url } = await startMockProcess("--timing", "fast");
  client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" });
});

const messages = [{ role: "user" as const, content: "Say something." }];

test("a chat has the requested length", async () => {
  const { choices, usage } = await client.chat.completions.create({ model: "m", messages, max_tokens: 7 });
  expect(choices[0]?.message.content?.split(" ")).toHaveLength(7);
  expect(usage?.completion_tokens).toBe(7);
});

test("a stream has its chunks, and its usage on request", async () => {
  const options = { model: "m", messages, stream: true as const, stream_options: { include_usage: true } };
  const pieces: string[] = [];
  let tokens: number | undefined;
  for await (const { choices, usage } of await client.chat.completions.create(options)) {
    const content = choices[0]?.delta.content;
    if (content) pieces.push(content);
    tokens = usage?.completion_tokens ?? tokens;
  }
  expect(pieces).toHaveLength(40);
  expect(tokens).toBe(40);
});

test("embeddings are decoded from base64, which the client requests", async () => {
  const { data } = await client.embeddings.create({ model: "m", input: ["a", "b"] });
  const lengths = data.map(({ embedding }) => Math.hypot(...embedding));
  expect(lengths).toHaveLength(2);
  for (const length of lengths) expect(length).toBeCloseTo(1, 5);
});

test("a validation error becomes the BadRequestError of the client", async () => {
  const refused = client.chat.completions.create({ model: "m", messages, temperature: 3 });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
});
