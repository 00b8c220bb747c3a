/** A usage error ends at once with exit code 3 and one sentence; an unreachable target with exit code 2. */

import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { SETTING_GROUPS, type Setting, settingFlag } from "../../settings/setting.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { closed, listenOnLoopback } from "../support/loopback-server.ts";

async function closedTarget(): Promise<string> {
  const server = createServer();
  const url = await listenOnLoopback(server);
  await closed(server);
  return url;
}

const badPrompts = (): string => {
  const file = join(newFolder(), "chats.jsonl");
  writeFileSync(file, `{"prompt":"fine"}\n\n[{"prompt":"not fine"}\n`);
  return file;
};
const badTrace = (): string => {
  const file = join(newFolder(), "trace.csv");
  writeFileSync(file, "Timestamp,Request tokens\n5,100\n4,100\n");
  return `trace:${file}`;
};
const blockedFolder = (): string => {
  const file = join(newFolder(), "a-file");
  writeFileSync(file, "");
  return join(file, "out");
};

const load = (...flags: string[]): string[] => ["load", "chat-stream", "--target", "http://127.0.0.1:9", ...flags];

test.concurrent.each<[string, string[], RegExp]>([
  ["an unknown flag", load("--rat", "20"), /unknown option '--rat'[\s\S]*--rate/],
  ["an unknown command", ["laod"], /unknown command 'laod'[\s\S]*load/],
  ["an invalid value of a flag", load("--duration", "soon"), /"soon" is not a duration; write one such as/],
  ["an open and a closed loop at once", load("--rate", "5", "--vus", "5"), /both rate/],
  ["no target", ["load", "chat-stream"], /no target/i],
  [
    "an unknown scenario",
    ["load", "chats", "--target", "http://127.0.0.1:9"],
    /"chats" is not a scenario; name one of chat-stream/,
  ],
  [
    "further members of chats that are not JSON",
    load("--extra-body", "{ignore_eos: true}"),
    /Cannot read --extra-body: it is not valid JSON; write an object such as/,
  ],
  [
    "a further member that Assay sets itself",
    load("--extra-body", '{"stream":true}'),
    /Cannot read --extra-body: it has the member stream, which Assay sets itself/,
  ],
  [
    "a missing file of further members",
    load("--extra-body", "/nowhere/extra.json"),
    /Cannot read further members of chat requests from \/nowhere\/extra\.json/,
  ],
  [
    "an unusable file of further members",
    load("--extra-body", badPrompts()),
    /Cannot add \S+chats\.jsonl to chat requests: it is not valid JSON/,
  ],
  ["no objective", load("--no-default-slos"), /--no-default-slos leaves none\. Add one with --slo/],
  ["a share above 100%", load("--slo", "error_rate<5"), /a share is at most 100%; write one such as error_rate<5%/],
  ["an invalid objective", load("--slo", "ttft_p95"), /"ttft_p95" is not an SLO/],
  [
    "a missing prompts file",
    load("--prompts", "/nowhere/chats.jsonl"),
    /Cannot read prompts from \/nowhere\/chats.jsonl/,
  ],
  ["an invalid line in a prompts file", load("--prompts", badPrompts()), /chats\.jsonl: line 3 is not a JSON object/],
  ["a missing trace", load("--arrival", "trace:none.csv"), /Cannot read arrivals from none\.csv: ENOENT/],
  [
    "an invalid line in a trace",
    load("--arrival", badTrace()),
    /trace\.csv: line 3 is due before line 2; sort the lines/,
  ],
  ["a rate for a trace", load("--arrival", badTrace(), "--rate", "5"), /Replay it faster or slower with time-scale/],
  [
    "--rate for a conformance run",
    ["conformance", "--target", "http://127.0.0.1:9", "--rate", "5"],
    /unknown option '--rate'\. Did you mean "--max-rate"\?/,
  ],
  ["--ledger for a calibration", ["calibrate", "--ledger", "f"], /Did you mean "--ground-truth"\?/],
  [
    "a changing maximum rate",
    ["conformance", "--target", "http://127.0.0.1:9", "--max-rate", "1,2"],
    /Cannot read --max-rate: "1,2" is not a rate above zero/,
  ],
  ["a result folder that cannot be written", load("--out", blockedFolder()), /Cannot write results to .*a-file/],
  ["a key variable that is not set", load("--api-key-env", "NO_SUCH_KEY"), /Cannot take the API key from NO_SUCH_KEY/],
  ["an unknown timing of the mock", ["mock", "--timing", "tpyical"], /"tpyical"[\s\S]*typical/],
  [
    "a selection that matches no clause",
    ["conformance", "--target", "http://127.0.0.1:9", "--only", "chta.*"],
    /chta\.\*/,
  ],
])("%s ends with exit code 3", async (_, args, message) => {
  const { code, stderr, stdout } = await assay(args);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe("");
  expect(code).toBe(3);
});

test.each([
  ["conformance", (target: string) => ["conformance", "--target", target]],
  ["load", (target: string) => ["load", "chat", "--target", target]],
])("%s of an unreachable target ends with exit code 2 and says so", async (_, args) => {
  const target = await closedTarget();
  const { code, stderr } = await assay(args(target));
  expect(stderr).toContain(`Cannot reach ${target}: the connection was refused; nothing listens there`);
  expect(code).toBe(2);
});

test("the help lists every command and every flag, those of the same purpose together", async () => {
  const { stdout } = await assay(["--help"]);
  const modules = readdirSync(join(ROOT, "scripts", "commands")).map((file) => file.replace(/\.ts$/, ""));
  const listed = [...stdout.matchAll(/^ {2}([a-z][a-z0-9-]*) /gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...modules, "help"].toSorted());
  expect(stdout).toMatch(/^Conformance:\n {2}conformance [\s\S]*^Load:\n {2}load /m);

  const help = (await assay(["load", "--help"])).stdout;
  const groups = SETTING_GROUPS.filter((group) => help.includes(`\n${group}:\n`));
  expect([...help.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading)).toEqual([
    "Arguments",
    ...groups,
    "Options",
    "Examples",
  ]);
  const flags = Object.entries<Setting>(settingsFor("load")).map(([name, entry]) => `--${settingFlag(name, entry)}`);
  for (const flag of flags) expect(help).toMatch(new RegExp(`^ {2}${flag} `, "m"));
});

test("help and version end with exit code 0", async () => {
  expect((await assay(["--help"])).code).toBe(0);
  expect((await assay(["load", "--help"])).stdout).toContain("--max-in-flight");
  expect((await assay(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
