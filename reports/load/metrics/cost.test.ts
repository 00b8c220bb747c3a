import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { chatRecord, httpError, unanswered } from "../../../tests/support/results/load-run.ts";
import { withRead, withShards } from "../../../tests/support/results/summarize-shards.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { costInLine, costRemarks, formatAmount } from "../views/cost-rows.ts";
import { costOf } from "./cost.ts";

const PRICES = {
  currency: "EUR",
  ...{ input: 0.1, cached: 0.03, output: 0.7, request: 0.000_1, "video-second": { "720p": 0.04, "1080p": 0.08 } },
  models: { large: { output: 2.1 } },
};

const WORKLOADS = [
  { name: "a", operation: "chat-stream" as const, tenant: "A" },
  { name: "b", operation: "chat-stream" as const, tenant: "B" },
  { name: "films", operation: "video" as const, tenant: "B" },
];

/** The chats of two tenants, some by a model of its own; amounts in millionths of a millionth. */
const chats = Array.from({ length: 300 }, (_, index) => {
  const [workload, model] = [index % 3 === 0 ? "a" : "b", index % 7 === 0 ? "large" : "small"];
  const tokens = { input_tokens: 17 + index, cached_tokens: index % 11, output_tokens: 3 + (index % 13) };
  const phase = index < 30 ? "warmup" : "measure";
  const record: RequestRecord = { ...chatRecord(index, index * 10, phase), arrival: index, workload, model, ...tokens };
  const { input_tokens, cached_tokens, output_tokens } = tokens;
  const output = model === "large" ? 2_100_000 : 700_000;
  const amount =
    (input_tokens - cached_tokens) * 100_000 + cached_tokens * 30_000 + output_tokens * output + 100 * 1_000_000;
  return { record, amount };
});

const sum = (which: (record: RequestRecord) => boolean): number =>
  chats.reduce((total, { record, amount }) => total + (which(record) ? amount : 0), 0);

const video = (
  task: string,
  history: readonly string[],
  more: Partial<RequestRecord>,
  cost?: number,
): RequestRecord[] =>
  videoRecords(task, history).map((record) => ({
    ...record,
    ...{ workload: "films", model: "film", reused: true },
    ...(record.op === "video.submit" && more),
    ...(record.task_state === "completed" && cost !== undefined && { cost }),
  }));

const { input_tokens: _, ...untold } = chatRecord(1_000, 5_000, "measure");
const OTHERS: readonly RequestRecord[] = [
  // Without usage, and refused, and never there.
  { ...untold, workload: "a", model: "small", token_source: "chunks", output_tokens: 10 },
  { ...httpError(chatRecord(1_001, 5_000, "measure"), 429), workload: "a", reused: true },
  { ...unanswered(chatRecord(1_002, 5_000, "measure")), workload: "a" },
  // A later turn, in the drain, of a measured arrival.
  {
    ...chatRecord(1_003, 9_000, "drain"),
    arrival: 299,
    turn: 2,
    workload: "b",
    model: "small",
    input_tokens: 10,
    output_tokens: 0,
  },
  ...video("listed", ["submit@0", "poll@1000:completed"], { video_seconds: 10, video_resolution: "1080p" }),
  ...video("stated", ["submit@0", "poll@1000:completed"], {}, 0.25),
  ...video("open", ["submit@0", "poll@1000:processing"], {}),
];

const NONE = { offered: 0, started: 0, not_started: 0, completed: 0, unfinished: 0, ok: 0, failed: 0, outcomes: {} };

test("costs are those of the usage that was reported, exact, and the tenants together cost as much as the run", async () => {
  const records = [...chats.map(({ record }) => record), ...OTHERS];
  const counts = { ...NONE, offered: 273, started: 273, completed: 273, ok: 200 };
  const metrics = { goodput_share: { unit: "share", count: 200, value: 0.5 } };
  const run = { counts, metrics, workloads: WORKLOADS };
  const films = { models: { film: { request: 0.5 } } };
  const [cost, ofFilms] = await withRead(records, async ({ database }) => [
    await costOf(database, { ...run, settings: { prices: PRICES } }),
    await costOf(database, { ...run, settings: { prices: films } }),
  ]);
  const UNTOLD = 100 * 1_000_000;
  const TURN = 10 * 100_000 + 100 * 1_000_000;
  const FILMS = 10 * 80_000 * 1_000_000 + 100 * 1_000_000 + 250_000 * 1_000_000;
  const all = sum(() => true) + UNTOLD + TURN + FILMS;
  const measured = all - sum(({ phase }) => phase === "warmup");
  const a = sum(({ workload }) => workload === "a") + UNTOLD;
  const large = sum(({ model }) => model === "large");
  expect(cost).toEqual({
    currency: "EUR",
    total: all / 1e12,
    measured: measured / 1e12,
    perOk: measured / 1e12 / 200,
    per1000Good: ((measured / 1e12) * 1_000) / 100,
    workloads: { a: a / 1e12, b: (all - FILMS - a) / 1e12, films: FILMS / 1e12 },
    tenants: { A: a / 1e12, B: (all - a) / 1e12 },
    models: { large: large / 1e12, small: (all - FILMS - large) / 1e12, film: FILMS / 1e12 },
    untold: { requests: 1, of: 302 },
    openTasks: 1,
    stated: { tasks: 1, total: 0.25, listed: 0.2001 },
  });
  // Of the chats none has a price, and of the completed video that states none, its seconds.
  expect(ofFilms).toMatchObject({ total: 0.75, unpriced: 303, openTasks: 1 });
  expect(ofFilms).not.toHaveProperty("untold");
  const exact = (amounts: Readonly<Record<string, number>> = {}): number =>
    Object.values(amounts).reduce((total, amount) => total + Math.round(amount * 1e12), 0);
  for (const amounts of [cost?.tenants, cost?.workloads, cost?.models]) expect(exact(amounts)).toBe(all);
});

test("tasks of two load generators cost twice what those of one do, whatever their ids", async () => {
  const films = video("film", ["submit@0", "poll@1000:completed"], {}, 0.25);
  const counts = { ...NONE, ok: 2 };
  const cost = await withShards([films, films], ({ database }) =>
    costOf(database, { counts, metrics: {}, workloads: undefined, settings: { prices: PRICES } }),
  );
  expect(cost).toMatchObject({ total: 0.5, perOk: 0.25, stated: { tasks: 2 } });
});

test("what is not in the cost is said, and where the target states another one", () => {
  const cost = {
    currency: "EUR",
    total: 12.345,
    measured: 10,
    perOk: 0.001_234_5,
    per1000Good: 1.5,
    tenants: { A: 4, B: 8.345 },
  };
  expect(costInLine(cost)).toBe(
    "12.35 EUR, of this measured 10.00 EUR; 0.00123 EUR per ok request; 1.50 EUR per 1,000 good requests; tenants: A 4.00 EUR, B 8.35 EUR",
  );
  expect(costInLine({ total: 0, measured: 0 })).toBe("0.00");
  const more = { untold: { requests: 12, of: 300 }, unpriced: 1, openTasks: 2 };
  expect(costRemarks({ ...cost, ...more, stated: { tasks: 3, total: 1.5, listed: 2 } })).toEqual([
    "12 of 300 requests stated no usage; their tokens are not in the cost",
    "the list has no price for 1 request (tasks for videos); the cost leaves them out",
    "2 video tasks did not complete and state no cost; what they cost is not known",
    "the target stated 1.50 EUR for 3 video tasks (total_cost), which the cost includes; by the price list they cost 2.00 EUR: the target states 0.50 EUR (25%) less",
  ]);
  expect(costRemarks({ ...cost, stated: { tasks: 3, total: 2, listed: 2 } })).toEqual([]);
  expect([1_234.5, 0.5, 0.000_012_345, 2].map((amount) => formatAmount(amount))).toEqual([
    "1,234.50",
    "0.50",
    "0.0000123",
    "2.00",
  ]);
});
