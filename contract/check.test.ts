import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { FIELD_TYPES } from "../tests/support/contract/field-types.ts";
import { chatRequest, embeddingRequest, videoRequest } from "../tests/support/contract/service-schemas.ts";
import { fitsType, oneOf, violationOf } from "./check.ts";
import { FIELD_TYPE_NAMES, REQUEST_FIELDS, type RequestField, type RequestName } from "./fields.ts";
import { valuesAt } from "./values-at-path.ts";

type Body = Readonly<Record<string, unknown>>;
interface Request {
  readonly fields: readonly RequestField[];
  readonly schema: z.ZodType;
  readonly valid: Body;
}

const message = { role: "user", content: "hi" };
const REQUESTS: Readonly<Record<RequestName, Request>> = {
  chat: {
    fields: REQUEST_FIELDS.chat,
    schema: chatRequest,
    valid: { model: "m", messages: [message, message], stream: true, temperature: 0.5, max_tokens: 9 },
  },
  embeddings: {
    fields: REQUEST_FIELDS.embeddings,
    schema: embeddingRequest,
    valid: { model: "m", input: ["a", "b"], encoding_format: "base64" },
  },
  videos: {
    fields: REQUEST_FIELDS.videos,
    schema: videoRequest,
    valid: { model: "m", prompt: "p", duration: 10, resolution: "1080p", aspect_ratio: "1:1" },
  },
};

/** Whether the contract allows a request. */
const isAllowed = (fields: readonly RequestField[], body: unknown): boolean =>
  fields.every((field) =>
    valuesAt(body, field.path).every(({ value }) =>
      value === undefined ? !field.required : violationOf(field, value) === undefined,
    ),
  );

/** The body with the value at a path replaced, in every item of a list; undefined takes it out. */
function replaced(body: unknown, path: string, value: unknown): unknown {
  const [head = "", ...rest] = path.split("[].");
  const object: Record<string, unknown> = { ...Object(body) };
  const list = object[head];
  const next =
    rest.length > 0 && Array.isArray(list) ? list.map((item) => replaced(item, rest.join("[]."), value)) : value;
  if (next === undefined) delete object[head];
  else object[head] = next;
  return object;
}

/** Values near those that the field allows, and any others. The schemas take whole numbers only as far as they are exact. */
const valuesFor = ({ values = [], min = 0, max = 20, maxCharacters = 1 }: RequestField): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom<unknown>(undefined, null, true, "", 7, 5.5, "5", [], {}, [{}], ["a"], ["a", 7], [message], [7]),
    fc.constantFrom<unknown>(...values, ...values.map(String), min, max, "nothing else"),
    fc.double({ min: min - 1, max: max + 1, noNaN: true }),
    fc.integer({ min: min - 1, max: max + 1 }),
    fc
      .tuple(fc.constantFrom("a", "é", "🎬"), fc.integer({ min: maxCharacters - 2, max: maxCharacters + 2 }))
      .map(([letter, length]) => letter.repeat(Math.max(0, length))),
    fc.jsonValue().filter((value) => typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER),
  );

describe.each(Object.entries(REQUESTS))("a %s request", (_, { fields, schema, valid }) => {
  test("with all its fields is allowed", () => {
    expect(schema.parse(valid)).toEqual(valid);
    expect(Object.keys(valid)).toEqual(fields.map(({ path }) => path).filter((path) => !path.includes("[]")));
    expect(isAllowed(fields, valid)).toBe(true);
  });

  test.each(fields.map((field) => [field.path, field] as const))("is valid by %s as the schema says", (path, field) => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(valuesFor(field), (value) => {
        const body = replaced(valid, path, value);
        const allowed = isAllowed(fields, body);
        seen[`${allowed}`] += 1;
        expect(allowed).toBe(schema.safeParse(body).success);
      }),
      { numRuns: 500, seed: 7 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(10);
  });
});

test.each([
  [{ type: "number", min: 0, max: 2 } as const, 2.1, "from 0 to 2"],
  [{ type: "int", min: 1 } as const, 0, "at least 1"],
  [{ type: "int", max: 9 } as const, 10, "at most 9"],
  [{ type: "int", values: [5, 10] } as const, 7, "5 or 10"],
  [{ type: "int", values: [5, 10] } as const, "5", "an integer"],
  [{ type: "string", maxCharacters: 2 } as const, "🎬🎬🎬", "at most 2 characters long"],
  [{ type: "string", maxCharacters: 2 } as const, "🎬🎬", undefined],
])("%j: %j has to be %s", (rule, value, expected) => expect(violationOf(rule, value)?.expected).toBe(expected));

test("a length is counted as the caller asks", () => {
  const rule = { type: "string", maxCharacters: 2 } as const;
  expect(violationOf(rule, "🎬🎬", (text) => text.length)?.rule).toBe("length");
});

test("values are listed as a sentence needs them", () => {
  expect([oneOf(["a"]), oneOf(["a", "b"]), oneOf([1, 2, 3])]).toEqual(["a", "a or b", "1, 2 or 3"]);
});

test("the types of fields mean what the fixture says, which the Go side is held to as well", () => {
  expect(FIELD_TYPE_NAMES).toEqual(FIELD_TYPES.names);
  const differing = FIELD_TYPES.values.filter(({ type, json, fits }) => {
    const value: unknown = JSON.parse(json);
    return (value !== null && fitsType(type, value)) !== fits;
  });
  expect(differing).toEqual([]);
});
