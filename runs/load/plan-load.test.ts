import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import { SHAPE_NAMES } from "../../settings/load/load-shapes.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { formatRates } from "../../settings/load/rates.ts";
import { newFile, newFolder } from "../../tests/support/commands/assay-process.ts";
import { InputFiles } from "./input-digests.ts";
import { planLoad, promptSeedOf } from "./plan-load.ts";

const plan = (scenario: string, flags: Readonly<Record<string, unknown>>) =>
  planLoad(scenario, { target: "http://127.0.0.1:9", ...flags }, { env: { ASSAY_API_KEY: "key" } });

test.each(Object.entries(SCENARIOS))("the demo of %s has objectives and reads all its flags", (scenario, { demo }) => {
  const { settings } = plan(scenario, demo);
  expect(objectivesOf(settings).length).toBeGreaterThan(0);
  for (const value of Object.values(demo)) expect(["string", "boolean"]).toContain(typeof value);
});

test("a load without an objective is refused", () => {
  expect(() => plan("chat", { noDefaultSlos: true })).toThrow("--set no-default-slos leaves none. Add one with --slo");
});

test("tokens are counted in one way", () => {
  const flags = { inputTokens: "20", tokenizer: "tokenizer.json", charactersPerToken: "4.2" };
  expect(() => plan("chat", flags)).toThrow("Cannot count tokens both with");
  expect(plan("chat", { ...flags, tokenizer: undefined }).settings.charactersPerToken).toBe(4.2);
  expect(() => plan("chat", { charactersPerToken: "0.1" })).toThrow(
    "is not a number of characters; write one from 0.5 to 50",
  );
});

test("of a scenario of the user's own, what needs no look into it is checked before k6 is started", () => {
  const file = newFile("own.ts");
  expect(() => plan(file, { slo: "chat.ok>=1" })).toThrow("the load has one workload; write ok>=1");
  expect(() => plan(file, { noDefaultSlos: true })).not.toThrow();
});

describe("an objective that no request of the load could decide is refused, and so is a condition that ends it", () => {
  test.each([
    ["chat", { slo: "ttft_p95<1s" }, /ttft is measured of chat-stream only, and the load sends chat\. /],
    ["chat", { abortOn: "ttft_p99>5s over 10s" }, /ttft is measured of chat-stream only/],
    ["chat-stream", { slo: "video_work<1s" }, /video_work is measured of video only, and the load sends chat-stream/],
    ["mixed", { slo: "video_work_p95<1s" }, /and the load sends chat-stream, chat, embeddings/],
    ["mixed", { slo: "chat.ttft_p95<1s" }, /only, and chat sends chat\. /],
    ["chat", { vus: "2", slo: "e2e_scheduled_p95<1s" }, /virtual users have no schedule/],
  ])("%s with %j", (scenario, flags, message) => {
    expect(() => plan(scenario, flags)).toThrow(message);
  });

  test("as long as one workload of several can, or a scenario of the user's own may", () => {
    expect(() => plan("mixed", { slo: "ttft_p95<1s" })).not.toThrow();
    const file = newFile("own.ts");
    expect(() => plan(file, { slo: "ttft_p95<1s" })).not.toThrow();
  });
});

describe("a shape", () => {
  test.each([
    ["smoke", "0.5"],
    ["ramp", "0.5..5"],
    ["step", "1,2,3,4,5"],
    ["spike", "0.5,0.5,5,0.5,0.5"],
    ["idle", "5,0,0,0,5,0,0,0,5"],
    ["soak", "5"],
    ["breakpoint", "0..50"],
  ])("%s shapes the usual rate of a scenario as %s", (shape, rates) => {
    expect(formatRates(plan("chat-stream", { shape }).settings.rate ?? [])).toBe(rates);
  });

  test.each(SHAPE_NAMES)("%s never offers more than the rate that is given", (shape) => {
    const { rate = [] } = plan("chat", { shape, rate: "3/m" }).settings;
    expect(Math.max(...rate.flatMap(({ from, to }) => [from, to]))).toBeLessThanOrEqual(0.05);
  });

  test("has settings, which those that are given replace; objectives and conditions are added", () => {
    expect(plan("chat", { shape: "soak" }).settings).toMatchObject({ duration: 3_600_000, records: "summary" });
    const { settings } = plan("chat-stream", { shape: "smoke", duration: "1m", slo: "ttft_p50<1s" });
    expect(settings).toMatchObject({ duration: 60_000, warmup: 0 });
    expect(objectivesOf(settings)).toEqual(["ok>=1", "error_rate<=0%", "ttft_p50<1s"]);
    expect(plan("chat", { shape: "breakpoint", abortOn: "ok<1 over 5s" }).settings.abortOn).toHaveLength(2);
  });

  test("does not shape a rate that changes", () => {
    expect(() => plan("chat", { shape: "spike", rate: "1..5" })).toThrow("Give the highest rate of the shape");
  });
});

describe("a condition that ends the run", () => {
  test.each([
    [{ abortOn: "ttft>1s over 5s" }, "name a statistic"],
    [{ abortOn: "ok<1 in every 5s over 5s" }, "names windows"],
    [{ abortOn: "goodput<50% over 5s" }, "goodput"],
    [{ abortOn: "icl_p50>1s over 5s", records: "summary" }, "Use --records full"],
    [{ abortOn: "error_rate>1% over 2m" }, "the run measures for 1m only"],
  ])("%j is refused", (flags, reason) => expect(() => plan("chat-stream", flags)).toThrow(reason));

  test("may be on goodput, with a bound for each request among the objectives", () => {
    expect(plan("chat-stream", { abortOn: "goodput<50% over 5s", slo: "ttft<1s" }).settings.abortOn).toHaveLength(1);
  });
});

describe("outputs and sources of metrics", () => {
  test.each([
    [{ output: "csv=x.csv", repeat: "2" }, "each run would overwrite the file"],
    [{ scrape: "http://h", scrapeInterval: "10ms" }, "Give --set scrape-interval=100ms or more"],
    [{ scrapeSeries: "tokens" }, "Name one with --scrape URL"],
  ])("%j are refused", (flags, reason) => expect(() => plan("chat-stream", flags)).toThrow(reason));

  test("are part of the plan, and no settings of k6", () => {
    const planned = plan("chat-stream", {
      output: "otlp=http://h:4318",
      scrape: "a=http://h",
      scrapeInterval: "2s",
      repeat: "2",
    });
    expect(planned.outputs).toEqual([{ kind: "otlp", url: "http://h:4318" }]);
    expect(planned.scrape).toEqual({ sources: [{ name: "a", url: "http://h/metrics" }], intervalMs: 2_000 });
    expect(planned.settings).not.toHaveProperty("output");
    expect(planned.settings).not.toHaveProperty("scrapeInterval");
  });
});

describe("what prompts say", () => {
  const settingsOf = (flags: Readonly<Record<string, string>>, scenario?: string) =>
    planLoad(scenario, { target: "http://127.0.0.1:1", ...flags }, { env: {} }, false).settings;

  test("has a seed of its own in each run, unless a seed is given; segments share that of their start", () => {
    const none: ReadonlySet<string> = new Set();
    const [one, other] = [promptSeedOf({}, none), promptSeedOf({}, none)];
    expect(one).toEqual({ promptSeed: expect.any(Number) });
    expect(one).not.toEqual(other);
    expect(promptSeedOf({}, new Set(["seed"]))).toEqual({});
    expect(promptSeedOf({ promptSeed: 4 }, new Set(["seed"]))).toEqual({ promptSeed: 4 });
    const segment = { part: 1, of: 2 };
    expect(promptSeedOf({ segment }, none)).toEqual({});
    expect(promptSeedOf({ segment, startAt: 1_800_000_000_000 }, none)).toEqual({ promptSeed: 1_800_000_000 });
  });

  test("is made unique of the built-in prompts, and of a file where that is asked for", () => {
    const file = newFile("prompts.txt", "one\n");
    expect(settingsOf({}, "chat").uniquePrompts).toBe(true);
    expect(settingsOf({ uniquePrompts: "false" }, "chat").uniquePrompts).toBe(false);
    expect(settingsOf({ prompts: file }, "chat").uniquePrompts).toBeUndefined();
    expect(settingsOf({ prompts: file, uniquePrompts: "true" }, "chat").uniquePrompts).toBe(true);
    expect(settingsOf({ inputTokens: "9" }, "chat").uniquePrompts).toBeUndefined();
  });

  test("is so for each workload of a load", () => {
    const [file, workload] = ["prompts.txt", "load.yaml"].map((name) => join(newFolder(), name));
    writeFileSync(file ?? "", "one\n");
    writeFileSync(
      workload ?? "",
      `workloads:
  - { name: a, operation: chat }
  - { name: b, operation: chat, prompts: "${file}" }
  - { name: c, operation: chat, prompts: "${file}", unique-prompts: true }
`,
    );
    const of = (flags: Readonly<Record<string, string>>) =>
      settingsOf({ workload: workload ?? "", ...flags }).workloads.map(({ uniquePrompts }) => uniquePrompts);
    expect(of({})).toEqual([true, false, true]);
    expect(of({ uniquePrompts: "true" })).toEqual([true, true, true]);
  });
});

test("the digest of a file is that of what was read of it", () => {
  const file = join(newFolder(), "lengths.csv");
  const files = new InputFiles();
  writeFileSync(file, "\uFEFF5,1\n");
  expect(files.read(file)).toBe("5,1\n");
  const digest = files.digestOf(file);
  expect(digest).toBe(createHash("sha256").update("\uFEFF5,1\n").digest("hex"));
  writeFileSync(file, "6,1\n");
  expect(files.digestOf(relative(process.cwd(), file))).toBe(digest);
});

test("the files of inputs are known by what they hold", () => {
  const folder = newFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const digestsOf = (flags: Readonly<Record<string, string>>, scenario?: string) =>
    planLoad(scenario, { target: "http://127.0.0.1:1", ...flags }, { env: {} }, false).settings.inputDigests;
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const [builtIn] = Object.values(digestsOf({}, "chat") ?? {});
  expect(digestsOf({}, "chat")).toEqual({ prompts: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(digestsOf({ inputTokens: "9" }, "chat")).toEqual({});
  const flags = {
    inputTokens: `histogram:${file("lengths.csv", "5,1\n")}`,
    arrival: `trace:${file("trace.jsonl", '{"timestamp":0}\n{"timestamp":900}\n')}`,
  };
  expect(digestsOf(flags, "chat")).toEqual({
    inputTokens: sha256("5,1\n"),
    arrival: sha256('{"timestamp":0}\n{"timestamp":900}\n'),
  });
  const workload = file(
    "load.yaml",
    `workloads:
  - { name: a, operation: chat, prompts: "${file("a.txt", "one\ntwo\n")}" }
  - { name: b, operation: chat, max-tokens: "histogram:${join(folder, "lengths.csv")}" }
`,
  );
  expect(digestsOf({ workload })).toEqual({
    ...{ prompts: builtIn, "a.prompts": sha256("one\ntwo\n"), "b.maxTokens": sha256("5,1\n") },
  });
});

test.each<[what: string, scenario: string, flags: Readonly<Record<string, string>>, share: number | undefined]>([
  [
    "half with 1,000 of 1,500 tokens, half with none of 500",
    "chat",
    { sharedPrefixTokens: "50%:1000x4", prime: "true" },
    0.5,
  ],
  ["the first of each of four among 100", "chat", { sharedPrefixTokens: "1000x4" }, 0.96 / 1.5],
  ["of virtual users", "chat", { sharedPrefixTokens: "1000x4", vus: "2" }, 1 / 1.5],
  ["embeddings, too", "embeddings", { sharedPrefixTokens: "500" }, 0.99 / 2],
  ["no prefixes", "chat", {}, undefined],
  ["conversations", "chat", { sharedPrefixTokens: "1000", turns: "2" }, undefined],
])("the share of cached tokens is planned: %s", (_, scenario, { vus, ...flags }, share) => {
  const arrivals = vus === undefined ? { rate: "10", duration: "10s", warmup: "0" } : { vus };
  const { settings } = plan(scenario, { inputTokens: "500", ...arrivals, ...flags });
  if (share === undefined) expect(settings.plannedCached).toBeUndefined();
  else expect(settings.plannedCached).toBeCloseTo(share);
});

test("a scenario of the user's own is not primed", () => {
  const file = newFile("own.ts");
  expect(() => plan(file, { inputTokens: "5", sharedPrefixTokens: "5", prime: "true" })).toThrow(
    "Send them in its setup()",
  );
});
