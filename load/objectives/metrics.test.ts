import { describe, expect, test } from "vitest";
import { type Figures, METRICS } from "./metrics.ts";

/** Content from 500 ms to 600 ms. */
const STREAM: Figures = {
  op: "chat.stream",
  ttft: 500,
  chunks: 11,
  gaps_us: Array.from({ length: 10 }, () => 10_000),
  output_tokens: 11,
  token_source: "usage",
};
const withoutGaps = ({ gaps_us: _, ...stream }: Figures): Figures => ({ ...stream, ttlt: 600 });
const of = (more: Partial<Figures>) =>
  [{ ...STREAM, ...more }, withoutGaps({ ...STREAM, ...more })].map((request) => METRICS.tpot.of(request));

describe("the time per output token", () => {
  test("is that of the content, over the tokens of the usage", () => {
    expect(of({})).toEqual([10, 10]);
    expect(of({ output_tokens: 21 })).toEqual([5, 5]);
    expect(of({ output_tokens: 11, token_source: "chunks" })).toEqual([10, 10]);
  });

  test("is that of reasoning and content together where both were streamed and are counted", () => {
    const reasoned = { ttft_any: 100, ttlt_any: 600, output_tokens: 51 };
    expect(of({ ...reasoned, reasoning_tokens: 40 })).toEqual([10, 10]);
    expect(of(reasoned)).toEqual([10, 10]);
  });

  test("leaves out reasoning that usage counts and the stream did not show", () => {
    expect(of({ output_tokens: 51, reasoning_tokens: 40 })).toEqual([10, 10]);
  });

  test("is that of the content where only its events were counted", () => {
    expect(of({ ttft_any: 100, ttlt_any: 600, token_source: "chunks" })).toEqual([10, 10]);
  });

  test("is not that of a stream whose content came at once", () => {
    expect(of({ flags: ["buffered"], gaps_us: [0, 0] })).toEqual([undefined, undefined]);
    expect(of({ flags: ["large-first-event"] })).toEqual([undefined, undefined]);
  });

  test.each([{ output_tokens: 1 }, { output_tokens: 41, reasoning_tokens: 40 }, { output_tokens: undefined }])(
    "is not defined for %j",
    (more) => {
      expect(of(more)).toEqual([undefined, undefined]);
    },
  );
});

describe("tokens of a request", () => {
  test("are content where they are not reasoning", () => {
    const of = (more: Partial<Figures>) => METRICS.content_tokens.of({ ...STREAM, ...more });
    expect(of({ output_tokens: 51, reasoning_tokens: 40 })).toBe(11);
    expect(of({ output_tokens: 51, reasoning_tokens: 0 })).toBe(51);
    expect(of({ output_tokens: 51 })).toBeUndefined();
  });
});
