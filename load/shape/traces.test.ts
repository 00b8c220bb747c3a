import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TraceProcess } from "../../settings/load/arrival-process.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { arrivalsWithin, lengthOfTrace, meansOfTrace, requestsOf } from "./trace-counts.ts";
import { traceFacts } from "./trace-facts.ts";
import { readTrace, readTraces } from "./traces.ts";

const FILE = "trace.jsonl";
const read = (text: string, options: Partial<TraceProcess> = {}) =>
  readTrace(text, { process: "trace", file: FILE, ...options });
const parseTrace = (text: string, options?: Partial<TraceProcess>) => read(text, options).trace;

describe("a trace", () => {
  it("is read in the layout of Mooncake: JSON lines, milliseconds", () => {
    const file = `{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}
{"timestamp": 30535, "input_length": 6472, "output_length": 26, "hash_ids": [46]}\n`;
    expect(parseTrace(file)).toMatchObject({
      offsetsMs: [0, 3053],
      inputTokens: [6955, 6472],
      outputTokens: [52, 26],
      blocks: { ids: [46, 47, 46], starts: [0, 2, 3] },
    });
  });

  it("is read in the layout of Azure: CSV, date times with fractions", () => {
    const file = `TIMESTAMP,ContextTokens,GeneratedTokens\r
2023-11-16 18:15:46.6805900,374,44\r
2023-11-16 18:15:50.9951690,396,109\r
2023-11-17 02:00:00+02:00,5,6\r\n`;
    const { offsetsMs, ...lengths } = parseTrace(file);
    expect(lengths).toEqual({ inputTokens: [374, 396, 5], outputTokens: [44, 109, 6] });
    expect(offsetsMs[1]).toBeCloseTo(4314.579, 2);
    expect(offsetsMs[2]).toBeCloseTo(20_653_319.41, 2);
  });

  it("is read in the layout of BurstGPT: CSV, seconds", () => {
    const file = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45.5,GPT-4,1087,0,1317,"Conversation, log"\n`;
    expect(parseTrace(file)).toEqual({ offsetsMs: [0, 40_500], inputTokens: [472, 1087], outputTokens: [18, 1] });
  });

  it.each([
    [
      "Bailian",
      [
        { chat_id: 7, parent_chat_id: -1 },
        { chat_id: 8, parent_chat_id: -1 },
        { chat_id: 9, parent_chat_id: 7 },
        { chat_id: 10, parent_chat_id: 9 },
        { chat_id: 11, parent_chat_id: 3 },
      ],
      [0, 1, 0, 0, 4],
    ],
    [
      "AIPerf",
      [{ session_id: "a" }, { session_id: "b" }, {}, { session_id: "a" }, { session_id: null }],
      [0, 1, 2, 0, 4],
    ],
  ])("states sessions in the layout of %s", (_, rows, sessions) => {
    const lines = rows.map((row, at) => JSON.stringify({ timestamp: at * 300, ...row })).join("\n");
    expect(parseTrace(lines, { unit: "ms" }).sessions).toEqual(sessions);
    expect(parseTrace(lines, { unit: "ms", from: 600 }).sessions).toEqual(sessions.slice(2));
  });

  it("states sessions in the layout of BurstGPT", () => {
    expect(parseTrace("Timestamp,Session ID,Request tokens\n5,x,1\n45,,1\n60,x,1", { unit: "s" }).sessions).toEqual([
      0, 1, 0,
    ]);
  });

  it("may tell some lengths, or none", () => {
    expect(parseTrace('{"timestamp": 0}\n{"timestamp": 700}')).toEqual({
      offsetsMs: [0, 700],
      inputTokens: [],
      outputTokens: [],
    });
    expect(parseTrace("timestamp,output_tokens\n1,\n1,9")).toEqual({
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
    ['{"time": 1}', 'line 1 has no "timestamp" (it is "nothing")'],
    ['{"timestamp": "soon"}', 'line 1 has no "timestamp" (it is "soon")'],
    ['{"timestamp": -1}', "line 1 has an invalid time"],
    ['{"timestamp": 1, "input_length": 1.5}', 'line 1 has a length that is not a whole number of tokens (it is "1.5")'],
    ["Timestamp,ContextTokens\n1,many", 'line 2 has a length that is not a whole number of tokens (it is "many")'],
    ["Timestamp\n1\nsoon", 'line 3 has no time in the column "timestamp" (it holds "soon")'],
    ["Timestamp\n5\n\n4", "line 4 is due before line 2; sort the lines by time"],
  ])("%j is refused, with the line that is wrong", (file, reason) => {
    expect(() => parseTrace(file)).toThrow(`Cannot read arrivals from ${FILE}: ${reason}`);
    expect(() => parseTrace(file)).toThrow("see docs/load.md, Traces");
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
        expect(parseTrace(`\uFEFF${lines.join(end)}${end}`)).toEqual(expected(all));
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
        const { offsetsMs, ...lengths } = parseTrace(file);
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
            expect(parseTrace(text).offsetsMs[0]).toBe(0);
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
    expect(lengthOfTrace({ ...trace, offsetsMs: [0] })).toBe(1_000);
  });

  const FOUR = '{"timestamp":0}\n{"timestamp":1000}\n{"timestamp":1999}\n{"timestamp":4000}';
  it.each([
    [{ speed: 2 }, [0, 500, 999.5, 2_000]],
    [{ speed: 0.5 }, [0, 2_000, 3_998, 8_000]],
    [{ from: 1_000 }, [0, 999, 3_000]],
    [{ to: 1_999 }, [0, 1_000]],
    [{ from: 1, to: 4_000, speed: 2 }, [0, 499.5]],
  ])("has its times with %j at %j", (options, offsetsMs) =>
    expect(parseTrace(FOUR, { unit: "ms", ...options })).toEqual({ offsetsMs, inputTokens: [], outputTokens: [] }),
  );

  it("is refused where nothing of it is replayed", () =>
    expect(() => parseTrace(FOUR, { unit: "ms", from: 5_000 })).toThrow(
      "it has no arrival from 5 s; its last one is 4 s after its first",
    ));

  it("counts arrivals and tokens within a time and a bound", () => {
    const count = (ms: number, most?: number) => {
      const arrivals = arrivalsWithin(trace, ms, most);
      const { inputTokens, outputTokens } = meansOfTrace(trace, arrivals, { input: 7, output: 256 });
      return [arrivals, arrivals * inputTokens, arrivals * outputTokens];
    };
    expect(count(4_000)).toEqual([3, 47, 768]);
    expect(count(4_001)).toEqual([4, 87, 1_024]);
    expect(count(9_000, 2)).toEqual([2, 17, 512]);
  });
});

/** Arrivals each `step` apart. */
const every = (step: number, first: number, more: object = {}, count = 40): string =>
  Array.from({ length: count }, (_, at) => JSON.stringify({ timestamp: first + at * step, ...more })).join("\n");

describe("a trace of dates with durations", () => {
  const at = (s: number, more: object): string =>
    JSON.stringify({ timestamp: new Date(1_764_000_000_000 + s * 1_000).toISOString(), duration_ms: 400, ...more });
  const turn = (s: number, input: number, output: number | undefined, session = 1, more: object = {}): string =>
    at(s, { input_length: input, output_length: output, session_id: session, ...more });

  it("has turns where a request sends more than the one before in its session, after the response to that", () => {
    const lines = [turn(0, 100, 20), turn(1, 50, 5, 2), turn(3, 150, 30), turn(3.2, 60, 5, 2), turn(9, 400, 10)];
    const { trace } = read(lines.join("\n"));
    expect(trace).toMatchObject({
      ...{ offsetsMs: [0, 1_000], inputTokens: [100, 50], outputTokens: [20, 5], endsMs: [9_000, 3_200] },
      turns: {
        starts: [0, 2, 3],
        thinkMs: [2_600, 5_600, 1_800],
        inputTokens: [30, 220, 5],
        outputTokens: [30, 10, 5],
      },
    });
    expect(requestsOf(trace, 0)).toEqual([
      { input: 100, output: 20, before: 0 },
      { input: 150, output: 30, before: 120 },
      { input: 400, output: 10, before: 180 },
    ]);
    expect(lengthOfTrace(trace)).toBe(10_000);
    expect(traceFacts([{ ...read(lines.join("\n")), speed: 1, arrivals: 2 }])).toMatchObject({
      ...{ arrivals: 2, requests: 5, inputTokens: 760, outputTokens: 70, lengthMs: 10_000 },
    });
  });

  it("has sent before what a turn repeats, and the blocks with which a conversation begins", () => {
    const [first, again, last] = [
      [1, 2],
      [1, 2, 3],
      [1, 2],
    ].map((hash_ids) => ({ hash_ids, block_size: 50 }));
    const lines = [turn(0, 100, 20, 1, first), turn(3, 150, 30, 1, again), turn(5, 100, 5, 2, last)];
    const { sharedTokens } = traceFacts([{ ...read(lines.join("\n")), speed: 1, arrivals: 2 }]);
    expect(sharedTokens).toBe(120 + 100);
  });

  it.each([
    ["overlap", [turn(0, 100, 20), turn(0.3, 150, 30)]],
    ["send no more than the one before", [turn(0, 100, 20), turn(3, 100, 30)]],
    ["follow one that got nothing", [turn(0, 100, undefined), turn(3, 150, 30)]],
  ])("has requests of their own where they %s", (_, lines) =>
    expect(read(lines.join("\n")).trace.turns).toBeUndefined(),
  );

  it("keeps the times of the file where another part of it is replayed beside", () => {
    const lines = [
      turn(0, 1, 1, 1, { tenant: "a" }),
      turn(5, 1, 1, 2, { tenant: "b" }),
      turn(9, 1, 1, 3, { tenant: "b" }),
    ];
    const of = (isShared: boolean, options: object) =>
      readTrace(lines.join("\n"), { process: "trace", file: FILE, tenant: "b", ...options }, isShared).trace.offsetsMs;
    expect(of(true, {})).toEqual([5_000, 9_000]);
    expect(of(true, { from: 6_000, speed: 2 })).toEqual([1_500]);
    expect(of(false, {})).toEqual([0, 4_000]);
  });
});

describe("parts of a trace", () => {
  const operations = ["chat", "embeddings"];
  const row = (nth: number) => ({
    ...{ timestamp: nth * 1_000, input_length: 9, session_id: nth % 7, hash_ids: [nth] },
    ...{ tenant: `t${nth % 5}`, operation: operations[nth % 2] },
  });
  const file = Array.from({ length: 40 }, (_, nth) => JSON.stringify(row(nth))).join("\n");
  const part = (options: Partial<TraceProcess>): TraceProcess => ({
    process: "trace",
    file: FILE,
    unit: "ms",
    ...options,
  });
  const parts = [
    ...Array.from({ length: 5 }, (_, nth) => part({ tenant: `t${nth}`, operation: "chat" })),
    part({ operation: "embeddings", speed: 2 }),
    part({ tenant: "t1", operation: "chat", from: 10_000 }),
    part({ file: "other.jsonl", operation: "chat" }),
  ];

  it("are what each is alone, and each file is read once", () => {
    const files: string[] = [];
    const readPart = readTraces(parts, true, (name) => {
      files.push(name);
      return file;
    });
    for (const each of parts) expect(readPart(each)).toEqual(readTrace(file, each, true));
    expect(files).toEqual([FILE, "other.jsonl"]);
  });

  it("that have no request, or those of several operations, are refused alone", () => {
    const wrong = [part({ tenant: "t9" }), part({ tenant: "t1" })] as const;
    const readPart = readTraces([...parts, ...wrong], true, () => file);
    expect(readPart(part({ tenant: "t0", operation: "chat" })).trace.offsetsMs).toHaveLength(4);
    expect(() => readPart(wrong[0])).toThrow("no request is of t9; operations: chat, embeddings; tenants: t0, t1, t2");
    expect(() => readPart(wrong[1])).toThrow("its requests are of several operations (chat, embeddings)");
  });
});

describe("the unit of times that are numbers", () => {
  it.each([
    ["milliseconds, where seconds would be one arrival in five minutes", every(300, 0), "ms", undefined],
    ["seconds, where milliseconds would be 2,857 per second", every(0.35, 61.114), "s", undefined],
    ["seconds since 1970", every(0.4, 1_700_000_000), "s", undefined],
    ["milliseconds since 1970", every(300, 1_700_000_000_000), "ms", undefined],
    ["milliseconds of Mooncake, at 20 per second", every(50, 0, { input_length: 9, hash_ids: [1] }), "ms", "Mooncake"],
    ["seconds of Bailian, at 0.5 per second", every(2, 0, { chat_id: 1, parent_chat_id: -1 }), "s", "Bailian"],
    ["milliseconds of AIPerf", every(50, 0, { text: "q" }), "ms", "AIPerf"],
    ["seconds of an array", `[${every(0.35, 0).replaceAll("\n", ",")}]`, "s", undefined],
    [
      "seconds of BurstGPT",
      "Timestamp,Model,Request tokens,Response tokens\n5,a,1,1\n45,a,1,1\n60,a,1,1",
      "s",
      "BurstGPT",
    ],
  ])("is found: %s", (_, text, unit, layout) => {
    const { source } = read(text);
    expect([source.unit, source.layout]).toEqual([unit, layout]);
  });

  it("is asked for where both are possible, and taken as it is given", () => {
    expect(() => read(every(50, 0))).toThrow(
      "its times can be seconds or milliseconds (0.02 arrivals per second in s, 20 arrivals per second in ms). " +
        "Say which they are: --arrival trace:FILE,unit=s or unit=ms",
    );
    expect(parseTrace(every(50, 0, {}, 2), { unit: "s" }).offsetsMs).toEqual([0, 50_000]);
    expect(parseTrace(every(50, 0, {}, 2), { unit: "us" }).offsetsMs).toEqual([0, 0.05]);
  });
});

describe("what is said of a trace", () => {
  const lines = [
    { timestamp: 5_000, input_length: 1_100, output_length: 7, hash_ids: [1, 2, 3], note: "m" },
    { timestamp: 5_400, input_length: 1_200, output_length: 8, hash_ids: [1, 2, 4], note: "m" },
    { timestamp: 7_000, input_length: 600, output_length: 9, hash_ids: [1, 2], note: "m" },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");

  it("is its layout, times, rate, tokens, and how many of them are in blocks that were sent before", () =>
    expect(traceFacts([{ ...read(text, { speed: 2 }), speed: 2, arrivals: 3 }])).toEqual({
      layout: "Mooncake",
      unit: "ms",
      ...{ arrivals: 3, lengthMs: 2_000, firstMs: 5_000, lastMs: 7_000, peakPerSecond: 2 },
      ...{ inputTokens: 2_900, outputTokens: 24, blockTokens: 512, sharedTokens: 1_024 + 600 },
      unused: ["note"],
    }));

  it.each([
    [
      512,
      "an id per block, the last of which has fewer tokens",
      [
        [1_100, 3],
        [512, 1],
        [513, 2],
      ],
    ],
    [
      16,
      "an id per whole block",
      [
        [52, 3],
        [33, 2],
      ],
    ],
    [
      214,
      "the least that holds all prompts, where no published size fits",
      [
        [640, 3],
        [600, 3],
      ],
    ],
  ])("has blocks of %d tokens: %s", (size, _, prompts) => {
    const rows = prompts.map(([tokens = 0, ids = 0], at) =>
      JSON.stringify({ timestamp: at, input_length: tokens, hash_ids: Array.from({ length: ids }, (_id, id) => id) }),
    );
    expect(parseTrace(rows.join("\n")).blocks?.tokens).toBe(size);
  });

  it.each([
    ['{"timestamp": 0, "text": "a"}\n{"timestamp": 1}', "of line 1 and line 2 one has a text and the other has none"],
    ['{"timestamp": 0}\n{"timestamp": "2026-01-01T00:00:00Z"}', "line 2 has a date as its time, and line 1 not"],
    ['{"session_id": "a", "delay": 5}', "line 1 is a turn of a session (AIPerf) that comes some time after another"],
    ['{"session_id": "a", "input_length": 5}', "line 1 is a turn of a session (AIPerf)"],
    ['{"timestamp": 0, "turns": [{"text": "a"}]}', "line 1 is a session with its turns (AIPerf multi-turn)"],
    ['{"timestamp": 0, "hash_ids": ["a"]}', 'line 1 has "hash_ids" that are not a list of whole numbers'],
    ["[1", "it begins with [ and is not one JSON array"],
    ["[]", "it contains no arrival"],
    ['[{"timestamp": 0}, 5]', 'item 2 is not a JSON object (it starts with "5")'],
  ])("%j is refused", (file, reason) => expect(() => read(file)).toThrow(reason));
});
