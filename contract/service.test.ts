import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { mayHaveCreatedTask } from "./service.ts";

const rows = z.array(z.object({ status: z.number(), mayHaveCreated: z.boolean() }));

test("a submission may have created a task by the statuses that the extension of k6 goes by too", () => {
  const file = new URL("./testdata/submission-statuses.json", import.meta.url);
  for (const { status, mayHaveCreated } of rows.parse(JSON.parse(readFileSync(file, "utf8")))) {
    expect([status, mayHaveCreatedTask(status)]).toEqual([status, mayHaveCreated]);
  }
});
