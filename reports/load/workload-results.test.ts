/** Results of single workloads, tenants and models of a load, and what holds for each of them. */

import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../formats/records.ts";
import { ofModelOfArrival } from "../../load/inputs/random.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { parseModels } from "../../settings/load/models.ts";
import { httpError, makeRun } from "../../tests/support/results/load-run.ts";
import { summarize } from "../../tests/support/results/summarize-run.ts";
import { loadTerminal } from "./views/terminal.ts";

const MODELS = "assay-chat=3,lora-support=1";
const WORKLOADS = [
  {
    name: "assistant",
    operation: "chat-stream" as const,
    weight: 3,
    tenant: "TEAM_A",
    settings: { chatModel: MODELS },
  },
  { name: "nightly", operation: "chat-stream" as const, weight: 1, tenant: "TEAM_B", settings: {} },
];
const LOAD = { title: "team", workloads: WORKLOADS };

type Change = (record: RequestRecord) => RequestRecord | undefined;

/** A run of 20 arrivals per second, every fourth of them of the second workload. */
async function team(change: Change = (record) => record, { workloads = WORKLOADS, neverStarted = 0 } = {}) {
  const { records, client } = makeRun({
    warmupS: 0,
    durationS: 40,
    change: (record, arrival) => {
      const workload = arrival % 4 === 3 ? "nightly" : "assistant";
      const model = workload === "nightly" ? "base" : ofModelOfArrival(parseModels(MODELS), 1, arrival).model;
      return change({ ...record, arrival, workload, model });
    },
  });
  const settings = { scenario: "team", chatModel: "base", workload: { title: "team", workloads } };
  const [header = "", ...lines] = records;
  const first = header.replace('"scenario":"chat-stream"', JSON.stringify(settings).slice(1, -1));
  const cut = lines.map((line, at) => {
    if (at < lines.length - neverStarted) return line;
    const { arrival: index, phase, scheduled } = JSON.parse(line);
    return JSON.stringify({ arrival: { index, phase, scheduled, end: "not_started" } });
  });
  const whole = client.map((line) => {
    const { records: _, ...rest } = JSON.parse(line);
    return JSON.stringify(rest);
  });
  return summarize([{ records: [first, ...cut], client: whole }], {
    scenario: "team",
    slos: objectivesOf({ workload: { title: "team", workloads }, chatModel: "base" }),
  });
}

const refused = (record: RequestRecord, status: number): RequestRecord => {
  const { arrival, workload, model } = record;
  return { ...httpError(record, status), arrival, workload, model };
};

const verdictOf = ({ slos }: Awaited<ReturnType<typeof team>>, expr: string) =>
  slos.find((slo) => slo.expr === expr)?.ok;

group("at least one ok", () => {
  test("holds for each workload, and for each model of several", () => {
    const each = ["assistant.ok>=1", "nightly.ok>=1", "model:assay-chat.ok>=1", "model:lora-support.ok>=1"];
    expect(objectivesOf({ workload: LOAD })).toEqual(["error_rate<1%", "ok>=1", ...each]);
    expect(objectivesOf({ workload: LOAD, noDefaultSlos: true, slo: ["ok>=5"] })).toEqual(["ok>=5"]);
    expect(objectivesOf({ chatModel: MODELS })).toEqual(["error_rate<1%", "ok>=1"]);
  });

  test("is met by a load in which all respond", async () => {
    const run = await team();
    expect(run).toMatchObject({ exitCode: 0, conclusion: expect.stringContaining("nightly.ok>=1") });
  });

  test("is missed by a tenant that is only refused", async () => {
    const run = await team((record) => (record.workload === "nightly" ? refused(record, 429) : record));
    expect(verdictOf(run, "nightly.ok>=1")).toBe(false);
    expect(verdictOf(run, "assistant.ok>=1")).toBe(true);
    expect(run.exitCode).toBe(1);
  });

  test("is missed by a model that is only refused", async () => {
    const run = await team((record) => (record.model === "lora-support" ? refused(record, 404) : record));
    expect(verdictOf(run, "model:lora-support.ok>=1")).toBe(false);
    expect(verdictOf(run, "model:assay-chat.ok>=1")).toBe(true);
  });

  test("is undecided of a workload without an arrival, so that the run is inconclusive", async () => {
    const workloads = [
      ...WORKLOADS,
      { ...WORKLOADS[1], name: "idle", operation: "chat-stream" as const, settings: {} },
    ];
    const run = await team(undefined, {
      workloads: workloads.map((each) => ({ tenant: "TEAM_C", weight: 1, ...each })),
    });
    expect(run.slos.find(({ expr }) => expr === "idle.ok>=1")).toMatchObject({
      ok: null,
      note: "no arrival of idle was due",
    });
    expect(run).toMatchObject({ exitCode: 2, conclusion: "undecided: idle.ok>=1" });
  });
});

group("results by model", () => {
  test("count the units of each, also those of arrivals that never started", async () => {
    const { models = {}, counts, parts } = await team(undefined, { neverStarted: 80 });
    expect(Object.keys(models)).toEqual(["assay-chat", "lora-support", "base"]);
    const sum = (name: "offered" | "ok" | "not_started") =>
      Object.values(models).reduce((total, model) => total + model.counts[name], 0);
    expect([sum("offered"), sum("ok"), sum("not_started")]).toEqual([800, counts.ok, 80]);
    expect(models["base"]?.counts.ok).toBe(parts?.["nightly"]?.counts.ok);
    expect(models["lora-support"]?.counts.not_started).toBeGreaterThan(0);
  });

  test("have the latencies and gaps of the requests of each", async () => {
    const { models = {}, metrics } = await team((record) =>
      record.model === "lora-support" ? { ...record, ttft: 900, gaps_us: [70_000] } : record,
    );
    expect(models["lora-support"]?.metrics["ttft"]).toMatchObject({ min: 900, max: 900 });
    expect(models["lora-support"]?.metrics["icl"]).toMatchObject({ min: 70, max: 70 });
    expect(models["assay-chat"]?.metrics["ttft"]?.max).toBeLessThan(200);
    const tokens = Object.values(models).map((model) => model.metrics["tpot"]?.parts?.["usage"] ?? 0);
    expect(tokens.reduce((total, each) => total + each, 0)).toBe(metrics["tpot"]?.parts?.["usage"]);
  });

  test("are a table of the report", async () => {
    const text = loadTerminal(await team(), { colour: false });
    expect(text).toMatch(/^ *model +due +ok +failed/m);
    expect(text).toMatch(/^ *lora-support +\d+ +\d+ +0 /m);
  });

  test("are absent where no workload has several", async () => {
    const single = WORKLOADS.map((workload) => ({ ...workload, settings: { chatModel: "base" } }));
    expect(await team(undefined, { workloads: single })).not.toHaveProperty("models");
  });
});

test("a workload with a rate of its own shows that the target is saturated for it", async () => {
  const workloads = ["chats", "nightly"].map((name) => ({
    ...{ name, operation: "chat-stream" as const, settings: { rate: "10" } },
  }));
  const { records, client } = makeRun({
    warmupS: 0,
    durationS: 40,
    change: (record, arrival) => {
      const workload = arrival % 2 === 0 ? "chats" : "nightly";
      return { ...record, arrival, workload, e2e: 300 + (workload === "nightly" ? arrival * 5 : 0) };
    },
  });
  const settings = { scenario: "own", workload: { title: "own", workloads } };
  const first = (records[0] ?? "")
    .replace('"scenario":"chat-stream"', JSON.stringify(settings).slice(1, -1))
    .replace('"rate":20,', "");
  const run = await summarize([{ records: [first, ...records.slice(1)], client }], { scenario: "own" });
  expect(run.parts?.["nightly"]?.saturation).toMatchObject({ growthMsPerS: expect.closeTo(100, -1) });
  expect(run.parts?.["chats"]).not.toHaveProperty("saturation");
  expect(run).not.toHaveProperty("saturation");
  expect(run.validity.verdict).toBe("VALID");
  expect(run.validity.reasons).toEqual([
    expect.stringMatching(/^workload nightly: the target is saturated.* of 10\/s$/),
  ]);
});
