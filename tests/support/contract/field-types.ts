/** The fixture of field types: Go reads the same file. */

import { readFileSync } from "node:fs";
import { z } from "zod";

const schema = z.object({
  names: z.record(z.string(), z.string()),
  values: z.array(
    z.object({
      type: z.enum(["string", "int", "number", "boolean", "object", "array", "numbers", "objects", "texts"]),
      /** A value as JSON text: Go and JavaScript each parse it. */
      json: z.string(),
      fits: z.boolean(),
      /** What a client reports for a field x with this value; absent where the clients word it differently. */
      problem: z.string().optional(),
    }),
  ),
});

export const FIELD_TYPES = schema.parse(
  JSON.parse(readFileSync(new URL("../../../contract/testdata/field-types.json", import.meta.url), "utf8")),
);
