import { readFileSync } from "node:fs";
import type { Expectation } from "k6/x/assay";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { FIELD_TYPES } from "../../tests/support/field-types.ts";
import { embeddingsEndpoint } from "../process/endpoints.ts";
import { dimensionsOf, notFiniteProblem, problemOf, valueAt } from "./expectation.ts";

const EMBEDDINGS = z
  .array(
    z.object({
      name: z.string(),
      items: z.number(),
      body: z.string(),
      problem: z.string(),
      dimensions: z.number().optional(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL("../testdata/embeddings.json", import.meta.url), "utf8")));

const CHAT: Expectation = {
  status: 200,
  fields: [
    { path: "id", type: "string" },
    { path: "choices", type: "array" },
    { path: "choices[].index", type: "int" },
    { path: "choices[].message", type: "object" },
    { path: "choices[].message.role", type: "string", values: ["assistant"] },
    { path: "usage", type: "object" },
    { path: "usage.completion_tokens", type: "int" },
  ],
  nonEmpty: ["choices"],
};
const LIST: Expectation = {
  status: 200,
  fields: [
    { path: "data", type: "array" },
    { path: "data[].embedding", type: "numbers" },
  ],
  vectors: "data[].embedding",
  counted: "data",
};
const TASK: Expectation = {
  status: 200,
  fields: [{ path: "status", type: "string", values: ["processing", "failed"] }],
  variants: {
    by: "status",
    fields: {
      processing: [{ path: "progress", type: "int" }],
      failed: [
        { path: "error.code", type: "string" },
        { path: "cost", type: "number" },
      ],
    },
  },
};
const chat = '{"id":"c1","choices":[{"index":0,"message":{"role":"assistant"}}],"usage":{"completion_tokens":3}}';

describe("an answer", () => {
  test.each<[string, Expectation, string, number | undefined, string]>([
    ["a whole completion", CHAT, chat, undefined, ""],
    ["no object", CHAT, "[1]", undefined, "The response is an array, where an object was expected."],
    ["absent field", CHAT, '{"choices":[]}', undefined, "id is missing; a string was expected."],
    ["null is missing", CHAT, '{"id":null}', undefined, "id is missing; a string was expected."],
    ["wrong type", CHAT, '{"id":7}', undefined, "id is the number 7, where a string was expected."],
    ["boolean", CHAT, '{"id":true}', undefined, "id is true, where a string was expected."],
    [
      "object for array",
      CHAT,
      '{"id":"a","choices":{}}',
      undefined,
      "choices is an object, where an array was expected.",
    ],
    [
      "fraction for int",
      CHAT,
      chat.replace('"index":0', '"index":0.5'),
      undefined,
      "choices[0].index is the number 0.5, where an integer was expected.",
    ],
    ["integral fraction is an int", CHAT, chat.replace('"index":0', '"index":1.0'), undefined, ""],
    [
      "value not allowed",
      CHAT,
      chat.replace("assistant", "user"),
      undefined,
      'choices[0].message.role is "user", where one of "assistant" was expected.',
    ],
    [
      "item is no object",
      CHAT,
      '{"id":"a","choices":[3]}',
      undefined,
      "choices[0].index is missing; an integer was expected.",
    ],
    [
      "empty array",
      CHAT,
      '{"id":"a","choices":[],"usage":{"completion_tokens":1}}',
      undefined,
      "choices is an empty array, where at least one item was expected.",
    ],
    [
      "overflowing int",
      CHAT,
      chat.replace(":3}", ":1e999}"),
      undefined,
      "usage.completion_tokens is not a finite number.",
    ],
    ["a whole list", LIST, '{"data":[{"embedding":[1,2.5]},{"embedding":[-3e-2,4]}]}', 2, ""],
    [
      "unequal lengths",
      LIST,
      '{"data":[{"embedding":[1,2]},{"embedding":[3]}]}',
      2,
      "data[1].embedding has length 1, where 2 was expected, the length of data[0].embedding.",
    ],
    [
      "too few items",
      LIST,
      '{"data":[{"embedding":[1]}]}',
      2,
      "data has 1 items, where 2 were expected, one per input.",
    ],
    ["items not counted", LIST, '{"data":[{"embedding":[1]}]}', undefined, ""],
    [
      "null among numbers",
      LIST,
      '{"data":[{"embedding":[null]}]}',
      1,
      "data[0].embedding[0] is null, where a number was expected.",
    ],
    ["infinite number", LIST, '{"data":[{"embedding":[1,-1e400]}]}', 1, "data[0].embedding[1] is not a finite number."],
    ["variant holds", TASK, '{"status":"processing","progress":10}', undefined, ""],
    [
      "variant lacks its field",
      TASK,
      '{"status":"processing"}',
      undefined,
      "progress is missing; an integer was expected.",
    ],
    ["number with a fraction", TASK, '{"status":"failed","error":{"code":"x"},"cost":1.25}', undefined, ""],
    [
      "unknown variant",
      TASK,
      '{"status":"paused"}',
      undefined,
      'status is "paused", where one of "processing", "failed" was expected.',
    ],
  ])("%s", (_, expectation, body, items, wrong) => {
    expect(problemOf(JSON.parse(body), expectation, items)).toBe(wrong);
  });

  test("is looked into by path", () => {
    expect(valueAt(JSON.parse(chat), "usage.completion_tokens")).toBe(3);
    expect(valueAt({ usage: null }, "usage.completion_tokens")).toBeUndefined();
  });
});

describe("embeddings", () => {
  const { expect: expectation } = embeddingsEndpoint({ baseUrl: "http://host", headers: {} }, "m");
  const fields = expectation.fields.filter(({ path }) => ["data", "data[].index", "data[].embedding"].includes(path));
  const embeddings = { ...expectation, fields };

  test.each(EMBEDDINGS)("with $name are judged as in the extension", ({ items, body, problem, dimensions }) => {
    const root = parseJson(body);
    if (root === undefined) {
      expect(notFiniteProblem(body, embeddings)).toBe(problem);
      return;
    }
    expect(problemOf(root, embeddings, items)).toBe(problem);
    if (problem === "") expect(dimensionsOf(root, embeddings)).toBe(dimensions);
  });

  test.each(["", "NaN of nothing", '{"a":NaN', '{"a":"NaN"', '{"a":"\\', "<html>Infinity</html>"])(
    "that are %s are no numbers that are not finite",
    (body) => {
      expect(notFiniteProblem(body, embeddings)).toBe("");
    },
  );
});

test.each(FIELD_TYPES.values)("a field of type $type with $json is reported as the extension does", (value) => {
  const problem = problemOf(
    JSON.parse(`{"x":${value.json}}`),
    { status: 200, fields: [{ path: "x", type: value.type }] },
    undefined,
  );
  expect(problem === "").toBe(value.fits);
  if (value.problem !== undefined) expect(problem).toBe(value.problem);
});
