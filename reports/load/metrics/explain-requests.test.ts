/** Planted causes are named, alone and two together, and none where there is none. */

import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { makeRun } from "../../../tests/support/results/load-run.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { type Cause, explainRequests } from "./explain-requests.ts";

const COUNT = 240;
const RUNS = 100;
const SLO = parseSlo("ttft_p90<500ms");

/** What a request of a simulated run is. */
interface Row {
  readonly s: number;
  readonly input: number;
  readonly output: number;
  readonly open: number;
  readonly turn: number;
  readonly workload: number;
  readonly model: number;
  readonly isNew: number;
  readonly repeated: number;
}

type Delay = (row: Row) => number;

function runOf(seed: number, delay: Delay) {
  const { uniform, normal } = randomFrom(seed);
  const among = (count: number): number => Math.floor(uniform() * count);
  const rows: Row[] = Array.from({ length: COUNT }, (_, index) => ({
    ...{ s: index / 8, input: Math.round(200 * Math.exp(normal())), output: 20 + among(200), open: 1 + among(12) },
    ...{ turn: 1 + among(4), workload: among(3), model: among(3), isNew: among(5) === 0 ? 1 : 0, repeated: among(2) },
  }));
  const column = (of: (row: Row) => number): Float64Array => Float64Array.from(rows, of);
  const causes: Cause[] = [
    { name: "time", kind: "instant", of: column(({ s }) => s) },
    { name: "input token", kind: "number", of: column(({ input }) => input) },
    { name: "output token", kind: "number", of: column(({ output }) => output) },
    { name: "open request", kind: "number", of: column(({ open }) => open) },
    { name: "turn", kind: "number", of: column(({ turn }) => turn) },
    { name: "workload", kind: "name", names: ["a", "b", "c"], of: column(({ workload }) => workload) },
    { name: "model", kind: "name", names: ["x", "y", "z"], of: column(({ model }) => model) },
    { name: "connection", kind: "name", names: ["reused", "new"], of: column(({ isNew }) => isNew) },
    { name: "prompt", kind: "name", names: ["new", "repeated"], of: column(({ repeated }) => repeated) },
  ];
  return { causes, values: Float64Array.from(rows, (row) => 250 * Math.exp(0.15 * normal()) + delay(row)) };
}

const saidOf = (delay: Delay): (string | undefined)[] =>
  Array.from({ length: RUNS }, (_, seed) => explainRequests(SLO, runOf(seed + 1, delay)));

test.each<[string, Delay, RegExp]>([
  ["time", ({ s }) => (s >= 10 && s < 15 ? 600 : 0), /^of \d+ requests from (?:9|10) to 1[56] s \d+ exceed/],
  [
    "input tokens",
    ({ input }) => 0.6 * input,
    /^ttft grows by 0\.\d+ ms per input token: of \d+ requests with [\d,]+ input tokens or more/,
  ],
  ["output tokens", ({ output }) => 2 * output, /^ttft grows by .* per output token: /],
  [
    "open requests",
    ({ open }) => (open > 9 ? 400 : 0),
    /per open request: of \d+ requests with 10 open requests or more \d+ exceed 500\.0 ms/,
  ],
  ["turn", ({ turn }) => (turn === 4 ? 400 : 0), /of \d+ requests with 4 turns or more/],
  [
    "workload",
    ({ workload }) => (workload === 1 ? 400 : 0),
    /^of \d+ requests with workload b \d+ exceed 500\.0 ms, of \d+ others/,
  ],
  ["model", ({ model }) => (model !== 1 ? 400 : 0), /^of \d+ requests with model (?:x, z|z, x) /],
  ["a new connection", ({ isNew }) => 400 * isNew, /^of \d+ requests with connection new /],
  ["a new prompt", ({ repeated }) => 400 * (1 - repeated), /^of \d+ requests with prompt new /],
  [
    "two together",
    ({ model, s }) => (model === 0 || (s >= 10 && s < 18) ? 600 : 0),
    /^of \d+ requests .*; of the others, of \d+ requests /,
  ],
])("%s, planted, is named in 95 of 100 runs", (_, delay, expected) => {
  const said = saidOf(delay);
  const right = said.filter((each) => each !== undefined && expected.test(each));
  expect(
    right.length,
    said.find((each) => each === undefined || !expected.test(each)),
  ).toBeGreaterThanOrEqual(95);
  if (_ !== "two together")
    expect(said.filter((each) => each?.includes("; of the others")).length).toBeLessThanOrEqual(5);
});

test("none is named where there is none", () => {
  const { uniform } = randomFrom(3);
  const said = saidOf(() => (uniform() < 0.2 ? 600 : 0));
  expect(
    said.filter((each) => each?.startsWith("explained by none of time, input token,")).length,
  ).toBeGreaterThanOrEqual(95);
});

test.each<[string, (record: RequestRecord, index: number) => Partial<RequestRecord>, RegExp]>([
  [
    "input tokens",
    (_, index) => ({ input_tokens: 100 + ((index * 37) % 200), ttft: 3 * (100 + ((index * 37) % 200)) }),
    /^ttft grows by 3\.00 ms per input token: of \d+ requests with 2\d\d input tokens or more \d+ exceed 800\.0 ms, of \d+ others none/,
  ],
  [
    "lost packets",
    (_, index) => ({ ...(index % 7 === 0 && { flags: ["packet-loss"] }), ttft: index % 7 === 0 ? 900 : 100 }),
    /^of \d+ requests with packets lost (\d+) exceed 800\.0 ms, of \d+ others none/,
  ],
  [
    "new connections",
    (_, index) => ({ reused: index % 7 !== 0, ttft: index % 7 === 0 ? 900 : 100 }),
    /^of \d+ requests with connection new (\d+) exceed 800\.0 ms, of \d+ others none/,
  ],
  [
    "prompts that were not sent before",
    (_, index) => ({ input_digest: index % 7 === 0 ? 1_000 + index : index % 2, ttft: index % 7 === 0 ? 900 : 100 }),
    /^of \d+ requests with prompt new \d+ exceed 800\.0 ms/,
  ],
  [
    "open requests",
    (record, index) => ({
      ttft: index % 40 < 20 ? 100 : 900,
      e2e: index % 40 < 20 ? 110 : 1_900,
      scheduled: record.scheduled,
    }),
    /per open request|open requests or/,
  ],
])("of records, %s are named in the cause of a missed objective", async (_, change, expected) => {
  const run = makeRun({ change: (record, index) => ({ ...record, ...change(record, index) }) });
  const { slos } = await summarize([run], { slos: ["ttft_p50<800ms", "ttft_p90<800ms"] });
  expect(slos[1]).toMatchObject({ ok: false, cause: expect.stringMatching(expected) });
});

test("too few requests beyond the bound are not explained", () => {
  expect(
    explainRequests(
      SLO,
      runOf(1, ({ s }) => (s < 1 ? 600 : 0)),
    ),
  ).toBeUndefined();
  expect(explainRequests(SLO, { ...runOf(1, ({ s }) => (s < 5 ? 600 : 0)), causes: [] })).toBeUndefined();
});
