/** The mock answers the openai client as the interface that it is compatible with would. */

import OpenAI from "openai";
import { beforeAll, expect, test } from "vitest";
import { startMockProcess } from "../support/spawned-mock.ts";

let client: OpenAI;
beforeAll(async () => {
  const { url } = await startMockProcess("--timing", "fast");
  client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" });
});

const messages = [{ role: "user" as const, content: "Say something." }];

test("a chat", async () => {
  const { choices, usage } = await client.chat.completions.create({ model: "m", messages, max_tokens: 7 });
  expect(choices[0]?.message.content?.split(" ")).toHaveLength(7);
  expect(usage?.completion_tokens).toBe(7);
});

test("a stream, with its usage when asked for", async () => {
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

test("embeddings, which the client asks for as base64 and decodes", async () => {
  const { data } = await client.embeddings.create({ model: "m", input: ["a", "b"] });
  const lengths = data.map(({ embedding }) => Math.hypot(...embedding));
  expect(lengths).toHaveLength(2);
  for (const length of lengths) expect(length).toBeCloseTo(1, 5);
});

test("an error that the client understands", async () => {
  const refused = client.chat.completions.create({ model: "m", messages, temperature: 3 });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
});
