import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../settings/usage-error.ts";
import { atSpeed, countWithin, lengthOfTrace, parseTrace } from "./traces.ts";

const FILE = "trace.jsonl";

describe("a trace", () => {
  it("is read in the layout of Mooncake: JSON lines, milliseconds", () => {
    const file = `{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}
{"timestamp": 30535, "input_length": 6472, "output_length": 26, "hash_ids": [46]}\n`;
    expect(parseTrace(file, FILE)).toEqual({ offsetsMs: [0, 3053], inputTokens: [6955, 6472], outputTokens: [52, 26] });
  });

  it("is read in the layout of Azure: CSV, date times with fractions", () => {
    const file = `TIMESTAMP,ContextTokens,GeneratedTokens\r
2023-11-16 18:15:46.6805900,374,44\r
2023-11-16 18:15:50.9951690,396,109\r
2023-11-17 02:00:00+02:00,5,6\r\n`;
    const { offsetsMs, ...lengths } = parseTrace(file, FILE);
    expect(lengths).toEqual({ inputTokens: [374, 396, 5], outputTokens: [44, 109, 6] });
    expect(offsetsMs[1]).toBeCloseTo(4314.579, 2);
    expect(offsetsMs[2]).toBeCloseTo(20_653_319.41, 2);
  });

  it("is read in the layout of BurstGPT: CSV, seconds", () => {
    const file = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45.5,GPT-4,1087,0,1317,"Conversation, log"\n`;
    expect(parseTrace(file, FILE)).toEqual({ offsetsMs: [0, 40_500], inputTokens: [472, 1087], outputTokens: [18, 1] });
  });

  it("may tell some lengths, or none", () => {
    expect(parseTrace('{"timestamp": 0}\n{"timestamp": 7}', FILE)).toEqual({
      offsetsMs: [0, 7],
      inputTokens: [],
      outputTokens: [],
    });
    expect(parseTrace("timestamp,output_tokens\n1,\n1,9", FILE)).toEqual({
      offsetsMs: [0, 0],
      inputTokens: [],
      outputTokens: [0, 9],
    });
  });

  it.each([
    ["", "it contains no arrival"],
    ["Timestamp\n", "it contains no arrival"],
    ["when,what\n1,2", 'line 1 is neither a JSON object nor the header of a CSV file with a Timestamp ("when,what")'],
    ['{"timestamp": 1}\n\n{"timestamp": ', 'line 3 is not a JSON object (it starts with "{"timestamp":")'],
    ['{"time": 1}', 'line 1 has no "timestamp" in milliseconds (it is "nothing")'],
    ['{"timestamp": "soon"}', 'line 1 has no "timestamp" in milliseconds (it is "soon")'],
    ['{"timestamp": -1}', "line 1 has an invalid time"],
    ['{"timestamp": 1, "input_length": 1.5}', 'line 1 has a length that is not a whole number of tokens (it is "1.5")'],
    ["Timestamp,ContextTokens\n1,many", 'line 2 has a length that is not a whole number of tokens (it is "many")'],
    ["Timestamp\n1\nsoon", 'line 3 has no time in the column "timestamp" (it holds "soon")'],
    ["Timestamp\n5\n\n4", "line 4 is due before line 2; sort the lines by time"],
  ])("%j is refused, with the line that is wrong", (file, reason) => {
    expect(() => parseTrace(file, FILE)).toThrow(`Cannot read arrivals from ${FILE}: ${reason}`);
    expect(() => parseTrace(file, FILE)).toThrow("see docs/load.md, Traces");
  });

  const arrival = fc.record({
    gap: fc.integer({ min: 0, max: 100_000 }),
    input: fc.option(fc.integer({ min: 1, max: 200_000 })),
    output: fc.option(fc.integer({ min: 1, max: 10_000 })),
  });
  const arrivals = fc.array(arrival, { minLength: 1 }).map((all) => {
    let at = 1_700_000_000_000;
    return all.map(({ gap, input, output }) => {
      at += gap;
      return { at, input, output };
    });
  });
  const expected = (all: readonly { at: number; input: number | null; output: number | null }[]) => {
    const column = (of: (row: (typeof all)[number]) => number | null) => {
      const lengths = all.map((row) => of(row) ?? 0);
      return lengths.every((length) => length === 0) ? [] : lengths;
    };
    return {
      offsetsMs: all.map(({ at }) => at - (all[0]?.at ?? 0)),
      inputTokens: column(({ input }) => input),
      outputTokens: column(({ output }) => output),
    };
  };
  const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n", "\n \t\n");

  it("gives back what was written as JSON lines, whatever the lines", () => {
    fc.assert(
      fc.property(arrivals, lineEnd, (all, end) => {
        const lines = all.map(({ at, input, output }) =>
          JSON.stringify({ output_length: output, model: "x,y", timestamp: at, input_length: input }),
        );
        expect(parseTrace(`\uFEFF${lines.join(end)}${end}`, FILE)).toEqual(expected(all));
      }),
    );
  });

  it("gives back what was written as CSV with date times, whatever the order of its columns", () => {
    fc.assert(
      fc.property(arrivals, lineEnd, fc.boolean(), (all, end, zoned) => {
        const time = (at: number) =>
          new Date(at)
            .toISOString()
            .replace("Z", zoned ? "Z" : "000")
            .replace("T", zoned ? "T" : " ");
        const lines = all.map(({ at, input, output }) => `"a ""b"", c",${output ?? ""},${time(at)},${input ?? ""}`);
        const file = [`Model,GeneratedTokens,TIMESTAMP,ContextTokens`, ...lines].join(end);
        const { offsetsMs, ...lengths } = parseTrace(file, FILE);
        const { offsetsMs: offsets, ...rest } = expected(all);
        expect(lengths).toEqual(rest);
        for (const [index, offset] of offsets.entries()) expect(offsetsMs[index]).toBeCloseTo(offset, 2);
      }),
    );
  });

  it("is read or refused with a reason, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => `Timestamp,Request tokens\n${text}`),
        ),
        (text) => {
          try {
            expect(parseTrace(text, FILE).offsetsMs[0]).toBe(0);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
    );
  });
});

describe("a trace that is replayed", () => {
  const trace = { offsetsMs: [0, 1_000, 1_999, 4_000], inputTokens: [10, 0, 30, 40], outputTokens: [] };

  it("takes whole seconds, and its last arrival is within", () => {
    expect(lengthOfTrace(trace)).toBe(5_000);
    expect(lengthOfTrace(atSpeed(trace, 2))).toBe(3_000);
    expect(lengthOfTrace({ ...trace, offsetsMs: [0] })).toBe(1_000);
  });

  it("has its times divided by its speed, and nothing else changed", () => {
    expect(atSpeed(trace, 2)).toEqual({ ...trace, offsetsMs: [0, 500, 999.5, 2_000] });
    expect(atSpeed(trace, 0.5).offsetsMs).toEqual([0, 2_000, 3_998, 8_000]);
  });

  it("counts arrivals and tokens within a time and a bound", () => {
    const count = (ms: number, most?: number) => {
      const { arrivals, input, output } = countWithin(trace, ms, most);
      return [arrivals, input(7), output(256)];
    };
    expect(count(4_000)).toEqual([3, 47, 768]);
    expect(count(4_001)).toEqual([4, 87, 1_024]);
    expect(count(9_000, 2)).toEqual([2, 17, 512]);
  });
});
