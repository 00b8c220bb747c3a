import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RequestRecord, requestRecord } from "../../formats/records.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { withRead } from "../../tests/support/results/summarize-shards.ts";
import type { Read } from "./read/shards.ts";
import { type EarlierInputs, inputsOf as inputsIn, timesByConnectionOf } from "./repeated-inputs.ts";
import { connectionsInWords, inputsInWords } from "./views/input-notes.ts";

interface Sent {
  readonly digest?: number;
  readonly prefix?: number;
  readonly turn?: number;
  readonly ttft?: number;
  readonly phase?: string;
  readonly outcome?: string;
  readonly cached?: number;
  readonly completion?: string;
  readonly connection?: Partial<Pick<RequestRecord, "reused" | "lookup" | "connect" | "tls">>;
}

/** Reads requests that were sent one after another. */
const withRequests = <T>(sent: readonly Sent[], use: (read: Read) => Promise<T>): Promise<T> =>
  withRead(
    sent.map((each, index) => {
      const {
        digest,
        prefix = digest,
        turn,
        ttft = 100,
        phase = "measure",
        outcome = "ok",
        cached,
        completion,
        connection,
      } = each;
      const at = "2026-01-02T03:04:05.000000Z";
      return requestRecord.parse({
        ...{ id: `r-${index}`, op: "chat.stream", phase, scheduled: at, sent: at, outcome, ttft, input_tokens: 20 },
        ...(digest !== undefined && { input_digest: digest }),
        ...(prefix !== undefined && { prefix_digest: prefix }),
        ...(turn !== undefined && { turn, turns: 2 }),
        ...(cached !== undefined && { cached_tokens: cached }),
        ...(completion !== undefined && { completion }),
        ...connection,
      });
    }),
    use,
  );

const inputsOf = (sent: readonly Sent[], earlier?: EarlierInputs) =>
  withRequests(sent, ({ database }) => inputsIn(database, earlier));

const some = (count: number, of: (index: number) => Sent): readonly Sent[] =>
  Array.from({ length: count }, (_, index) => of(index));

test("inputs that were sent before are counted, those of the warm-up too, and failed requests", async () => {
  expect(
    await inputsOf([
      { digest: 1, phase: "warmup" },
      { digest: 2 },
      { digest: 1 },
      { digest: 4_503_599_627_370_495, outcome: "timeout" },
      { digest: 4_503_599_627_370_495 },
      { digest: 4_503_599_627_370_494 },
      {},
    ]),
  ).toEqual({ requests: 5, repeated: 2, begunAlike: 2, distinct: 4 });
});

test("older records do not say what was sent", async () => {
  expect(await inputsOf([{}, {}])).toBeUndefined();
});

test("a target that answers repeated inputs sooner shows a cache", async () => {
  const cached = await inputsOf([
    ...some(40, (index) => ({ digest: index + 1, ttft: 200 + index })),
    ...some(60, (index) => ({ digest: (index % 40) + 1, ttft: 20 + index / 10 })),
  ]);
  expect(cached).toMatchObject({ requests: 100, repeated: 60, distinct: 40, times: { sooner: true } });
  expect(cached?.times?.freshMs).toBeCloseTo(219, -1);
  expect(cached && inputsInWords(cached)).toEqual([
    expect.stringMatching(
      /^60 of 100 requests \(60%\) sent an input that was sent before in this run, and were answered sooner \(median 2\d(\.\d+)? ms, that of new inputs 2\d\d(\.\d+)? ms\): a cache of the target answers them/,
    ),
  ]);
});

test("one that does not is said to show none, and few requests say nothing", async () => {
  const ttft = (index: number) => 100 + ((index * 7) % 13);
  const plain = await inputsOf(some(100, (index) => ({ digest: (index % 40) + 1, ttft: ttft(index) })));
  expect(plain?.times?.sooner).toBe(false);
  expect(plain && inputsInWords(plain)).toEqual([expect.stringContaining("they were not clearly answered sooner")]);
  const few = await inputsOf(some(30, (index) => ({ digest: (index % 19) + 1, ttft: ttft(index) })));
  expect(few).not.toHaveProperty("times");
  expect(few && inputsInWords(few)).toEqual([expect.stringContaining("which a cache of the target may have answered")]);
});

describe("responses with the id of an earlier one", () => {
  const three = (completion: (index: number) => string) =>
    some(30, (index) => ({
      digest: (index % 3) + 1,
      completion: completion(index),
      ...(index < 2 && { phase: "warmup" }),
    }));

  test("to the same input show a cache of responses, those of the warm-up too", async () => {
    const cached = await inputsOf(three((index) => `chatcmpl-${index % 3}`));
    expect(cached).toMatchObject({ requests: 28, repeated: 27, replayed: 27 });
    expect(cached && inputsInWords(cached)).toEqual([
      expect.stringMatching(
        /^the responses to 27 of 28 requests \(96\.4%\) had the id of an earlier response to the same input, as a cache of responses returns them: their latencies/,
      ),
    ]);
  });
  test.each([
    ["each response has its own", (index: number) => `chatcmpl-${index}`],
    ["all responses have one", () => "chatcmpl-1"],
    [
      "ids are times, which responses to different inputs share",
      (index: number) => `chatcmpl-${Math.floor(index / 2)}`,
    ],
  ])("say nothing where %s", async (_, completion) => {
    expect(await inputsOf(three(completion))).not.toHaveProperty("replayed");
  });
});

test("inputs that begin as one before are counted, and whether those were answered sooner", async () => {
  const alike = await inputsOf([
    ...some(40, (index) => ({ digest: index + 1, ttft: 200 + index })),
    ...some(60, (index) => ({ digest: index + 100, prefix: (index % 40) + 1, ttft: 20 + index / 10 })),
  ]);
  expect(alike).toMatchObject({ requests: 100, repeated: 0, begunAlike: 60, begunTimes: { sooner: true } });
  expect(alike && inputsInWords(alike)).toEqual([
    expect.stringMatching(
      /^60 of 100 requests \(60%\) began as one before in this run \(256 bytes of the messages\), and were answered sooner \(median 2\d(\.\d+)? ms, that of new beginnings 2\d\d(\.\d+)? ms\): a cache of prefixes answers them/,
    ),
  ]);
  expect(alike && inputsInWords(alike, 0.5)).toEqual([expect.stringContaining("50% of the input tokens were planned")]);
  const turns = await inputsOf(some(40, (index) => ({ digest: index + 1, prefix: index >> 1, turn: (index % 2) + 1 })));
  expect(turns).toEqual({ requests: 40, repeated: 0, begunAlike: 0, distinct: 40 });
});

test("cached tokens are a share of the input tokens of those that report them", async () => {
  const reported = await inputsOf([
    { digest: 1, cached: 0 },
    { digest: 2, cached: 10 },
    { digest: 3, cached: 90 },
    { digest: 4 },
  ]);
  expect(reported?.cached).toEqual({ requests: 3, share: 0.5 });
  expect(reported && inputsInWords(reported)).toEqual([
    "the target took 50% of the input tokens from a cache, by its usage (cached_tokens)",
  ]);
  const none = await inputsOf([{ digest: 1, cached: 0 }]);
  expect(none && inputsInWords(none)).toEqual([]);
});

test("inputs that an earlier load sent are counted, those that began as one of it, and whether they were answered sooner", async () => {
  /** A load that sent these inputs, and others that began as these do. */
  const earlier = (inputs: number, beginnings = inputs) => {
    const records = join(newFolder(), "records.jsonl");
    const lines = some(beginnings, (index) => ({ digest: index < inputs ? index : index + 1_000, prefix: index }));
    const text = lines.map(({ digest, prefix }) => `{"op":"chat","input_digest":${digest},"prefix_digest":${prefix}}`);
    writeFileSync(records, ["{}", ...text, '{"op":"chat","input_di'].join("\n"));
    return { from: "out/main", records: [records] };
  };
  const warm = await inputsOf(
    [
      { digest: 0, phase: "warmup" },
      ...some(90, (index) => ({ digest: index, ttft: index < 30 ? 20 : index < 60 ? 30 : 200 })),
      { digest: 500, prefix: 2, turn: 2, ttft: 200 },
    ],
    earlier(30, 60),
  );
  expect(warm).toMatchObject({ requests: 91, repeated: 1, begunAlike: 1 });
  expect(warm?.earlier).toEqual({
    ...{ from: "out/main", repeated: 30, begunAlike: 60 },
    times: { freshMs: 200, repeatedMs: 20, sooner: true },
    begunTimes: { freshMs: 200, repeatedMs: 20, sooner: true },
  });
  expect(warm && inputsInWords(warm).slice(1)).toEqual([
    expect.stringContaining(
      "30 of 91 requests (33%) sent an input that was sent in the load out/main, and were answered sooner (median 20 ms, that of new inputs 200 ms): a cache of the target answers them",
    ),
    expect.stringContaining("60 of 91 requests (65.9%) began as one in the load out/main (256 bytes of the messages)"),
  ]);
  const other = await inputsOf([{ digest: 7 }, { digest: 8 }], earlier(7));
  expect(other?.earlier).toEqual({ from: "out/main", repeated: 0, begunAlike: 0 });
  expect(other && inputsInWords(other)).toEqual([
    "no request sent an input that was sent in the load out/main, or began as one",
  ]);
});

test.each<[string, Opened, string | undefined]>([
  [
    "a handshake",
    { later: 60, phases: { lookup: 2, connect: 8, tls: 50 } },
    "requests on new connections were answered later (median 17[\\d.]+ ms of 40, 11[\\d.]+ ms of 160 on reused ones); the TLS handshake took 50 ms",
  ],
  [
    "the target",
    { later: 60, phases: { connect: 1 } },
    "requests on new connections were answered later .*; opening them took 1 ms: the target responded later on them, or when many were opened",
  ],
  ["nothing more than chance", { later: 7, phases: { connect: 7 }, every: 9 }, undefined],
  ["nothing that matters", { later: 4, phases: { connect: 4 } }, undefined],
  ["too few", { later: 60, phases: { tls: 60 }, every: 11 }, undefined],
])("new and reused connections are told apart by %s", async (_, { later, phases, every = 5 }, says) => {
  const sent = some(200, (index) => {
    const isNew = index % every === 0;
    // Evenly spread from 100 to 130 ms, in another order than connections are opened in.
    const ttft = 100 + ((index * 77) % 200) * 0.15 + (isNew ? later : 0);
    return { digest: index + 1, ttft, connection: isNew ? { reused: false, ...phases } : { reused: true } };
  });
  const found = await withRequests(sent, ({ requests }) => timesByConnectionOf(requests));
  if (says === undefined) expect(found).toBeUndefined();
  else expect(found && connectionsInWords(found)).toMatch(new RegExp(`^${says.replaceAll(/[()]/g, "\\$&")}$`));
});

interface Opened {
  readonly later: number;
  readonly phases: NonNullable<Sent["connection"]>;
  readonly every?: number;
}
