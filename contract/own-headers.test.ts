import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { OWN_HEADER_NAMES, withOwnHeaders } from "./own-headers.ts";
import { USER_AGENT } from "./service.ts";

const values = z.record(z.string(), z.string());
const rows = z
  .array(
    z.object({
      name: z.string(),
      headers: values.optional(),
      stream: z.literal(true).optional(),
      without: z.array(z.enum(OWN_HEADER_NAMES)).optional(),
      sent: values,
    }),
  )
  .parse(JSON.parse(readFileSync(new URL("../scenarios/testdata/own-headers.json", import.meta.url), "utf8")));

/** The extension runs the same cases (`extension/module/headers_test.go`). */
test.each(rows)("$name has the headers of a load", ({ headers, stream, without, sent }) => {
  const body = JSON.stringify({ stream });
  const own = withOwnHeaders({ body, requestId: "ID", headers, withoutHeader: without });
  const agent = (text: string) => (text === "AGENT" ? USER_AGENT : text);
  expect(own).toEqual(Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, agent(value)])));
});
