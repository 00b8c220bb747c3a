import { expect, test } from "vitest";
import { z } from "zod";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { readExchanges, summarizeConformance } from "./conformance-result.ts";
import { conformanceHar } from "./har.ts";

const archive = z.object({
  log: z.object({
    version: z.literal("1.2"),
    creator: z.object({ name: z.string(), version: z.string() }),
    entries: z.array(
      z.object({
        startedDateTime: z.iso.datetime(),
        time: z.number(),
        request: z.object({
          method: z.string(),
          url: z.string(),
          headers: z.array(z.object({ name: z.string(), value: z.string() })),
          postData: z.object({ mimeType: z.string(), text: z.string() }).optional(),
        }),
        response: z.object({ status: z.number(), content: z.object({ mimeType: z.string(), text: z.string() }) }),
        timings: z.object({ send: z.number(), wait: z.number(), receive: z.number() }),
        comment: z.string(),
      }),
    ),
  }),
});

const result = await summarizeConformance({ verdicts: verdictsOf(LINES), tool: "assay 0.1.0" });

test("an archive has every exchange that a clause cites, also one without a response", async () => {
  const { log } = archive.parse(JSON.parse(conformanceHar(result, await readExchanges(EXCHANGES, result)) ?? ""));
  expect(log.creator).toEqual({ name: "assay", version: "0.1.0" });
  expect(log.entries.map(({ comment }) => comment)).toEqual([
    "exchange 1",
    "exchange 2",
    "exchange 3",
    "exchange 4: reset: the connection was reset",
  ]);
  expect(log.entries.map(({ response }) => response.status)).toEqual([200, 200, 200, 0]);
  const [first] = log.entries;
  expect(first?.request.postData).toEqual({ mimeType: "application/json", text: '{"model":"m"}' });
  expect(first?.request.headers).toContainEqual({ name: "authorization", value: "<redacted>" });
  expect(first?.timings).toEqual({ send: 0, wait: 11.2, receive: 1.5 });
});

test("there is no archive without an exchange", () => {
  expect(conformanceHar(result, new Map())).toBeUndefined();
});
