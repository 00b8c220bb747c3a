import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SearchResult } from "../../formats/search.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { planSearch } from "./plan-search.ts";
import { resumeSearch } from "./resume-search.ts";

const TARGET = "http://127.0.0.1:9";
const AT_FIRST = { target: TARGET, slo: "ttft_p95<800ms", rate: "8", max: "100", duration: "45s" };
const SOURCES = { env: { TEAM: "secret-value" } };

/** A folder of a search that was cut off, with other members. */
function folderOf(change: object = {}, flags: Readonly<Record<string, string>> = AT_FIRST): string {
  const plan = planSearch("chat-stream", flags, SOURCES);
  const { first, min, max, tolerance } = plan.space;
  const search = {
    ...{ schema: "assay.search/1", tool: "assay", target: plan.target, scenario: plan.scenario, unit: plan.unit },
    ...{ startedAt: "2026-01-02T03:04:05.000Z", range: { first, min, max, tolerance }, settings: plan.texts },
    ...{ slos: plan.slos, steps: [step(8)], found: null, bracket: { met: 8, missed: null }, limitedBy: null },
    ...{ state: "interrupted", exitCode: 2, conclusion: "the search was interrupted" },
  };
  const folder = newFolder();
  writeFileSync(join(folder, "search.json"), JSON.stringify({ ...search, ...change }));
  return folder;
}

const step = (rate: number, run = "run-01"): SearchResult["steps"][number] => ({
  ...{ rate, run, purpose: "bracket", seconds: 20, verdict: "met", reason: "", validity: "VALID" },
  ...{ saturated: false, objectives: [], arrivals: 160 },
});

/** What a folder says of itself as another one that it was made from. */
const settingsWith = (change: object) => ({
  settings: { ...planSearch("chat-stream", AT_FIRST, SOURCES).texts, ...change },
});

describe("a search goes on", () => {
  test("with scenario and target as at its start; its numbers are those of the folder", () => {
    const { plan, state } = resumeSearch(folderOf(), "chat-stream", { target: TARGET, maxRuns: "50" }, SOURCES);
    expect([plan.target, plan.space.max, plan.budget.runs]).toEqual([TARGET, 100, 50]);
    expect(plan.texts["duration"]).toBe("45s");
    expect(state.steps.map(({ rate }) => rate)).toEqual([8]);
  });

  test("with the whole command that began it", () => {
    expect(resumeSearch(folderOf(), "chat-stream", AT_FIRST, SOURCES).plan.space.first).toBe(8);
  });

  test("with the target of a variable", () => {
    const env = { ...SOURCES.env, ASSAY_TARGET: TARGET };
    expect(resumeSearch(folderOf(), "chat-stream", {}, { env }).plan.target).toBe(TARGET);
  });
});

describe("the folder does not decide", () => {
  test.each<[string, string | undefined, Readonly<Record<string, string>>, RegExp]>([
    [
      "where the key goes",
      "chat-stream",
      {},
      /no target is given\. The folder says that it loads http:\/\/127\.0\.0\.1:9/,
    ],
    ["what runs", undefined, { target: TARGET }, /no scenario is given\. .* with chat-stream/],
    ["either", undefined, {}, /no scenario and no target is given\. .* repeat its command with --resume/],
  ])("%s", (_, scenario, flags, reason) => {
    expect(() => resumeSearch(folderOf(), scenario, flags, SOURCES)).toThrow(reason);
  });

  test.each<[string, object, RegExp]>([
    [
      "another target",
      settingsWith({ target: "http://evil.invalid" }),
      /another --target: the folder says http:\/\/evil\.inv.* and http:\/\/127/,
    ],
    ["a scenario", { scenario: "./own.ts" }, /another scenario: the folder says \.\/own\.ts, and chat-stream is given/],
    [
      "a header",
      settingsWith({ header: "x-key=AWS_SECRET" }),
      /another --header: the folder says x-key=AWS_SECRET, and none is given/,
    ],
    ["trust in any certificate", settingsWith({ insecure: "true" }), /another --insecure/],
    [
      "a file of certificates",
      settingsWith({ caFile: "/etc/passwd" }),
      /another --ca-file: the folder says \/etc\/passwd/,
    ],
    ["a file of prompts", settingsWith({ prompts: "/etc/passwd" }), /another --prompts/],
    ["a tokenizer", settingsWith({ tokenizer: "/etc/passwd" }), /another --set tokenizer/],
    ["a file of members", settingsWith({ extraBody: "/etc/passwd" }), /another --set extra-body/],
    ["a histogram", settingsWith({ inputTokens: "histogram:/etc/passwd" }), /another --input-tokens/],
    ["a trace", settingsWith({ arrival: "trace:/etc/passwd" }), /another --arrival: the folder says trace:/],
    [
      "workloads",
      settingsWith({ workload: '{"title":"t","workloads":[{"name":"a","scenario":"/e.ts","settings":{}}]}' }),
      /another --workload/,
    ],
    ["a model", settingsWith({ chatModel: "dearest" }), /another --chat-model/],
  ])("%s", (_, change, reason) => {
    expect(() => resumeSearch(folderOf(change), "chat-stream", { target: TARGET }, SOURCES)).toThrow(reason);
  });

  test("a header whose variable is given again is sent", () => {
    const flags = { ...AT_FIRST, header: "x-team=TEAM" };
    const { plan } = resumeSearch(folderOf({}, flags), "chat-stream", flags, SOURCES);
    expect(plan.texts["header"]).toBe("x-team=TEAM");
  });

  test("a load beyond the bounds of the search", () => {
    const folder = folderOf({ steps: [step(1_000_000)] });
    expect(() => resumeSearch(folder, "chat-stream", AT_FIRST, SOURCES)).toThrow(
      /its run-01 was at 1000000 rate, beyond 0\.5 to 100/,
    );
  });

  test.each(["../run-01", "/etc", "run-1/../..", ""])("that a run is in %j", (run) => {
    const folder = folderOf({ steps: [step(8, run)] });
    expect(() => resumeSearch(folder, "chat-stream", AT_FIRST, SOURCES)).toThrow(
      /search\.json is not one \(steps, entry 1: run: it is not the name of a run within the folder/,
    );
  });
});

test("a setting that is given differently is named, with both values", () => {
  expect(() => resumeSearch(folderOf(), "chat-stream", { target: TARGET, duration: "50s" }, SOURCES)).toThrow(
    "with another --duration: the folder says 45s, and 50s is given. Its runs could not be compared.",
  );
});

test("links in place of runs are not used for the next run", async () => {
  const { nextRunName } = await import("./search-folder.ts");
  const folder = folderOf();
  symlinkSync(newFolder(), join(folder, "run-07"));
  expect(nextRunName(folder)).toBe("run-08");
});
