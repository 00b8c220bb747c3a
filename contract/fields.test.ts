/** The tables of response fields agree with the schemas of the tests: a response without any one field is refused. */

import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  chatCompletion,
  embeddingList,
  videoCancellation,
  videoSubmission,
  videoTask,
} from "../tests/support/contract/service-schemas.ts";
import {
  CHAT_COMPLETION_FIELDS,
  EMBEDDING_LIST_FIELDS,
  type Field,
  type FieldType,
  VIDEO_CANCELLATION_FIELDS,
  VIDEO_STATE_FIELDS,
  VIDEO_SUBMISSION_FIELDS,
  VIDEO_TASK_FIELDS,
} from "./fields.ts";

interface Family {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly schema: z.ZodType;
  /** Values that the types alone do not give. */
  readonly values?: Readonly<Record<string, unknown>>;
}

const inState = (state: keyof typeof VIDEO_STATE_FIELDS): Family => ({
  name: `a task that is ${state}`,
  fields: [...VIDEO_TASK_FIELDS, ...VIDEO_STATE_FIELDS[state]],
  schema: videoTask,
  values: { status: state },
});

const FAMILIES: readonly Family[] = [
  { name: "a chat completion", fields: CHAT_COMPLETION_FIELDS, schema: chatCompletion },
  { name: "an embedding list", fields: EMBEDDING_LIST_FIELDS, schema: embeddingList },
  {
    name: "a video submission",
    fields: VIDEO_SUBMISSION_FIELDS,
    schema: videoSubmission,
    values: { created_at: "2030-01-02T03:04:05Z" },
  },
  inState("processing"),
  inState("completed"),
  inState("failed"),
  inState("cancelled"),
  { name: "a video cancellation", fields: VIDEO_CANCELLATION_FIELDS, schema: videoCancellation },
];

const SAMPLES: Readonly<Record<FieldType, unknown>> = {
  string: "text",
  int: 1,
  number: 0.5,
  boolean: true,
  object: {},
  array: [],
  numbers: [0.5],
  objects: [{}],
  texts: ["text"],
};

/** A response of the named fields alone. */
function responseOf(fields: readonly Field[], values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const tops = fields.filter(({ path }) => !path.includes("."));
  return Object.fromEntries(
    tops.map(({ path, type, values: allowed }) => {
      const inner = within(fields, type === "array" ? `${path}[].` : `${path}.`);
      if (inner.length > 0) return [path, type === "array" ? [responseOf(inner)] : responseOf(inner)];
      return [path, values[path] ?? allowed?.[0] ?? SAMPLES[type]];
    }),
  );
}

const within = (fields: readonly Field[], prefix: string): Field[] =>
  fields.flatMap((field) =>
    field.path.startsWith(prefix) ? [{ ...field, path: field.path.slice(prefix.length) }] : [],
  );

describe.each(FAMILIES)("$name", ({ fields, schema, values }) => {
  test("with all its fields is accepted", () => {
    expect(schema.safeParse(responseOf(fields, values)).error).toBeUndefined();
  });

  test.each(fields.map(({ path }) => path))("without %s is refused", (path) => {
    const left = fields.filter(
      (field) => field.path !== path && !field.path.startsWith(`${path}.`) && !field.path.startsWith(`${path}[]`),
    );
    expect(schema.safeParse(responseOf(left, values)).success).toBe(false);
  });
});
