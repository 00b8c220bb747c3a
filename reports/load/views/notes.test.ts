import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { DEFAULT_SLOS } from "../../../settings/load/load-table.ts";
import {
  makeRun,
  okCounts,
  type RunOptions,
  unanswered,
  withInterruption,
} from "../../../tests/support/results/load-run.ts";
import { summarizeLoad } from "../../../tests/support/results/summarize-shards.ts";
import { loadHtml } from "./html.ts";
import { loadJunit } from "./junit.ts";
import { loadMarkdown } from "./markdown.ts";
import { notesOf, tokenNote } from "./notes.ts";
import { loadLine } from "./one-line.ts";
import { loadTerminal } from "./terminal.ts";

const BASE = { slos: DEFAULT_SLOS, target: "http://host", shape: "20/s", tool: "assay", scenario: "chat-stream" };

/** Every view of a run. */
async function viewsOf(options: RunOptions): Promise<string[]> {
  const run = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, ...options })] });
  const plain = { colour: false };
  return [loadTerminal(run, plain), loadLine(run, plain), loadMarkdown(run), loadHtml(run), loadJunit(run)];
}

describe("where usage does not state the tokens", () => {
  const change: RunOptions["change"] = (record, index) =>
    index % 4 === 0 ? record : { ...record, token_source: "chunks" };

  test("every view says so", async () => {
    for (const view of await viewsOf({ change })) {
      expect(view).toContain("output tokens are counted by chunks (events with content) in 75 of 100 requests");
    }
  });

  test("and none does where it always states them", async () => {
    for (const view of await viewsOf({})) expect(view).not.toContain("counted by chunks");
  });

  test("the number of requests is stated, also when all are concerned", () => {
    expect(tokenNote({ parts: { chunks: 20 } })).toContain("in all 20 requests");
    expect(tokenNote({ parts: { usage: 20 } })).toBeUndefined();
    expect(notesOf({ metrics: {} })).toEqual([]);
  });
});

test("a usage of no output tokens, of a response with content, is not taken: they are counted by chunks", async () => {
  const change: RunOptions["change"] = (record) => ({ ...record, output_tokens: 0 });
  const { metrics } = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, change })] });
  expect(metrics["output_tokens"]).toMatchObject({ min: 10, parts: { chunks: 100 } });
  expect(metrics["tpot"]?.count).toBe(100);
  for (const view of await viewsOf({ change })) expect(view).toContain("whose usage is absent or states none");
});

describe("where many chunks came together", () => {
  const flushedBy = (every: number) => (record: RequestRecord) => ({
    ...record,
    coalesced: record.gaps_us?.filter((_, at) => at % every !== 0).length ?? 0,
    gaps_us: record.gaps_us?.map((us, at) => (at % every === 0 ? us * every : 0)) ?? [],
  });

  test("every view says so, with their share", async () => {
    for (const view of await viewsOf({ change: flushedBy(8) }))
      expect(view).toMatch(/700 of 900 gaps \(77\.8%\) are 0, .* those of its batches \(nginx: proxy_buffering off/);
  });

  test("the share is of the gaps that are counted: streams whose content came at once have none", async () => {
    const change: RunOptions["change"] = (record, index) =>
      index % 4 === 0 ? flushedBy(8)(record) : { ...record, coalesced: 9, flags: ["buffered"] };
    for (const view of await viewsOf({ change })) expect(view).toMatch(/175 of 225 gaps \(77\.8%\) are 0/);
  });

  test("and none does where the load generator was interrupted, so that they waited for it", async () => {
    const { records, client } = makeRun({ durationS: 5, change: flushedBy(8) });
    const run = await summarizeLoad({ ...BASE, shards: [{ records, client: withInterruption(client, 1.5, 5.4) }] });
    expect(loadTerminal(run, { colour: false })).not.toContain("are 0, because");
  });

  test("what a proxy before the target must be told is said where most did", async () => {
    const change: RunOptions["change"] = (record, index) => (index % 4 === 0 ? flushedBy(8)(record) : record);
    for (const view of await viewsOf({ change })) {
      expect(view).toMatch(/175 of 900 gaps \(19\.4%\) are 0/);
      expect(view).not.toContain("batches");
    }
  });

  test("and none does where few did", async () => {
    const change: RunOptions["change"] = (record, index) =>
      index % 20 === 0 ? { ...record, coalesced: 8, gaps_us: [9_000, 0, 0, 0, 0, 0, 0, 0, 0] } : record;
    for (const view of await viewsOf({ change })) expect(view).not.toContain("are 0, because");
  });
});

describe("where responses are unusual", () => {
  const change: RunOptions["change"] = (record, index) => {
    if (index % 4 === 0) return { ...record, flags: ["buffered"], gaps_us: record.gaps_us?.map(() => 0) ?? [] };
    return index === 101 ? { ...record, flags: ["empty"] } : record;
  };

  test("every view says in how many, and what follows", async () => {
    for (const view of await viewsOf({ change })) {
      expect(view).toContain("flag buffered in 25 ok responses: arrived in one piece");
      expect(view).toContain("flag empty in 1 ok response: no content came");
      expect(view).not.toContain("ttft is the time of the whole content");
    }
  });

  test("every view says what the first token is where most streams came in one piece", async () => {
    const whole: RunOptions["change"] = (record, index) =>
      index % 4 === 0 ? record : { ...record, flags: ["buffered"], gaps_us: record.gaps_us?.map(() => 0) ?? [] };
    for (const view of await viewsOf({ change: whole }))
      expect(view).toMatch(
        /flag buffered in 75 ok responses: .*; ttft is the time of the whole content, .*proxy_buffering off/,
      );
  });

  test("and none does otherwise, nor for the warm-up", async () => {
    const warmup: RunOptions["change"] = (record) =>
      record.phase === "warmup" ? { ...record, flags: ["empty"] } : record;
    for (const view of await viewsOf({ change: warmup })) expect(view).not.toContain("flag ");
  });

  test("reasoning without content is told from no content at all", async () => {
    const reasoned: RunOptions["change"] = (record, index) => {
      const { ttft = 0, ttft_scheduled: _, ...others } = record;
      return index === 101 ? { ...others, ttft_any: ttft, flags: ["empty"] } : { ...record, ttft_any: ttft };
    };
    const words = "so that there is no first token; 1 held reasoning alone, which ttft_any measures";
    for (const view of await viewsOf({ change: reasoned })) expect(view).toContain(words);
  });

  test("buffered streams have neither gaps nor a time per token", async () => {
    const { metrics } = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, change })] });
    expect(metrics["icl"]).toMatchObject({ requests: 75 });
    expect(metrics["tpot"]).toMatchObject({ count: 75 });
    expect(metrics["tpot"]?.min).toBeGreaterThan(0);
  });

  test("streams whose first event holds several tokens have gaps and no time per token", async () => {
    const large: RunOptions["change"] = (record, index) =>
      index % 4 === 0 ? { ...record, flags: ["large-first-event"] } : record;
    const { metrics } = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, change: large })] });
    expect([metrics["icl"]?.requests, metrics["tpot"]?.count]).toEqual([100, 75]);
  });
});

test("each operation of a run states how its own tokens were counted", async () => {
  const change: RunOptions["change"] = (record, index) =>
    index % 2 === 0 ? { ...record, token_source: "chunks" } : { ...record, op: "chat" };
  const { ops, metrics } = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, change })] });
  expect(ops["chat.stream"]?.metrics["output_tokens"]?.parts).toEqual({ chunks: 50 });
  expect(ops["chat"]?.metrics["output_tokens"]?.parts).toEqual({ usage: 50 });
  expect(metrics["output_tokens"]?.parts).toEqual({ chunks: 50, usage: 50 });
});

test("a usage whose tokens are not those of the events is named; one of no input tokens is not taken", async () => {
  const of = async (output_tokens: number) => {
    const change: RunOptions["change"] = (record) => ({ ...record, output_tokens, input_tokens: 0 });
    const run = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5, change })] });
    expect(run.metrics["input_tokens"]).toBeUndefined();
    return notesOf(run).filter((note) => note.startsWith("usage states"));
  };
  const { metrics } = await summarizeLoad({ ...BASE, shards: [makeRun({ durationS: 5 })] });
  const events = (metrics["icl"]?.count ?? 0) / (metrics["icl"]?.requests ?? 1) + 1;
  expect(await of(events)).toEqual([]);
  const said = (tokens: number) => `usage states ${Math.round(tokens)} tokens for ${Math.round(events)} events`;
  expect(await of(10 * events)).toEqual([expect.stringContaining(said(10 * events))]);
  expect(await of(2)).toEqual([expect.stringContaining(said(2))]);
});

test("requests that were sent again are counted, those of the warm-up too: no other figure shows them", async () => {
  const change: RunOptions["change"] = (record, index) => (index % 4 === 0 ? { ...record, resent: 1 } : record);
  for (const view of await viewsOf({ change })) expect(view).toContain("35 requests had to be sent again");
  for (const view of await viewsOf({})) expect(view).not.toContain("sent again");
});

test("failures of the warm-up are said by each view, although no figure counts them", async () => {
  const change: RunOptions["change"] = (record, index) =>
    record.phase === "warmup" && index % 4 === 0 ? unanswered(record) : record;
  const said = "failures in the warm-up, which no figure counts: chat.stream refused ×10";
  for (const view of await viewsOf({ change })) expect(view).toContain(said);
  for (const view of await viewsOf({})) expect(view).not.toContain("failures in the warm-up");
});

test.each([
  ["a short chat", 20, 65, "chat", "with the template of a chat"],
  ["a long chat", 1_000, 1_200, "chat", "--set characters-per-token=5"],
  ["a short chat that is counted far otherwise", 30, 170, "chat", "--set characters-per-token=1.06"],
  ["texts whose characters it counts", 875, 5_248, "embeddings", "its usage counts characters and no tokens"],
  ["a short chat of which less is counted", 40, 20, "chat", "--set characters-per-token=12"],
  ["short texts for vectors, which have no template", 20, 60, "embeddings", "--set characters-per-token=2"],
])("tokens that a target counts beyond %s may be its template", (_, made, counted, op, says) => {
  const of = (mean: number) => ({ unit: "tokens", count: 9, mean }) as const;
  const metrics = {
    requested_input_tokens: of(made),
    input_tokens: of(counted),
    ...(op === "chat" && { output_tokens: of(16) }),
  };
  const [note = ""] = notesOf({ metrics });
  expect(note).toContain(says);
  expect(note.includes("template")).toBe(says.includes("template"));
});

test("ok requests that ended after the window are counted where no warm-up makes up for them", () => {
  const e2e = { unit: "ms", count: 300, p50: 3_000 } as const;
  const run = { metrics: { requests_per_s: { unit: "1/s", count: 203, value: 20.3 }, e2e }, durationS: 10 } as const;
  const counts = okCounts(300);
  expect(notesOf({ ...run, counts })).toEqual([expect.stringMatching(/^97 of 300 ok requests ended after/)]);
  expect(notesOf({ ...run, counts: { ...counts, ok: 210 } })).toEqual([]);
});
