import { describe, expect, test } from "vitest";
import { loadText } from "../../formats/load.ts";
import { readLoad } from "../../settings/load/load-json.ts";
import type { Workloads } from "../../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../../settings/load/workload-settings.ts";
import { readGiven } from "../../settings/setting.ts";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { checkedSettings } from "./checked-settings.ts";

/** A load of workloads with these settings, by name; each is of a chat. */
const workloads = (...each: readonly Readonly<Record<string, string>>[]): Workloads => ({
  title: "load",
  workloads: each.map((texts, position) => ({
    name: `w${position}`,
    operation: "chat",
    weight: 1,
    settings: readGiven(WORKLOAD_SETTINGS, (name) => {
      const text = texts[name];
      return text === undefined ? undefined : { text, source: name };
    }),
  })),
});

const read = (variables: Readonly<Record<string, string>>, of?: Workloads) =>
  readLoadSettings({ ASSAY_TARGET: "http://host", ...variables }, of);

describe("settings of inputs that contradict each other are refused", () => {
  test.each<[string, Record<string, string>, Workloads?]>([
    ["both prompts and input-tokens are set", { ASSAY_PROMPTS: "f", ASSAY_INPUT_TOKENS: "5" }],
    ["shared-prefix-tokens is set without input-tokens", { ASSAY_SHARED_PREFIX_TOKENS: "5" }],
    ["prime is set without shared-prefix-tokens", { ASSAY_PRIME: "true", ASSAY_INPUT_TOKENS: "5" }],
    ["think-time is set without turns", { ASSAY_THINK_TIME: "1s" }],
    ["context-limit is set without turns", { ASSAY_CONTEXT_LIMIT: "500" }],
    ["both turns and a trace are set", { ASSAY_TURNS: "2", ASSAY_ARRIVAL: "trace:t.csv" }],
    ["of the workload w1: think-time is set", {}, workloads({ turns: "2" }, { thinkTime: "1s" })],
    ["of the workload w0: both prompts and input-tokens", {}, workloads({ prompts: "f", inputTokens: "5" })],
    ["inputs of requests: think-time is set", { ASSAY_THINK_TIME: "1s" }, workloads({}, {})],
  ])("%s", (reason, variables, of) => {
    expect(() => read(variables, of)).toThrow("Cannot make the inputs of requests");
    expect(() => read(variables, of)).toThrow(reason);
  });
});

test("the header of sessions has no other purpose", () => {
  const named = (name: string) => read({ ASSAY_SESSION_HEADER: name, ASSAY_HEADER: "X-Team=TEAM" });
  expect(named("x-session-id").sessionHeader).toBe("x-session-id");
  expect(() => named("x-team")).toThrow("a header of that name is given a value (TEAM)");
  expect(() => named("Authorization")).toThrow("the header Authorization has another purpose");
  expect(() => named("x session")).toThrow("is not the name of a header, such as x-session-id");
});

test("a workload has inputs of its own, or those of its load, one source of prompts at a time", () => {
  const settings = read(
    { ASSAY_PROMPTS: "common.jsonl", ASSAY_THINK_TIME: "1s" },
    workloads({ inputTokens: "normal:50,5", sharedPrefixTokens: "20x3", turns: "2..4" }, { prompts: "own.jsonl" }, {}),
  );
  expect(settings.workloads).toMatchObject([
    {
      inputTokens: { kind: "normal" },
      turns: { min: 2, max: 4 },
      thinkTime: { value: 1_000 },
      sharedPrefixTokens: { tokens: 20, texts: 3 },
    },
    { prompts: "own.jsonl" },
    { prompts: "common.jsonl" },
  ]);
  expect(settings.workloads.map(({ inputTokens }) => inputTokens?.kind)).toEqual(["normal", undefined, undefined]);
  expect(checkedSettings(readLoad(loadText(settings)))).toEqual(settings);
});

test("a workload with a file of prompts does not make them as its load does", () => {
  const { workloads: each } = read({ ASSAY_INPUT_TOKENS: "5" }, workloads({ prompts: "f" }, {}));
  expect(each.map(({ prompts, inputTokens }) => [prompts, inputTokens?.kind])).toEqual([
    ["f", undefined],
    [undefined, "fixed"],
  ]);
});
