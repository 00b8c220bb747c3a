import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseWorkloads } from "../../cli/workload-file.ts";
import { loadText } from "../../formats/load.ts";
import { checkedSettings } from "../../load/rules/checked-settings.ts";
import { streamsOf, usersOf } from "../../load/shape/streams.ts";
import { formatTokenLengths } from "../../settings/load/drawn-values.ts";
import { readLoad, workloadsJson } from "../../settings/load/load-json.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { planSearch } from "../search/plan-search.ts";
import { planLoad } from "./plan-load.ts";

const folder = newFolder();

/** A list of workloads, each as the members of a line. */
const list = (...workloads: readonly string[]): string =>
  `workloads:\n${workloads.map((each) => `  - {${each}}\n`).join("")}`;
/** A short text that stands for 9⁹ values. */
const BILLION_LAUGHS = [..."abcdefghi"]
  .map((name, index, names) => `${name}: &${name} [${Array(9).fill(index === 0 ? "x" : `*${names[index - 1]}`)}]\n`)
  .join("");
const CHAT = "name: a, operation: chat";

describe("a file that cannot be used says where and why", () => {
  test.each<[string, string, number, number, string | RegExp]>([
    ["an unknown member", `${list(CHAT)}raet: 5\n`, 3, 1, '"raet" is not a member of the file. Did you mean "rate"?'],
    [
      "an unknown member of a workload",
      list(`${CHAT}, max-token: 5`),
      2,
      32,
      'not a member of a workload. Did you mean "max-tokens"?',
    ],
    ["a weight of 0", list(`${CHAT}, weight: 0`), 2, 32, "weight: a weight is a whole number above zero"],
    ["a weight of a model of 0", list(`${CHAT}, model: {m: 0}`), 2, 40, "a weight is a whole number above zero"],
    ["too many", `workloads:\n${"  - operation: chat\n".repeat(501)}`, 1, 1, "there are more than 500 workloads in it"],
    ["no workloads", "rate: 5\n", 1, 1, "there are no workloads in it; list at least one under workloads"],
    ["an empty list", "rate: 5\nworkloads: []\n", 2, 1, "there are no workloads in it"],
    ["nothing", "", 1, 1, "there are no workloads in it"],
    ["workloads that are no list", "workloads: 3\n", 1, 1, "there are no workloads in it; list at least one"],
    ["a workload without a name", "workloads:\n  - operation: chat\n", 2, 5, "the workload has no name"],
    ["a list in place of members", "- 1\n", 1, 1, /expected (object|record)/],
    ["aliases of aliases", BILLION_LAUGHS, 1, 1, "its aliases (*name) stand for more than 100 others"],
    ["an alias of nothing", "rate: *a\n", 1, 1, "Unresolved alias"],
    ["a rate and a weight", list(`${CHAT}, rate: 5, weight: 2`), 2, 41, "a has both a weight and its own rate"],
    ["a rate and users", list(`${CHAT}, rate: 5, vus: 2`), 2, 41, "a has both a rate and vus"],
    [
      "arrivals of some workloads only",
      list(`${CHAT}, rate: 5`, "name: b, operation: chat"),
      3,
      5,
      "b has no rate, vus or trace, and a has its own",
    ],
    ["a process of shared arrivals", list(`${CHAT}, arrival: poisson`), 2, 32, "arrival needs arrivals of its own"],
    [
      "a rate and a trace",
      list(`${CHAT}, rate: 5, arrival: "trace:t.csv"`),
      2,
      41,
      "a has both a rate and a trace; the trace says when arrivals are due",
    ],
    [
      "a member of another operation",
      list(`${CHAT}, batch-sizes: 4`),
      2,
      32,
      "batch-sizes is of embeddings, and a sends chat",
    ],
    ["the same name twice", list(CHAT, CHAT), 3, 6, "there is another workload a"],
    [
      "two sources of prompts",
      list(`${CHAT}, prompts: f, input-tokens: 5`),
      2,
      44,
      "a has both prompts and input-tokens",
    ],
    [
      "a value that cannot be read",
      list(`${CHAT}, max-tokens: many`),
      2,
      32,
      'max-tokens: "many" is not a distribution',
    ],
    [
      "an unknown operation",
      list("name: a, operation: chats"),
      2,
      15,
      'the operation "chats" is not one of chat-stream, chat, embeddings, video. Did you mean "chat"?',
    ],
    ["nothing to send", list("name: a"), 2, 5, "a has neither an operation nor a scenario"],
    ["two things to send", list(`${CHAT}, scenario: own.ts`), 2, 32, "a has both an operation and a scenario"],
    [
      "a scenario that is no file",
      list("name: a, scenario: chat"),
      2,
      15,
      "scenario: it is not the name of a file that ends in .ts, .mts, .js, .mjs",
    ],
    [
      "a key in place of its variable",
      list(`${CHAT}, api-key-env: sk-1234`),
      2,
      32,
      /api-key-env: it is not the name of an environment variable, and is not shown/,
    ],
    ["what is not YAML", "rate: 5\nworkloads: [\n", 3, 1, "it is not YAML: Flow sequence"],
    ["a member twice", "rate: 5\nrate: 6\n", 2, 1, "it is not YAML: Map keys must be unique"],
  ])("%s", (_, text, line, column, reason) => {
    const parse = () => parseWorkloads(text, "load.yaml");
    expect(parse).toThrow(`Cannot use the workloads in load.yaml: line ${line}, column ${column}: `);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow("sk-1234");
  });
});

test("values are written as flags are, or as YAML has them", () => {
  const { settings, workloads } = parseWorkloads(
    `rate: 20\nslo: [ok>=1, "error_rate<1%"]\nworkloads:
  - { name: a, operation: chat-stream, model: {base: 3, lora: 1}, extra-body: {top_k: 1}, header: {x-team: TEAM}, no-usage: true }
  - { name: b, operation: embeddings, batch-sizes: [1, 8], api-key-env: KEY_B, weight: 2 }
  - { name: c, operation: video, tenant: film, api-key-env: KEY_B, video-aspect-ratios: {16:9: 3, 9:16: 1} }
  - { name: d, operation: embeddings, input-tokens: 5, batch-sizes: {1: 0.7, 8: 0.3} }\n`,
    "load.yaml",
  );
  expect(settings).toEqual({ rate: "20", slo: "ok>=1,error_rate<1%" });
  expect(workloads[1]?.settings).toEqual({ batchSizes: { values: [1, 8] } });
  expect(workloadsJson({ title: "load", workloads }).workloads).toEqual([
    {
      ...{ name: "a", operation: "chat-stream", weight: 1 },
      settings: { chatModel: "base=3,lora=1", extraBody: '{"top_k":1}', header: "x-team=TEAM", noUsage: "true" },
    },
    {
      name: "b",
      operation: "embeddings",
      weight: 2,
      tenant: "KEY_B",
      apiKeyEnv: "KEY_B",
      settings: { batchSizes: "1,8" },
    },
    {
      ...{ name: "c", operation: "video", weight: 1, tenant: "film", apiKeyEnv: "KEY_B" },
      settings: { videoAspectRatios: "16:9=3,9:16=1" },
    },
    { name: "d", operation: "embeddings", weight: 1, settings: { inputTokens: "5", batchSizes: "1=0.7,8=0.3" } },
  ]);
});

/** A file of workloads. */
function fileOf(text: string): string {
  const file = join(folder, "load.yaml");
  writeFileSync(file, text);
  return file;
}

const TARGET = { target: "http://host" };
const planned = (text: string, flags = {}, env: Record<string, string> = {}) =>
  planLoad(undefined, { ...TARGET, workload: fileOf(text), ...flags }, { env });

describe("a load of workloads", () => {
  test("takes a setting from flags, variables, the workload, the file, in this order", () => {
    const text = `max-tokens: 1\n${list(`${CHAT}, max-tokens: 2`, "name: b, operation: chat")}`;
    const tokens = (...more: [object?, Record<string, string>?]) =>
      planned(text, ...more).settings.workloads.map(({ maxTokens }) => formatTokenLengths(maxTokens));
    expect(tokens()).toEqual(["2", "1"]);
    expect(tokens({}, { ASSAY_MAX_TOKENS: "3" })).toEqual(["3", "3"]);
    expect(tokens({ maxTokens: "4" }, { ASSAY_MAX_TOKENS: "3" })).toEqual(["4", "4"]);
  });

  test("has no prompts of a file where a flag gives lengths, and no lengths where a flag names a file", () => {
    const prompts = fileOf("").replace("load.yaml", "prompts.txt");
    writeFileSync(prompts, "a prompt\n");
    const sources = (flags: object) =>
      planned(list(`${CHAT}, prompts: "${prompts}"`, "name: b, operation: chat, input-tokens: 7"), flags).settings
        .workloads;
    const isMade = (flags: object) => sources(flags).map(({ inputTokens }) => inputTokens !== undefined);
    expect(isMade({})).toEqual([false, true]);
    expect(isMade({ inputTokens: "5" })).toEqual([true, true]);
    expect(isMade({ prompts })).toEqual([false, false]);
  });

  test("comes back from the file that k6 gets", () => {
    const { settings, keys } = planned(
      list(`${CHAT}, rate: 5, api-key-env: KEY_A, slo: "e2e_p95<2s"`, "name: b, operation: video, vus: 3"),
      { header: "x-a=TEAM" },
      { KEY_A: "key-of-a", TEAM: "t" },
    );
    expect(keys).toMatchObject({ KEY_A: "key-of-a" });
    expect(checkedSettings(readLoad(loadText(settings)))).toEqual(settings);
    expect(JSON.stringify(settings)).not.toContain("key-of-a");
    expect(objectivesOf(settings)).toEqual(["error_rate<1%", "ok>=1", "a.ok>=1", "b.ok>=1", "a.e2e_p95<2s"]);
    expect(streamsOf("load", settings).map(({ name, vus }) => [name, vus])).toEqual([
      ["a", undefined],
      ["b", 3],
    ]);
    expect(usersOf(settings)).toBe(203);
    expect(settings.workloads[0]?.header).toEqual([{ name: "x-a", variable: "TEAM" }]);
  });

  test.each<[string, string, object, RegExp]>([
    [
      "a key that is not set",
      list(`${CHAT}, api-key-env: KEY_A`),
      {},
      /API key of the workload a from KEY_A: that environment variable is not set/,
    ],
    [
      "a rate in addition to their own",
      `rate: 5\n${list(`${CHAT}, rate: 5`)}`,
      {},
      /rate \(5\/s\) would be of the whole load, and each workload of load has arrivals of its own/,
    ],
    ["users in addition to a rate", list(`${CHAT}, rate: 5`), { vus: "5" }, /vus \(5\) would be of the whole load/],
    [
      "weights of arrivals of their own",
      list(`${CHAT}, rate: 5`),
      { mix: "a=1" },
      /Cannot use --mix: the workload a of load has arrivals of its own/,
    ],
    [
      "an unknown name in the mix",
      list("name: chats, operation: chat"),
      { mix: "chat=1" },
      /Cannot mix "chat": it is not a workload of load. Did you mean "chats"\?/,
    ],
    [
      "an objective of another workload",
      list(CHAT),
      { slo: "b.error_rate<1%" },
      /objective for the workload b, and there is no workload of that name/,
    ],
  ])("refuses %s", (_, text, flags, reason) => {
    expect(() => planned(text, flags)).toThrow(reason);
  });

  test("is named by a scenario or a file, and not by both or none", () => {
    expect(() => planLoad("chat", { ...TARGET, workload: fileOf(list(CHAT)) }, { env: {} })).toThrow(
      "Cannot load both chat and the workloads of",
    );
    expect(() => planLoad(undefined, TARGET, { env: {} })).toThrow("Cannot load: no scenario is given");
    expect(planLoad("chat", TARGET, { env: { ASSAY_WORKLOAD: "none.yaml" } }).scenario).toBe("chat");
  });

  test("is searched by its common rate only", () => {
    const search = (text: string) =>
      planSearch(undefined, { ...TARGET, workload: fileOf(text), slo: "e2e_p95<1s", rate: "4" }, { env: {} });
    const { scenario, run } = search(list(CHAT, "name: b, operation: embeddings, weight: 3"));
    expect(scenario).toBe("load");
    expect(run(8, 1_000, 0).settings.workloads.map(({ weight }) => weight)).toEqual([1, 3]);
    expect(() => search(list(`${CHAT}, rate: 5`))).toThrow("a search changes one rate");
  });
});

describe("the mixed scenario", () => {
  const mixed = (flags: object) => planLoad("mixed", { ...TARGET, ...flags }, { env: {} }).settings;

  test("is the file of workloads that comes with Assay", () => {
    const { workloads, rate } = mixed({});
    expect(workloads.map(({ name, weight }) => [name, weight])).toEqual([
      ["chat-stream", 6],
      ["chat", 2],
      ["embeddings", 2],
    ]);
    expect(rate).toEqual([{ from: 5, to: 5 }]);
  });

  test("has the weights of --mix, and videos when they are named", () => {
    const { workloads } = mixed({ mix: "video=1,chat=3" });
    expect(workloads.map(({ operation, weight }) => [operation, weight])).toEqual([
      ["video", 1],
      ["chat", 3],
    ]);
    expect(() => mixed({ mix: "vide=1" })).toThrow(
      'Cannot mix "vide": it is not a workload of mixed. Did you mean "video"?',
    );
  });
});
