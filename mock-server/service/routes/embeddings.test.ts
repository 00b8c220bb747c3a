import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PATHS } from "../../../contract/service.ts";
import { embeddingList } from "../../../tests/support/contract/service-schemas.ts";
import { mockFor, type Sent, send } from "../../../tests/support/targets/mock-client.ts";
import { EMBEDDING_DIMENSIONS } from "../../base/vectors.ts";
import type { Mock } from "../../mock.ts";

const embed = (fields: object = {}): Sent => ({
  path: PATHS.embeddings,
  body: { model: "m", input: "text", ...fields },
});

async function listOf(mock: Mock, sent: Sent) {
  const { status, json } = await send(mock, sent);
  expect(status).toBe(200);
  return embeddingList.parse(json);
}

const encoded = z.looseObject({ data: z.array(z.looseObject({ embedding: z.base64() })) });

describe("embeddings", () => {
  it("have the fields of the contract: one unit vector per input, in order", async () => {
    const { data, usage } = await listOf(await mockFor(), embed({ input: ["one", "two", "three and more"] }));
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const { embedding } of data) {
      expect(embedding).toHaveLength(EMBEDDING_DIMENSIONS);
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 4);
    }
    expect(usage).toEqual({ prompt_tokens: 1 + 1 + 4, total_tokens: 6 });
  });

  it("are equal for equal texts, alone or with others, and differ for other texts", async () => {
    const mock = await mockFor();
    const [many, one] = [await listOf(mock, embed({ input: ["b", "a"] })), await listOf(mock, embed({ input: "a" }))];
    expect(many.data[1]?.embedding).toEqual(one.data[0]?.embedding);
    expect(many.data[0]?.embedding).not.toEqual(one.data[0]?.embedding);
  });

  it("are base64 of little-endian float32 when requested", async () => {
    const mock = await mockFor();
    const numbers = (await listOf(mock, embed({ encoding_format: "float" }))).data[0]?.embedding ?? [];
    const { data } = encoded.parse((await send(mock, embed({ encoding_format: "base64" }))).json);
    const bytes = Buffer.from(data[0]?.embedding ?? "", "base64");
    expect(bytes).toHaveLength(4 * EMBEDDING_DIMENSIONS);
    numbers.forEach((value, i) => {
      expect(bytes.readFloatLE(4 * i)).toBeCloseTo(value, 6);
    });
  });

  it.each([
    ["model", { model: undefined }],
    ["input", { input: undefined }],
    ["input", { input: 7 }],
    ["input", { input: [] }],
    ["input", { input: [7] }],
    ["encoding_format", { encoding_format: "FLOAT" }],
    ["encoding_format", { encoding_format: 7 }],
  ])("are refused for a wrong %s: %j", async (param, fields) => {
    const { status, json } = await send(await mockFor(), embed(fields));
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param } });
  });

  it("accept a body of several MiB, and refuse one of more than 32", async () => {
    const mock = await mockFor();
    expect((await send(mock, embed({ input: "x".repeat(8 << 20) }))).status).toBe(200);
    expect((await send(mock, embed({ input: "x".repeat(33 << 20) }))).status).toBe(413);
  });
});
