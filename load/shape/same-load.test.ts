import { expect, describe as group, test } from "vitest";
import type { RecordedSettings } from "../../formats/records.ts";
import { LOAD_SETTINGS } from "../../settings/load/load-table.ts";
import { BETWEEN_RUNS, BETWEEN_SHARDS, differenceOf } from "./same-load.ts";

const LOAD: RecordedSettings = {
  scenario: "chat-stream",
  target: "https://inference.example",
  duration: 30_000,
  warmup: 5_000,
  drain: 120_000,
  rate: 20,
  arrival: { process: "trace", file: "/home/a/chats.jsonl" },
  startAt: 1_790_000_000_000,
  maxRequests: 100,
  maxInFlight: 200,
  stall: 10_000,
  timeout: 120_000,
  pollInterval: 1_000,
  seed: 1,
  slo: ["ttft_p95<800ms"],
  chatModel: "m",
  maxTokens: 256,
  prompts: "/opt/assay/prompts.jsonl",
  batchSizes: [1, 8],
  cancelShare: 0.2,
  mix: [{ part: "chat", weight: 1 }],
  header: [{ name: "x-team", variable: "TEAM" }],
  caFile: "/etc/ca.pem",
  records: "full",
  memoryLimit: 1e9,
};

group("shards are of one load", () => {
  test.each<[string, Partial<RecordedSettings>]>([
    ["started at another time", { startAt: 1_790_000_060_000 }],
    ["with a histogram of gaps", { records: "summary" }],
    ["on a machine with less memory", { memoryLimit: 1e8 }],
    ["with certificates in another place", { caFile: "/home/b/ca.pem", insecure: true }],
    ["with files in another place", { prompts: "C:\\assay\\prompts.jsonl" }],
    ["with a trace in another place", { arrival: { process: "trace", file: "traces/chats.jsonl" } }],
    ["with headers out of another variable", { header: [{ name: "x-team", variable: "B_TEAM" }] }],
  ])("%s", (_, more) => {
    expect(differenceOf(LOAD, { ...LOAD, ...more }, BETWEEN_SHARDS)).toBeUndefined();
  });

  test.each<[string, Partial<RecordedSettings>, string, string, string]>([
    ["scenarios", { scenario: "chat" }, "scenario", "chat-stream", "chat"],
    ["targets", { target: "https://other.example" }, "--target", "https://inference.example", "https://other.example"],
    ["models", { chatModel: "n" }, "--chat-model", "m", "n"],
    ["timeouts", { timeout: 60_000 }, "--set timeout", "2m", "1m"],
    ["stall limits", { stall: 500 }, "--set stall", "10s", "500ms"],
    ["batches", { batchSizes: [8] }, "--set batch-sizes", "[1,8]", "[8]"],
    ["lengths", { maxTokens: 5 }, "--max-tokens", "256", "5"],
    ["objectives", { slo: [] }, "--slo", '["ttft_p95<800ms"]', "[]"],
    ["bounds on arrivals", { maxRequests: undefined }, "--max-requests", "100", "not set"],
    ["prompts", { prompts: "/opt/assay/mine.jsonl" }, "--prompts", "prompts.jsonl", "mine.jsonl"],
    ["headers", { header: [] }, "--header", '["x-team"]', "[]"],
    ["settings of later versions", { later: 1 }, "later", "not set", "1"],
  ])("but not with different %s", (_, more, setting, one, other) => {
    expect(differenceOf(LOAD, { ...LOAD, ...more }, BETWEEN_SHARDS)).toEqual({ setting, values: [one, other] });
  });

  test("and files count by what they hold, where both say that, and not by their names", () => {
    const A = "a".repeat(64);
    const B = "b".repeat(64);
    const of = (folder: string, inputDigests?: Record<string, string>): RecordedSettings => ({
      ...LOAD,
      ...{
        prompts: `${folder}/chats.jsonl`,
        maxTokens: `histogram:${folder}/lengths.csv`,
        arrival: { process: "constant" },
      },
      ...(inputDigests && { inputDigests }),
    });
    const differs = (one: RecordedSettings, other: RecordedSettings) => differenceOf(one, other, BETWEEN_RUNS);
    expect(differs(of("/a", { prompts: A, maxTokens: B }), of("/b", { prompts: A, maxTokens: B }))).toBeUndefined();
    expect(differs(of("/a", { prompts: A }), { ...of("/b", { prompts: A }), prompts: "other.jsonl" })).toBeUndefined();
    expect(differs(of("/a", { prompts: A }), of("/b", { prompts: B }))).toEqual({
      setting: "--prompts",
      values: ["chats.jsonl (SHA-256 aaaaaaaaaaaa…)", "chats.jsonl (SHA-256 bbbbbbbbbbbb…)"],
    });
    expect(differs(of("/a", { maxTokens: A }), of("/b", { maxTokens: B }))?.setting).toBe("--max-tokens");
    expect(differs(of("/a", { prompts: A }), of("/b"))).toBeUndefined();
    const trace = (digest: string) => ({ ...LOAD, inputDigests: { arrival: digest } });
    expect(differs(trace(A), trace(B))?.setting).toBe("--arrival");
    const workload = (digest: string): RecordedSettings => ({
      ...LOAD,
      workload: { title: "t", workloads: [{ name: "a", operation: "chat", settings: { prompts: "/x/p.jsonl" } }] },
      inputDigests: { "a.prompts": digest },
    });
    expect(differs(workload(A), workload(A))).toBeUndefined();
    expect(differs(workload(A), workload(B))).toEqual({
      setting: "prompts of the workload a",
      values: ["p.jsonl (SHA-256 aaaaaaaaaaaa…)", "p.jsonl (SHA-256 bbbbbbbbbbbb…)"],
    });
  });

  test("and of workloads counts what they send, and not where their files and keys are", () => {
    const of = (settings: Record<string, string>, more = {}): RecordedSettings => ({
      ...LOAD,
      workload: { title: "t", workloads: [{ name: "chats", operation: "chat", weight: 1, settings, ...more }] },
    });
    const differs = (other: RecordedSettings) => differenceOf(of({ prompts: "/a/p.jsonl" }), other, BETWEEN_SHARDS);
    expect(differs(of({ prompts: "/b/p.jsonl", slo: "ok>=1" }, { apiKeyEnv: "B", tenant: "b" }))).toBeUndefined();
    expect(differs(of({ prompts: "/a/q.jsonl" }))).toEqual({
      setting: "prompts of the workload chats",
      values: ["p.jsonl", "q.jsonl"],
    });
    expect(differs(of({ prompts: "/a/p.jsonl", maxTokens: "5" }))).toEqual({
      setting: "max-tokens of the workload chats",
      values: ["not set", "5"],
    });
    expect(differs(of({ prompts: "/a/p.jsonl" }, { weight: 2 }))).toEqual({
      setting: "weight of the workload chats",
      values: ["1", "2"],
    });
    expect(differs(of({ prompts: "/a/p.jsonl" }, { name: "talks" }))).toEqual({
      setting: "--workload",
      values: ["chats", "talks"],
    });
    const own = (scenario: string) => of({}, { operation: undefined, scenario });
    expect(differenceOf(own("agent.ts"), own("/elsewhere/agent.ts"), BETWEEN_SHARDS)).toBeUndefined();
    expect(differenceOf(own("agent.ts"), own("other.ts"), BETWEEN_SHARDS)).toEqual({
      setting: "scenario of the workload chats",
      values: ["agent.ts", "other.ts"],
    });
  });

  test("and every setting of a load counts unless it is known to depend on the machine, or is what a run is called", () => {
    const workload = {
      title: "t",
      workloads: [{ name: "chats", operation: "chat" as const, weight: 1, settings: {} }],
    };
    const structured: Partial<RecordedSettings> = { header: [], arrival: { process: "poisson" }, workload };
    const other = (name: string): Partial<RecordedSettings> => ({ [name]: structured[name] ?? "something else" });
    const free = (mayDiffer: typeof BETWEEN_RUNS) =>
      Object.keys(LOAD_SETTINGS)
        .filter((name) => differenceOf(LOAD, { ...LOAD, ...other(name) }, mayDiffer) === undefined)
        .sort();
    const machine = [
      "abortOn",
      "abortWhenGone",
      "caFile",
      "clientCert",
      "clientKey",
      "insecure",
      "maxCost",
      "maxTokensTotal",
      "memoryLimit",
      "records",
      "resolve",
      "segment",
      "startAt",
      "unusablePrompts",
    ];
    const label = ["name", "tag"];
    const target = ["chatModel", "embeddingModel", "header", "sessionHeader", "target", "videoModel", "withoutHeader"];
    expect(free(BETWEEN_SHARDS)).toEqual([...machine, ...label].sort());
    expect(free(BETWEEN_RUNS)).toEqual(
      [
        ...machine,
        ...target,
        "canary",
        "check",
        "confidence",
        "noDefaultSlos",
        "prices",
        "promptSeed",
        "seed",
        "slo",
        ...label,
      ].sort(),
    );
  });
});
