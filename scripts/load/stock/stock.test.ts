import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { clientLine } from "../../../formats/client.ts";
import { arrivalLine, recordHeader, requestRecord } from "../../../formats/records.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { redactor } from "../../../lib/redact.ts";
import { readLoadSettings } from "../../../scenarios/process/checked-settings.ts";
import { ONLY_SENT_MEMBERS, SENT_MEMBERS } from "../../../scenarios/stock/console-facts.ts";
import { newFolder } from "../../../tests/support/assay-process.ts";
import { wholeLines } from "../../cli/file-lines.ts";
import { openTasks } from "../../tasks/open-tasks.ts";
import { consoleLine, type Fact } from "./console-line.ts";
import { usageOf } from "./process-usage.ts";
import { RecordBuilder } from "./record-builder.ts";
import { stockPlanOf } from "./stock-plan.ts";

const FORMATS = fileURLToPath(new URL("../../../formats/", import.meta.url));
const START = "2026-01-02T03:04:05.000000Z";
const at = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();

type Row = Readonly<Record<string, unknown>>;

/** What is made of facts. */
function made(facts: readonly Fact[]): { builder: RecordBuilder; records: Row[]; tasks: Row[] } {
  const files = { records: [] as Row[], tasks: [] as Row[] };
  const builder = new RecordBuilder("v2.2.0 (stock)", (file, line) => files[file].push(line));
  for (const fact of facts) builder.take(fact);
  return { builder, ...files };
}

const settings = { scenario: "chat", target: "http://host", duration: 1_000, warmup: 0 };
const run: Fact = { line: "run", settings, seed: 7 };
const arrival = (phase: "warmup" | "measure", index = 0): Fact => ({
  line: "arrival",
  index,
  phase,
  at: START,
  start: START,
});
const sent = (
  id: string,
  op: "chat" | "embeddings" | "video.submit" | "video.poll" = "chat",
  more: object = {},
): Fact => ({
  line: "sent",
  id,
  op,
  phase: "measure",
  model: "m",
  sent: at(10),
  ...more,
});
const ended = (id: string, more: object = {}): Fact => ({
  line: "ended",
  id,
  outcome: "ok",
  status: 200,
  e2e: 5,
  ...more,
});

describe("the records of a stock run", () => {
  test("begin with a header, then hold one line per request as it ended", () => {
    const { records } = made([run, run, arrival("measure"), sent("a"), ended("a", { sent: at(11), chunks: 3 })]);
    const [header, record] = records;
    expect(records).toHaveLength(2);
    expect(header).toEqual({
      schema: "assay.records/1",
      settings,
      seed: 7,
      k6: "v2.2.0 (stock)",
      stock: true,
      startedAt: START,
    });
    expect(requestRecord.parse(record)).toMatchObject({ id: "a", sent: at(11), scheduled: at(11), chunks: 3 });
    expect(record).not.toHaveProperty("line");
  });

  test("hold the requests that k6 cut off, whose scripts never came to their end", () => {
    const { builder, records, tasks } = made([run, sent("a"), sent("b", "video.submit")]);
    builder.cutOff();
    expect(records.slice(1)).toMatchObject([
      { id: "a", outcome: "cancelled_by_us" },
      { id: "b", outcome: "cancelled_by_us" },
    ]);
    expect(records[1]).not.toHaveProperty("e2e");
    expect(tasks.map(({ event }) => event)).toEqual(["submitting", "unknown"]);
    expect(builder.records).toBe(2);
  });
});

test("vectors of another length than the first ones of their model are a breach of the contract", () => {
  const { records } = made([
    run,
    ...[3, 3, 4, 3].flatMap((dimensions, at) => [sent(`m${at}`, "embeddings"), ended(`m${at}`, { dimensions })]),
    ...[sent("o", "embeddings", { model: "other" }), ended("o", { dimensions: 4 })],
  ]);
  expect(records.slice(1).map(({ outcome }) => outcome)).toEqual(["ok", "ok", "contract", "ok", "ok"]);
  expect(records[3]).toHaveProperty(
    "detail",
    "The vectors have length 4, where 3 was expected, that of the first vectors of the model m in this run.",
  );
});

test("the records of a stock run are the recorded lines, whoever writes and reads them", () => {
  const lines = wholeLines(join(FORMATS, "testdata/stock-records.jsonl")).map((line) => JSON.parse(line));
  const { settings: recorded, seed, startedAt } = recordHeader.parse(lines[0]);
  const facts = lines.slice(1).flatMap((line): Fact[] => {
    const sentFact: Fact = { line: "sent", ...requestRecord.pick(SENT_MEMBERS).parse(line) };
    const rest = requestRecord.omit({ ...ONLY_SENT_MEMBERS, scheduled: true }).parse(line);
    return rest.status === undefined ? [sentFact] : [sentFact, { line: "ended", ...rest }];
  });
  const first: Fact = { line: "arrival", index: 0, phase: "warmup", at: startedAt, start: startedAt };
  const { builder, records } = made([
    { line: "run", settings: recorded, seed: seed ?? 0 },
    first,
    ...facts,
    { line: "arrival-ended", index: 0 },
  ]);
  builder.cutOff();
  expect(records).toEqual(lines);
});

test("the arrivals of a stock run whose requests do not tell how they ended are the recorded lines", () => {
  const lines: unknown[] = wholeLines(join(FORMATS, "testdata/arrival-lines.jsonl")).map((line) => JSON.parse(line));
  // k6 tells how many arrivals it did not start, but not which.
  const arrivals = lines.map((line) => arrivalLine.parse(line).arrival).filter(({ end }) => end !== "not_started");
  const facts = arrivals.flatMap(({ index, phase, scheduled, end, detail }): Fact[] => [
    { line: "arrival", index, phase: phase === "warmup" ? phase : "measure", at: scheduled, start: START },
    ...(end === "unfinished" ? [] : [omitUndefined({ line: "arrival-ended", index, end, detail } as const)]),
  ]);
  const { builder, records } = made([run, ...facts, arrival("measure", 7), { line: "arrival-ended", index: 7 }]);
  builder.cutOff();
  expect(records.slice(1)).toEqual(arrivals.map((ended) => ({ arrival: ended })));
  expect(builder.records).toBe(0);
});

describe("the journal of a stock run", () => {
  test.each([
    ["accepted", { status: 202, task: "t" }, ["submitting", "accepted"]],
    ["accepted and over", { status: 202, task: "t", task_state: "failed" }, ["submitting", "accepted", "ended"]],
    ["answered without an id", { status: 202 }, ["submitting", "unknown"]],
    ["answered otherwise", { status: 429, outcome: "rate_limited" }, ["submitting", "refused"]],
    ["never connected", { status: undefined, outcome: "refused" }, ["submitting", "refused"]],
    ["cut off", { status: undefined, outcome: "truncated" }, ["submitting", "unknown"]],
    ["answered by a gateway", { status: 504, outcome: "http_error" }, ["submitting", "unknown"]],
    ["answered with an error and an id", { status: 500, outcome: "http_error", task: "t" }, ["submitting", "accepted"]],
  ])("of a submission that was %s", (_, answer, events) => {
    expect(made([sent("a", "video.submit"), ended("a", answer)]).tasks.map(({ event }) => event)).toEqual(events);
  });

  test("knows the status of a response that names no task", () => {
    const gateway = { status: 504, outcome: "http_error" };
    expect(made([sent("a", "video.submit"), ended("a", gateway)]).tasks.at(-1)).toEqual({
      event: "unknown",
      id: "a",
      status: 504,
    });
    const nothing = { status: undefined, outcome: "truncated" };
    expect(made([sent("a", "video.submit"), ended("a", nothing)]).tasks.at(-1)).toEqual({ event: "unknown", id: "a" });
  });

  const submitted = (id: string, task: string): Fact[] => [sent(id, "video.submit"), ended(id, { status: 202, task })];
  const polled = (id: string, state: string): Fact[] => [
    sent(id, "video.poll", { task: "t" }),
    ended(id, { task_state: state }),
  ];

  test("ends a task that a poll saw ended, once", () => {
    const { tasks } = made([
      ...polled("p", "completed"),
      ...submitted("s", "t"),
      ...["processing", "completed", "completed"].flatMap((state) => polled("p", state)),
    ]);
    expect(tasks.slice(1)).toEqual([
      { event: "accepted", id: "s", task: "t" },
      { event: "ended", task: "t", state: "completed" },
    ]);
  });

  test("opens a task again whose cancel was accepted and forgotten", async () => {
    const { tasks } = made([
      ...submitted("s", "t"),
      ...["cancelled", "processing", "processing"].flatMap((state) => polled("p", state)),
    ]);
    const lines = tasks.map((event) => JSON.stringify(event));
    expect(tasks.slice(2)).toEqual([
      { event: "ended", task: "t", state: "cancelled" },
      { event: "accepted", id: "s", task: "t" },
    ]);
    expect((await openTasks(lines)).tasks).toEqual(["t"]);
  });
});

test("a submission that gets the id of an earlier one does not conform", () => {
  const submitted = (id: string, task: string): Fact[] => [sent(id, "video.submit"), ended(id, { status: 202, task })];
  const { records } = made([run, ...submitted("a", "t"), ...submitted("b", "u"), ...submitted("c", "t")]);
  expect(records.slice(1)).toMatchObject([
    { id: "a", outcome: "ok" },
    { id: "b", outcome: "ok" },
    { id: "c", outcome: "contract", detail: 'The id "t" was given to an earlier submission too.', task: "t" },
  ]);
});

test("a cancel of the clean-up after a stock run is recorded as such", () => {
  const { builder, records } = made([run, sent("a")]);
  builder.cleanedUp({ id: "c", task: "t", sentMs: Date.parse(START), tookMs: 3, status: 200 });
  expect(requestRecord.parse(records[1])).toMatchObject({
    op: "video.cancel",
    cancel_reason: "clean_up",
    phase: "drain",
  });
});

describe("the arrivals of a stock run", () => {
  const even = { periodMs: 100, count: 30, warmup: 10 };
  const started = (warmup: number, measure: number): Fact[] => [
    ...Array.from({ length: warmup }, (_, index) => arrival("warmup", index)),
    ...Array.from({ length: measure }, (_, index) => arrival("measure", warmup + index)),
  ];

  test.each<[string, number, number, number | undefined, object]>([
    ["all started", 10, 20, undefined, { warmup: 10, measure: 20 }],
    ["a late one counts where it started", 9, 21, undefined, { warmup: 9, measure: 21 }],
    ["dropped ones count where they were due", 7, 15, undefined, { warmup: 10, measure: 20 }],
    ["none was due after the run was stopped", 10, 5, 1_450, { warmup: 10, measure: 5 }],
    ["dropped before the run was stopped", 10, 2, 1_450, { warmup: 10, measure: 5 }],
  ])("%s", (_, warmup, measure, stoppedMs, offered) => {
    const { builder } = made(started(warmup, measure));
    const stopped = stoppedMs === undefined ? undefined : Date.parse(START) + stoppedMs;
    expect(builder.offered(even, stopped)).toEqual(offered);
  });

  test("are those that started in a closed loop", () => {
    expect(made(started(3, 4)).builder.offered(undefined, undefined)).toEqual({ warmup: 3, measure: 4 });
  });

  test("and their requests are counted for a line of the client", () => {
    const { builder } = made([
      arrival("measure"),
      sent("a"),
      sent("b"),
      ended("a"),
      ended("b", { outcome: "timeout", status: undefined }),
      sent("c"),
    ]);
    const counts = builder.counts();
    expect(counts).toMatchObject({
      open: 2,
      completed: 2,
      ok: 1,
      answered: 1,
      outcomes: { ok: 1, timeout: 1 },
      e2e_p50_ms: 5,
    });
    expect(clientLine.parse({ t: 1, ...counts, offered: counts.started }).ok).toBe(1);
    expect(builder.counts()).toMatchObject({ open: 1, e2e_p50_ms: undefined });
  });
});

describe("a line of k6's console", () => {
  const console = (msg: string): string => JSON.stringify({ level: "info", msg, source: "console", time: "now" });
  const read = (line: string, secret = "sk-0123456789") => consoleLine(line, "mark", redactor([secret], []).text);
  const remark = (text: string) => ({ level: "info", text, isConsole: true });

  test("is a fact when it begins with the mark, and else a remark", () => {
    const fact = '{"line":"arrival","index":3,"phase":"measure","at":"now","start":"now"}';
    expect(read(console(`mark ${fact}`))).toEqual(JSON.parse(fact));
    expect(read(console(fact))).toEqual(remark(fact));
    expect(read(console(`hello\nmark ${fact}`))).toEqual(remark(`hello\nmark ${fact}`));
    expect(read("not even JSON")).toEqual({ ...remark("not even JSON"), isConsole: false });
  });

  test("of ours that is damaged is not passed over", () => {
    expect(() => read(console('mark {"line":"arri'))).toThrow();
  });

  test("of its log tells the level and the error", () => {
    const line = JSON.stringify({ level: "warning", msg: "Request Failed", error: "refused" });
    expect(read(line)).toEqual({ level: "warning", text: "Request Failed: refused", isConsole: false });
  });

  test("loses the secrets that a script or the target repeats", () => {
    const detail = "no such key: sk-0123456789, nor sk-01234…";
    expect(read(console(detail))).toEqual(remark("no such key: <redacted>, nor <redacted>…"));
    expect(read("no JSON: sk-0123456789")).toMatchObject({ text: "no JSON: <redacted>" });
    const said = { line: "ended", id: "r-1", outcome: "http_error", detail, finish_reason: "sk-0123456789" };
    expect(read(console(`mark ${JSON.stringify(said)}`))).toEqual({
      ...said,
      detail: "no such key: <redacted>, nor <redacted>…",
      finish_reason: "<redacted>",
    });
  });

  test("loses them in what a scenario threw too", () => {
    const fact = { line: "arrival-ended", index: 1, end: "threw", detail: "Error: sk-0123456789 was refused" };
    expect(read(console(`mark ${JSON.stringify(fact)}`))).toEqual({ ...fact, detail: "Error: <redacted> was refused" });
  });

  test("keeps its form when a short secret is one of its own words", () => {
    for (const secret of ["ended", "ok", "r", "1", "completed", "processing"]) {
      for (const task_state of ["completed", "processing"]) {
        const fact = { line: "ended", id: "r-1", outcome: "ok", status: 1, task: "1", task_state };
        expect(read(console(`mark ${JSON.stringify(fact)}`), secret)).toEqual(fact);
      }
    }
  });
});

test("what a process uses is seen where the system shows it, and else absent", () => {
  const usage = usageOf(process.pid)();
  if (process.platform === "linux") expect(usage.rss_mb).toBeGreaterThan(1);
  expect(usage.cpus).toBeGreaterThan(0);
  expect(usageOf(undefined)()).toEqual({ cpus: usage.cpus });
});

describe("a load that needs the extension", () => {
  const k6 = { path: "/usr/bin/k6", version: "2.2.0", kind: "stock", origin: "PATH" } as const;
  const settingsOf = (more: Readonly<Record<string, string>>) =>
    readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_RATE: "5", ...more });

  test.each([
    ["segment", { settings: settingsOf({}), segment: { part: 1, of: 2 } }],
    ["start-at", { settings: settingsOf({ ASSAY_START_AT: "2026-11-21T18:00:00Z" }) }],
    ["memory-limit", { settings: settingsOf({ ASSAY_MEMORY_LIMIT: "1GiB" }) }],
    ["traceparent", { settings: settingsOf({ ASSAY_TRACEPARENT: "true" }) }],
    ["turns", { settings: settingsOf({ ASSAY_TURNS: "2" }) }],
  ])("by its %s is refused with what to do", (name, load) => {
    expect(() => stockPlanOf({ scenario: "chat", ...load }, k6)).toThrow(
      `Cannot use --${name} with /usr/bin/k6: that needs a k6 with Assay's extension. Install Go`,
    );
    expect(() => stockPlanOf({ scenario: "chat", ...load }, { ...k6, kind: "assay" })).not.toThrow();
  });

  test("by the size of its prompts is refused, unless it makes them", () => {
    const file = join(newFolder(), "prompts.txt");
    writeFileSync(file, "a prompt\n");
    truncateSync(file, 65 * 2 ** 20);
    const plan = (more: Readonly<Record<string, string>>) => () =>
      stockPlanOf({ scenario: "chat", settings: settingsOf(more) }, k6);
    expect(plan({ ASSAY_PROMPTS: file })).toThrow("they are larger than 64 MiB");
    truncateSync(file, 64 * 2 ** 20);
    expect(plan({ ASSAY_PROMPTS: file })).not.toThrow();
    expect(plan({ ASSAY_INPUT_LENGTHS: "5" })).not.toThrow();
  });
});
