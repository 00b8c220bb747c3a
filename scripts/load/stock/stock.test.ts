import { describe, expect, test } from "vitest";
import { clientLine } from "../../../formats/client.ts";
import { requestRecord } from "../../../formats/records.ts";
import { readLoadSettings } from "../../../scenarios/checked-settings.ts";
import { consoleLine, type Fact, remarkOf } from "./console-line.ts";
import { usageOf } from "./process-usage.ts";
import { Ledger } from "./record-builder.ts";
import { stockPlanOf } from "./stock-plan.ts";

const START = "2026-01-02T03:04:05.000000Z";
const at = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();

type Row = Readonly<Record<string, unknown>>;

/** What a ledger makes of facts. */
function made(facts: readonly Fact[]): { ledger: Ledger; records: Row[]; tasks: Row[] } {
  const files = { records: [] as Row[], tasks: [] as Row[] };
  const ledger = new Ledger("v2.2.0 (stock)", (file, line) => files[file].push(line));
  for (const fact of facts) ledger.take(fact);
  return { ledger, ...files };
}

const run: Fact = { line: "run", settings: { scenario: "chat" }, seed: 7 };
const arrival = (phase: "warmup" | "measure"): Fact => ({ line: "arrival", phase, start: START });
const sent = (id: string, op: "chat" | "video.submit" | "video.poll" = "chat", more: object = {}): Fact => ({
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
  test("begin with a header, then hold a line a request as it ended", () => {
    const { records } = made([run, run, arrival("measure"), sent("a"), ended("a", { sent: at(11), chunks: 3 })]);
    const [header, record] = records;
    expect(records).toHaveLength(2);
    expect(header).toEqual({
      schema: "assay.records/1",
      settings: { scenario: "chat" },
      seed: 7,
      k6: "v2.2.0 (stock)",
      stock: true,
      startedAt: START,
    });
    expect(requestRecord.parse(record)).toMatchObject({ id: "a", sent: at(11), scheduled: at(11), chunks: 3 });
    expect(record).not.toHaveProperty("line");
  });

  test("hold the requests that k6 cut off, whose scripts never came to their end", () => {
    const { ledger, records, tasks } = made([run, sent("a"), sent("b", "video.submit")]);
    ledger.cutOff();
    expect(records.slice(1)).toMatchObject([
      { id: "a", outcome: "cancelled_by_us" },
      { id: "b", outcome: "cancelled_by_us" },
    ]);
    expect(records[1]).not.toHaveProperty("e2e");
    expect(tasks.map(({ event }) => event)).toEqual(["submitting", "unknown"]);
    expect(ledger.records).toBe(2);
  });
});

describe("the journal of a stock run", () => {
  test.each([
    ["accepted", { status: 202, task: "t" }, ["submitting", "accepted"]],
    ["accepted and over", { status: 202, task: "t", task_state: "failed" }, ["submitting", "accepted", "ended"]],
    ["answered without an id", { status: 202 }, ["submitting", "unknown"]],
    ["answered otherwise", { status: 429, outcome: "rate_limited" }, ["submitting", "refused"]],
    ["never connected", { status: undefined, outcome: "refused" }, ["submitting", "refused"]],
    ["cut off", { status: undefined, outcome: "truncated" }, ["submitting", "unknown"]],
  ])("of a submission that was %s", (_, answer, events) => {
    expect(made([sent("a", "video.submit"), ended("a", answer)]).tasks.map(({ event }) => event)).toEqual(events);
  });

  test("ends a task that a poll saw ended", () => {
    const { tasks } = made([sent("p", "video.poll", { task: "t" }), ended("p", { task_state: "completed" })]);
    expect(tasks).toEqual([{ event: "ended", task: "t", state: "completed" }]);
  });
});

describe("the arrivals of a stock run", () => {
  const even = { periodMs: 100, count: 30, warmup: 10 };
  const started = (warmup: number, measure: number): Fact[] => [
    ...Array.from({ length: warmup }, () => arrival("warmup")),
    ...Array.from({ length: measure }, () => arrival("measure")),
  ];

  test.each<[string, number, number, number | undefined, object]>([
    ["all started", 10, 20, undefined, { warmup: 10, measure: 20 }],
    ["a late one counts where it started", 9, 21, undefined, { warmup: 9, measure: 21 }],
    ["dropped ones count where they were due", 7, 15, undefined, { warmup: 10, measure: 20 }],
    ["none was due after the run was stopped", 10, 5, 1_450, { warmup: 10, measure: 5 }],
    ["dropped before the run was stopped", 10, 2, 1_450, { warmup: 10, measure: 5 }],
  ])("%s", (_, warmup, measure, stoppedMs, offered) => {
    const { ledger } = made(started(warmup, measure));
    const stopped = stoppedMs === undefined ? undefined : Date.parse(START) + stoppedMs;
    expect(ledger.offered(even, stopped)).toEqual(offered);
  });

  test("are those that started in a closed loop", () => {
    expect(made(started(3, 4)).ledger.offered(undefined, undefined)).toEqual({ warmup: 3, measure: 4 });
  });

  test("and their requests are counted for a line of the client", () => {
    const { ledger } = made([
      arrival("measure"),
      sent("a"),
      sent("b"),
      ended("a"),
      ended("b", { outcome: "timeout" }),
      sent("c"),
    ]);
    const counts = ledger.counts();
    expect(counts).toMatchObject({ open: 2, completed: 2, ok: 1, outcomes: { ok: 1, timeout: 1 }, e2e_p50_ms: 5 });
    expect(clientLine.parse({ t: 1, ...counts, offered: counts.started }).ok).toBe(1);
    expect(ledger.counts()).toMatchObject({ open: 1, e2e_p50_ms: undefined });
  });
});

describe("a line of k6's console", () => {
  const console = (msg: string): string => JSON.stringify({ level: "info", msg, time: "now" });

  test("is a fact when it begins with the mark, and else a remark", () => {
    const fact = '{"line":"arrival","phase":"measure","start":"now"}';
    expect(consoleLine(console(`mark ${fact}`), "mark")).toEqual({ line: "arrival", phase: "measure", start: "now" });
    expect(consoleLine(console(fact), "mark")).toEqual({ level: "info", text: fact });
    expect(consoleLine(console(`hello\nmark ${fact}`), "mark")).toEqual({ level: "info", text: `hello\nmark ${fact}` });
    expect(consoleLine("not even JSON", "mark")).toEqual({ level: "info", text: "not even JSON" });
  });

  test("of ours that is damaged is not passed over", () => {
    expect(() => consoleLine(console('mark {"line":"arri'), "mark")).toThrow();
  });

  test("of its log tells the level and the error", () => {
    const line = JSON.stringify({ level: "warning", msg: "Request Failed", error: "refused" });
    expect(remarkOf(line)).toEqual({ level: "warning", text: "Request Failed: refused" });
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
  const settings = (more: Readonly<Record<string, string>>) =>
    readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_RATE: "5", ...more });

  test.each([
    ["segment", { settings: settings({}), segment: { part: 1, of: 2 } }],
    ["start-at", { settings: settings({ ASSAY_START_AT: "2026-11-21T18:00:00Z" }) }],
    ["memory-limit", { settings: settings({ ASSAY_MEMORY_LIMIT: "1GiB" }) }],
    ["traceparent", { settings: settings({ ASSAY_TRACEPARENT: "true" }) }],
  ])("by its %s is refused with what to do", (name, load) => {
    expect(() => stockPlanOf({ scenario: "chat", ...load }, k6)).toThrow(
      `Cannot use --${name} with /usr/bin/k6: that takes a k6 with Assay's extension. Install Go`,
    );
    expect(() => stockPlanOf({ scenario: "chat", ...load }, { ...k6, kind: "assay" })).not.toThrow();
  });
});
