import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json } from "../../lib/json.ts";
import { chatRequest, embeddingRequest, videoRequest } from "../../tests/support/contract/service-schemas.ts";
import { changeFields, type Rules, SPECIFICATION_RULES } from "../base/rules.ts";
import { readChat, readEmbeddings, readVideo } from "./requests.ts";

/** The rules as the contract states them: it does not mention empty texts, so they are accepted here. */
const RULES: Rules = { ...SPECIFICATION_RULES, acceptsEmpty: true };

const oneOf = (...values: Json[]) => fc.constantFrom(...values);
const strange = oneOf(null, "", "5", 7, 5.5, true, "7", "4:3", [], {}, ["a", 7]);
const maybe = (right: fc.Arbitrary<Json>) =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: strange });
const message = fc.record({ role: maybe(oneOf("user", "system")), content: maybe(fc.string()) }, { requiredKeys: [] });

const chatBody = fc.record(
  {
    model: maybe(fc.string()),
    messages: maybe(fc.array(message)),
    stream: maybe(fc.boolean()),
    temperature: maybe(fc.oneof(fc.double({ min: -1, max: 3, noNaN: true }), oneOf(0, 2))),
    max_tokens: maybe(fc.integer({ min: 1 })),
    other: strange,
  },
  { requiredKeys: [] },
);
const embeddingsBody = fc.record(
  {
    model: maybe(fc.string()),
    input: maybe(fc.oneof(fc.string(), fc.array(fc.string()))),
    encoding_format: maybe(oneOf("float", "base64")),
  },
  { requiredKeys: [] },
);
const videoBody = fc.record(
  {
    model: maybe(fc.string()),
    prompt: maybe(
      fc.oneof(
        fc.string(),
        fc.integer({ min: 1990, max: 2010 }).map((n) => "🎬".repeat(n)),
      ),
    ),
    duration: maybe(oneOf(5, 10)),
    resolution: maybe(oneOf("720p", "1080p")),
    aspect_ratio: maybe(oneOf("16:9", "9:16", "1:1")),
  },
  { requiredKeys: [] },
);

it.each([
  { area: "chat", body: chatBody, reads: (body: Json) => readChat(body, RULES), schema: chatRequest },
  {
    area: "embeddings",
    body: embeddingsBody,
    reads: (body: Json) => readEmbeddings(body, RULES),
    schema: embeddingRequest,
  },
  { area: "video", body: videoBody, reads: (body: Json) => readVideo(body, RULES), schema: videoRequest },
])("accepts of $area exactly what the contract's schema accepts", ({ body, reads, schema }) => {
  let accepted = 0;
  fc.assert(
    fc.property(body, (value) => {
      const served = "value" in reads(value);
      if (served) accepted += 1;
      expect(served).toBe(schema.safeParse(value).success);
    }),
    { numRuns: 2000, seed: 7 },
  );
  expect(accepted).toBeGreaterThan(50);
});

it.each([null, 7, "text", true, [], [{}]])("refuses a body of %j", (body) => {
  expect(readChat(body, SPECIFICATION_RULES)).toMatchObject({ problem: { status: 400, code: "invalid_body" } });
});

it("takes the defaults of the specification for fields that are absent", () => {
  const base = { model: "m", messages: [{ role: "user", content: "hi" }] };
  expect(readChat(base, SPECIFICATION_RULES)).toEqual({ value: { ...base, stream: false, temperature: 1 } });
  const embedding = { model: "m", input: "a" };
  expect(readEmbeddings(embedding, SPECIFICATION_RULES)).toEqual({ value: { ...embedding, encoding_format: "float" } });
  const video = { model: "m", prompt: "p", duration: 10 };
  expect(readVideo(video, SPECIFICATION_RULES)).toEqual({
    value: { ...video, resolution: "720p", aspect_ratio: "16:9" },
  });
});

it("refuses only values that are sent: a default that the rules do not accept is taken", () => {
  const rules = changeFields(SPECIFICATION_RULES, { "videos.resolution": { values: ["1080p"] } });
  expect(readVideo({ model: "m", prompt: "p" }, rules)).toMatchObject({ value: { resolution: "720p" } });
  expect(readVideo({ model: "m", prompt: "p", resolution: "720p" }, rules)).toMatchObject({ problem: { status: 400 } });
});
