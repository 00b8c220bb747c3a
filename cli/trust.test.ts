import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runFolders } from "../runs/compare/read-sides.ts";
import { recordFoldersOf } from "../runs/views/load-views.ts";
import { regenerateRepeats } from "../runs/views/repeat-reports.ts";
import { SETTINGS } from "../settings/all-settings.ts";
import type { Setting } from "../settings/setting.ts";
import { newFolder } from "../tests/support/commands/assay-process.ts";
import { resolveSettings } from "./command-settings.ts";
import { writeWhole } from "./result-folder.ts";
import { confirmedTarget, mayBeSent } from "./trust.ts";

const plain = (text: string): string => text.replaceAll("secret-key", "<redacted>");

describe("the target that a folder names", () => {
  const confirm = (given?: string, named?: string) =>
    confirmedTarget({ given, named, attempt: "clean up out", redact: plain });

  test("counts when it is the one that is given, also where a secret was taken out of it", () => {
    expect(confirm("http://t", "http://t")).toBe("http://t");
    expect(confirm("http://t/secret-key", "http://t/<redacted>")).toBe("http://t/secret-key");
    expect(confirm("http://t")).toBe("http://t");
  });

  test("is shown and not used otherwise", () => {
    const shown =
      /Cannot clean up out: the folder names the target http:\/\/evil, and none is given\. Nothing was sent: .* --target/;
    expect(() => confirm(undefined, "http://evil")).toThrow(shown);
    expect(() => confirm("http://t", "http://evil")).toThrow("http://evil, and http://t is given");
    expect(() => confirm()).toThrow("Cannot clean up out: no target is given");
  });
});

test.each<[string, boolean]>([
  ["task-1", true],
  ["a/b?c#d e%2e", true],
  ["täsk", true],
  ["", false],
  [".", false],
  ["..", false],
  ["a\nb", false],
  ["\ud800", false],
  ["t-<redacted>", false],
  ["t-secret-key", false],
  ["x".repeat(2_000), false],
])("the id %j of a task may be sent: %s", (id, may) => expect(mayBeSent(id, plain)).toBe(may));

describe("a folder of results leads nowhere else", () => {
  test.each(["../outside", "/outside", "run-1/../../outside", "."])("by a run that is called %j", async (dir) => {
    const folder = newFolder();
    writeFileSync(join(folder, "repeat.json"), repeats(dir));
    await expect(regenerateRepeats(folder, folder)).rejects.toThrow(
      /runs, entry 1: dir: it is not the name of a run within/,
    );
  });

  test("by a run that is a link", async () => {
    const [folder, outside] = [newFolder(), newFolder()];
    writeFileSync(join(folder, "repeat.json"), repeats("run-1"));
    symlinkSync(outside, join(folder, "run-1"));
    await expect(regenerateRepeats(folder, folder)).rejects.toThrow(/run-1: it is a link/);
    writeFileSync(join(outside, "records.jsonl"), "");
    expect(() => runFolders(folder)).toThrow("it contains no run with records");
    expect(readdirSync(outside)).toEqual(["records.jsonl"]);
  });

  test("by a folder of runners that is a link", () => {
    const [folder, outside] = [newFolder(), newFolder()];
    mkdirSync(join(outside, "a-1"));
    symlinkSync(outside, join(folder, "runners"));
    expect(() => recordFoldersOf(folder)).toThrow(/runners: it is a link/);
  });

  test("by a folder for what is published that is a link", () => {
    const [folder, outside] = [newFolder(), newFolder()];
    symlinkSync(outside, join(folder, "publish"));
    expect(() => writeWhole(folder, "publish/badge.svg", "badge")).toThrow(/publish: it is a link/);
    expect(readdirSync(outside)).toEqual([]);
  });
});

const repeats = (dir: string): string =>
  JSON.stringify({
    ...{ schema: "assay.repeat/1", tool: "assay", target: "http://t", scenario: "chat", shape: "", asked: 1 },
    ...{ interrupted: false, metrics: [], exitCode: 0, conclusion: "" },
    runs: [{ dir, seed: 1, startedAt: "", units: 1, validity: "VALID", exitCode: 0, conclusion: "" }],
  });

describe("a settings file that was found", () => {
  const before = process.cwd();
  let folder = "";
  beforeEach(() => {
    folder = newFolder();
    process.chdir(folder);
  });
  afterEach(() => process.chdir(before));

  const env = { AWS_SECRET: "aws" };

  /** What a command reads and says, where `assay.yaml` is in its folder. */
  function found(text: string, flags: Readonly<Record<string, string>> = {}) {
    writeFileSync("assay.yaml", text);
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const { values } = resolveSettings("load", flags, { env, defaultConfig: "assay.yaml", say });
    return { values, lines };
  }

  test("is said to be the source of the target and of headers, by their names", () => {
    const { lines } = found("target: http://t.invalid\nheader: [x-team=ASSAY_TEAM]\nrate: 3\n");
    expect(lines).toEqual(["From assay.yaml, found in this folder: target http://t.invalid; header x-team."]);
  });

  test("is not said to decide what a flag decides, or when it decides nothing of that", () => {
    expect(found("target: http://t.invalid\n", { target: "http://mine.invalid" }).lines).toEqual([]);
    expect(found("rate: 3\n").lines).toEqual([]);
  });

  test("is said to be the source of where metrics go", () => {
    expect(found("output: prometheus=http://m.invalid\n").lines.join()).toContain("output prometheus=http://m.invalid");
  });

  test.each<[string, string, RegExp]>([
    [
      "a header",
      "header: x-key=AWS_SECRET\n",
      /header names the environment variable AWS_SECRET, and only those that begin with ASSAY_ are sent\. .* --config/,
    ],
    ["a key", "api-key-env: AWS_SECRET\n", /api-key-env names the environment variable AWS_SECRET/],
    ["a header of a workload", "workload: w.yaml\n", /the environment variable AWS_SECRET/],
  ])("sends no variable without the prefix as %s", (_, text, reason) => {
    writeFileSync("w.yaml", "workloads:\n  - { name: a, operation: chat, header: x-key=AWS_SECRET }\n");
    expect(() => found(text)).toThrow(reason);
    expect(() => resolveSettings("load", { config: "assay.yaml" }, { env })).not.toThrow();
  });

  test.each([
    "prompts: /etc/passwd",
    "prompts: ../passwd",
    "prompts: link",
    "prompts: links/passwd",
    "ledger: dangling",
    "ca-file: /etc/passwd",
    "tokenizer: /etc/passwd",
    "baseline: /etc/passwd",
    "extra-body: /etc/passwd",
    "arrival: trace:/etc/passwd",
    "input-tokens: histogram:/etc/passwd",
    "output: csv=/tmp/samples.csv",
    "ground-truth: /etc/passwd",
    "workload: /etc/workload.yaml",
    "workload: prompts.yaml",
    "workload: scenario.yaml",
    "workload: whole.yaml",
  ])("names no file outside its folder: %s", (text) => {
    symlinkSync("/etc/passwd", "link");
    symlinkSync("/etc", "links");
    symlinkSync(join(newFolder(), "new"), "dangling");
    writeFileSync("prompts.yaml", "workloads:\n  - { name: a, operation: chat, prompts: /etc/passwd }\n");
    writeFileSync("scenario.yaml", "workloads:\n  - { name: a, scenario: /etc/own.ts }\n");
    writeFileSync("whole.yaml", "input-tokens: histogram:/etc/passwd\nworkloads:\n  - { name: a, operation: chat }\n");
    expect(() => found(`${text}\n`)).toThrow(/which is outside its folder\. Change it, or name the file with --config/);
  });

  test("names files in its folder", () => {
    mkdirSync("data");
    writeFileSync("data/prompts.txt", "Hello\n");
    const { values } = found("prompts: data/prompts.txt\noutput: csv=samples.csv\nextra-body: { a: 1 }\n");
    expect(values.prompts).toBe("data/prompts.txt");
  });
});

test("each setting that takes a file says which one a value names", () => {
  const taking = Object.entries<Setting>(SETTINGS).filter(
    ([, { placeholder = "", help }]) => /file|path/i.test(placeholder) || /:FILE|=FILE/.test(help),
  );
  const silent = taking.filter(([, { files }]) => files === undefined).map(([name]) => name);
  // The file of --prompts-at is in the image of a pod.
  expect(silent).toEqual(["promptsAt"]);
});
