/** A usage error ends at once with exit code 3 and one sentence; an unreachable target with exit code 2. */

import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "../../../scripts/supply-chain/components.ts";
import { settingsFor } from "../../../settings/all-settings.ts";
import { SETTING_GROUPS, type Setting, settingFlag } from "../../../settings/setting.ts";
import { assay, type Ended, inTurn, newFolder } from "../../support/commands/assay-process.ts";

import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

/** A command that asks for something that cannot be done. */
interface WrongUsage {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** By name, in the folder in which the command runs. */
  readonly files?: Readonly<Record<string, string>>;
  /** What it must say. */
  readonly says: string | RegExp;
}

const TARGET = ["--target", "http://127.0.0.1:9"];
const load = (...flags: string[]): string[] => ["load", "chat-stream", ...TARGET, ...flags];
const conformance = (...flags: string[]): string[] => ["conformance", ...TARGET, ...flags];
const search = (...flags: string[]): string[] => ["search", "chat", ...TARGET, "--slo", "e2e_p95<1s", ...flags];

const errorDocument = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), hint: z.string().optional() }),
});

const NO_FILE = "there is no such file or folder";
const NO_TARGET =
  "No target is given. Name the base address of the service with --target, such as --target http://127.0.0.1:8080, or set ASSAY_TARGET.";
const BROKEN_YAML = "rate: [\n";

const WRONG_USAGES: readonly WrongUsage[] = [
  // Flags, commands and settings
  { name: "an unknown flag", args: load("--rat", "20"), says: /unknown option '--rat'. Did you mean "--rate"\?/ },
  {
    name: "a flag like none",
    args: load("--zzzzzzzz"),
    says: "unknown option '--zzzzzzzz'. assay load --help lists what it takes.",
  },
  {
    name: "a flag like none, of a command within another",
    args: ["k8s", "run", "--zzzzzzzz"],
    says: "unknown option '--zzzzzzzz'. assay k8s run --help lists what it takes.",
  },
  { name: "a misspelt --help", args: load("--hlep"), says: `Did you mean "--help"?` },
  {
    name: "windows longer than the load",
    args: load("--duration", "10s", "--slo", "ttft_p90<300ms in every 1m"),
    says: "the run measures for 10s only, which is less than one window",
  },
  {
    name: "a key as a flag",
    args: load("--api-key", "no-secret-1"),
    says: /^error: unknown option '--api-key'\. Put the key into the environment variable ASSAY_API_KEY\.\n$/,
  },
  {
    name: "a key in assay.yaml",
    args: load(),
    files: { "assay.yaml": "api-key: no-secret-1\n" },
    says: /^Cannot use assay\.yaml: it sets "api-key", which is not a setting\. Put the key into the environment variable ASSAY_API_KEY\.\n$/,
  },
  {
    name: "a setting without a value in assay.yaml",
    args: load(),
    files: { "assay.yaml": "rate:\n" },
    says: "Cannot use assay.yaml: rate has no value.",
  },
  { name: "an unknown command", args: ["laod"], says: /unknown command 'laod'\. Did you mean "load"\?/ },
  {
    name: "help on an unknown command",
    args: ["help", "laod"],
    says: 'There is no command "laod". Did you mean "load"?',
  },
  {
    name: "an invalid value of a flag",
    args: load("--duration", "soon"),
    says: '"soon" is not a duration; write one such',
  },
  {
    name: "--rate for a conformance run",
    args: conformance("--rate", "5"),
    says: `unknown option '--rate'. Did you mean "--max-rate <rate>"?`,
  },
  {
    name: "--ledger for a calibration",
    args: ["calibrate", "--ledger", "f"],
    says: 'Did you mean "--ground-truth <file>"?',
  },
  {
    name: "the variable of another command's setting",
    args: load(),
    env: { ASSAY_PROFILE: "spike" },
    says: "that of this one is shape",
  },
  ...[["load", "chat"], ["search", "chat", "--slo", "e2e_p95<1s"], ["conformance"]].map((args) => ({
    name: `a SOCKS proxy in the plan of ${args[0]}`,
    args: [...args, "--target", "http://svc.test", "--plan"],
    env: { ALL_PROXY: "socks5://proxy.test:1080" },
    says: "Cannot use the proxy of the environment variable ALL_PROXY: it names a SOCKS proxy",
  })),
  { name: "a misspelt variable", args: load(), env: { ASSAY_TARGETT: "x" }, says: 'Did you mean "ASSAY_TARGET"?' },
  // The target
  { name: "no target of a load", args: ["load", "chat"], says: NO_TARGET },
  { name: "no target of a conformance run", args: ["conformance"], says: NO_TARGET },
  { name: "no target of a proxy", args: ["proxy"], says: NO_TARGET },
  { name: "no target of a search", args: ["search", "chat", "--slo", "e2e_p95<1s"], says: NO_TARGET },
  { name: "no target of manifests", args: ["k8s", "chat"], says: NO_TARGET },
  {
    name: "an address without a scheme",
    args: ["load", "chat", "--target", "localhost:8080"],
    says: '"localhost:8080" is not an address; write http://localhost:8080, or https://localhost:8080.',
  },
  {
    name: "a public address without a scheme",
    args: ["load", "chat", "--target", "inference.example/api"],
    says: "write https://inference.example/api.",
  },
  {
    name: "a port that is none",
    args: ["load", "chat", "--target", "http://127.0.0.1:99999"],
    says: '"99999" is not a port; write one from 1 to 65535',
  },
  {
    name: "an address as an argument",
    args: ["conformance", "http://127.0.0.1:9"],
    says: "error: assay conformance takes no address as an argument. Write --target http://127.0.0.1:9",
  },
  {
    name: "an address in place of a scenario",
    args: ["load", "http://127.0.0.1:9"],
    says: '"http://127.0.0.1:9" is not a scenario. The target is named with --target http://127.0.0.1:9',
  },
  { name: "two scenarios", args: load("chat"), says: 'assay load takes fewer arguments, and "chat" is given.' },
  // Scenarios and words
  {
    name: "no scenario",
    args: ["load", ...TARGET],
    says: /^Cannot load: no scenario is given\. Name one of chat-stream/,
  },
  {
    name: "no scenario on Kubernetes",
    args: ["k8s", "run", ...TARGET],
    says: /^Cannot load: no scenario is given\. Name one of chat-stream/,
  },
  {
    name: "an unknown scenario",
    args: ["load", "chat-streem", ...TARGET],
    says: /"chat-streem" is not a scenario; name one of chat-stream.* Did you mean "chat-stream"\?/,
  },
  { name: "a misspelt scenario", args: ["load", "vidoe", ...TARGET], says: 'Did you mean "video"?' },
  {
    name: "a file of workloads as a scenario",
    args: ["load", "load.yaml", ...TARGET],
    says: "A file of workloads is named with --workload load.yaml",
  },
  { name: "an unknown shape", args: load("--shape", "spikes"), says: 'Did you mean "spike"?' },
  { name: "an unknown arrival process", args: load("--arrival", "posson"), says: 'Did you mean "poisson"?' },
  {
    name: "an unknown output",
    args: load("--output", "dashboard"),
    says: '"dashboard" is not an output. Did you mean "web-dashboard"? Write web-dashboard, prometheus=URL',
  },
  { name: "an unknown form of records", args: load("--records", "sumary"), says: 'Did you mean "summary"?' },
  { name: "an unknown level of failure", args: conformance("--fail-on", "warning"), says: 'Did you mean "warn"?' },
  { name: "a misspelt area", args: conformance("--only", "chatt.*"), says: 'Did you mean "chat.*"?' },
  {
    name: "a selection that matches no clause",
    args: conformance("--only", "zzz"),
    says: "No clause matches --only zzz.",
  },
  { name: "an unknown timing of the mock", args: ["mock", "--timing", "tpyical"], says: /"tpyical"[\s\S]*typical/ },
  { name: "an unknown format", args: ["report", ".", "--format", "htlm"], says: 'Did you mean "html"?' },
  // Values
  {
    name: "no time to measure",
    args: load("--duration", "0"),
    says: "the duration is 0, and nothing would be measured",
  },
  { name: "no time to check", args: conformance("--deadline", "0"), says: "the deadline is 0" },
  { name: "a time without a unit", args: ["mock", "--ttft", "100"], says: "Write it like 20ms, 3s" },
  {
    name: "a start in the past",
    args: load("--start-at", "2020-01-01T00:00:00Z"),
    says: /by this machine's clock that was [\d,]+ days ago\./,
  },
  {
    name: "a condition that cannot be read",
    args: load("--abort-on", "error_rate>500% over 10s"),
    says: /^(?:(?!write)[\s\S])*; write (?:(?!write)[\s\S])*\n$/,
  },
  {
    name: "a changing maximum rate",
    args: conformance("--max-rate", "1,2"),
    says: 'Cannot read --max-rate: "1,2" is not a rate above zero',
  },
  { name: "a key variable that is not set", args: load("--api-key-env", "NO_SUCH_KEY"), says: "from NO_SUCH_KEY" },
  // Flags that would have no effect
  {
    name: "turns of embeddings",
    args: ["load", "embeddings", ...TARGET, "--turns", "3"],
    says: "Cannot use --turns with embeddings: it is for chat-stream and chat.",
  },
  { name: "a mix of one", args: load("--mix", "chat=3"), says: "Cannot use --mix with chat-stream" },
  // Files
  {
    name: "no settings file",
    args: load("--config", "none.yaml"),
    says: `Cannot read settings from none.yaml: ${NO_FILE}.`,
  },
  {
    name: "a settings file that is not YAML",
    args: load("--config", "c.yaml"),
    files: { "c.yaml": BROKEN_YAML },
    says: /^Cannot read settings from c\.yaml: line 2, column 1 is not YAML: .*such as: rate: 20\/s\n$/,
  },
  {
    name: "a settings file that is a list",
    args: load("--config", "c.yaml"),
    files: { "c.yaml": "- rate\n" },
    says: "Cannot read settings from c.yaml: it is not names with values.",
  },
  { name: "no CA file of a load", args: load("--ca-file", "ca.pem"), says: `certificates from ca.pem: ${NO_FILE}.` },
  {
    name: "no CA file of a check",
    args: conformance("--ca-file", "ca.pem"),
    says: `certificates from ca.pem: ${NO_FILE}.`,
  },
  {
    name: "no CA file of a proxy",
    args: ["proxy", ...TARGET, "--ca-file", "ca.pem"],
    says: `from ca.pem: ${NO_FILE}.`,
  },
  {
    name: "a CA file without a certificate",
    args: load("--ca-file", "ca.pem"),
    files: { "ca.pem": "none" },
    says: "Cannot read certificates from ca.pem: it holds no certificate in PEM form",
  },
  {
    name: "no folder of an output",
    args: load("--output", "csv=none/x.csv"),
    says: `Cannot use csv=none/x.csv: ${NO_FILE}.`,
  },
  {
    name: "no tokenizer",
    args: load("--set", "tokenizer=t.json", "--input-tokens", "5"),
    says: `with t.json: ${NO_FILE}.`,
  },
  {
    name: "no prompts",
    args: load("--prompts", "p.jsonl"),
    says: /Cannot read prompts from .*p\.jsonl: there is no such/,
  },
  {
    name: "prompts that cannot be read",
    args: load("--prompts", "p.jsonl"),
    files: { "p.jsonl": '{"prompt":"fine"}\n\n[{"prompt":"not fine"}\n' },
    says: /p\.jsonl: line 3 is not a JSON object/,
  },
  {
    name: "no trace",
    args: load("--arrival", "trace:none.csv"),
    says: `Cannot read arrivals from none.csv: ${NO_FILE}.`,
  },
  { name: "no lengths", args: load("--input-tokens", "histogram:h.csv"), says: /from .*h\.csv: there is no such file/ },
  { name: "no workloads", args: ["load", "--workload", "w.yaml", ...TARGET], says: `from w.yaml: ${NO_FILE}.` },
  {
    name: "members of chats that are not JSON",
    args: load("--set", "extra-body={ignore_eos: true}"),
    says: "Cannot read --set extra-body: it is not valid JSON; write an object such as",
  },
  {
    name: "no file of members",
    args: load("--set", "extra-body=e.json"),
    says: `Cannot read further members of chat requests from e.json: ${NO_FILE}.`,
  },
  {
    name: "members in a file that is not JSON",
    args: load("--set", "extra-body=e.json"),
    files: { "e.json": "{" },
    says: "Cannot add e.json to chat requests: it is not valid JSON",
  },
  {
    name: "no baseline",
    args: conformance("--baseline", "b.yaml"),
    says: `Cannot read the baseline b.yaml: ${NO_FILE}.`,
  },
  {
    name: "a baseline that is no list",
    args: conformance("--baseline", "b.yaml"),
    files: { "b.yaml": "chat.status: known\n" },
    says: "Cannot read the baseline b.yaml: it is not a list.",
  },
  {
    name: "an entry of a baseline that lacks two members",
    args: conformance("--baseline", "b.yaml"),
    files: { "b.yaml": "- clause: chat.status\n" },
    says: "Cannot read the baseline b.yaml: entry 1: reason is missing.",
  },
  {
    name: "an entry of a baseline without a date",
    args: conformance("--baseline", "b.yaml"),
    files: { "b.yaml": "- { clause: chat.status, reason: x, expires: soon }\n" },
    says: "entry 1: expires is not a date such as 2027-01-31.",
  },
  {
    name: "no search to resume",
    args: search("--resume", "none"),
    says: /Cannot read the search in .*none: there is no such/,
  },
  {
    name: "a search without a result",
    args: search("--resume", "."),
    says: /Cannot read the search in .*: there is no such file or folder\. Name the result folder of a search\./,
  },
  {
    name: "a result of something else",
    args: search("--resume", "."),
    files: { "search.json": "{}" },
    says: 'search.json is not one (schema is not "assay.search/1").',
  },
  ...["show", "replay", "report", "history", "clean-up", "compare"].map((command) => ({
    name: `no folder for ${command}`,
    args: [command, "no-such", ...({ compare: ["no-such"], show: ["an-id"] }[command] ?? [])],
    says: /^Cannot .*no-such.*does not exist\. Name /,
  })),
  {
    name: "no argument of a command that needs one",
    args: ["show"],
    says: /^error: assay show needs <dir> \(result folder of a load\), such as: assay show out\/load-1 --failed\n/,
  },
  {
    name: "no value of a flag",
    args: load("--rate"),
    says: /^error: --rate needs a value: --rate <[^>]+>\. assay load --help shows what it takes\.\n/,
  },
  {
    name: "a result folder that cannot be made",
    args: load("--out", "/dev/null/x"),
    says: "Cannot write results to /dev/null/x",
  },
  ...["records.jsonl", "verdicts.jsonl"].map((name) => ({
    name: `a report of unreadable ${name} to a folder that is not empty, which is said first`,
    args: ["report", ".", "--out", "."],
    files: { [name]: "no line of it\n" },
    says: /^Cannot write results to .*: it is not empty\./,
  })),
  { name: "a fault that is none", args: ["mock", "--fault", "stream-stal"], says: 'Did you mean "stream-stall"?' },
];

/** The ends of all wrong usages, with further arguments. */
const endsWith = (...more: readonly string[]): Promise<readonly Ended[]> =>
  inTurn(
    WRONG_USAGES.map(({ args, env = {}, files = {} }) => {
      const cwd = newFolder();
      for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
      return { args: [...args, ...more], env, cwd };
    }),
  );

describe("a wrong usage ends with exit code 3 and a sentence, with --json as one document on standard output", () => {
  let plain: readonly Ended[] = [];
  let asJson: readonly Ended[] = [];
  beforeAll(async () => {
    plain = await endsWith();
    asJson = await endsWith("--json");
  });

  test.each(WRONG_USAGES.map(({ name, says }, nth) => [name, nth, says] as const))("%s", (_, nth, says) => {
    const { code, stderr, stdout } = plain[nth] ?? { code: null, stderr: "", stdout: "" };
    if (typeof says === "string") expect(stderr).toContain(says);
    else expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at |Internal error|E[A-Z]{4,}:|Invalid input|✖|exit code \d|\?\.|no-secret-1/);
    expect(stdout).toBe("");
    expect(code).toBe(3);
    const json = asJson[nth] ?? { code: null, stdout: "", stderr: "" };
    const { error } = errorDocument.parse(JSON.parse(json.stdout));
    expect(error.code).toBe("usage");
    expect(json.stderr).toContain(error.message);
    expect(json.stderr).toContain(error.hint ?? "");
    expect(json.stdout).not.toContain("no-secret-1");
    expect(json.code).toBe(3);
  });
});

test("with --json, every command prints one JSON document and nothing else on standard output", async () => {
  const modules = readdirSync(join(ROOT, "scripts", "commands")).map((file) => file.replace(/\.ts$/, ""));
  const commands = [...modules.map((name) => [name, "--help"]), ["conformance", "--list"], ["doctor"]];
  const ended = await inTurn(commands.map((args) => ({ args: [...args, "--json"], env: {}, cwd: newFolder() })));
  for (const { stdout, code } of ended) {
    expect(() => JSON.parse(stdout), stdout).not.toThrow();
    expect(code).toBe(0);
  }
  expect(JSON.parse(ended[0]?.stdout ?? "")).toEqual({ exitCode: 0, output: expect.stringContaining("Usage: assay") });
});

test("with --json, what to do is apart from what is wrong", async () => {
  const target = await closedTarget();
  const { code, stdout } = await assay(["conformance", "--target", target, "--json"]);
  const { host, port } = new URL(target);
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: "inconclusive",
      message: `Cannot reach ${target}: the connection was refused; nothing listens there (${host.split(":")[0]} port ${port}).`,
      hint: "Check the address and that the service is running.",
    },
  });
  expect(code).toBe(2);
});

test("assay alone shows its help, which is no error", async () => {
  const { code, stdout } = await assay([]);
  expect(stdout).toMatch(/^Usage: assay/);
  expect(code).toBe(0);
});

async function closedTarget(): Promise<string> {
  const server = createServer();
  const url = await listenOnLoopback(server);
  await closed(server);
  return url;
}

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

  const help = (await assay(["load", "--help", "all"])).stdout;
  const groups = SETTING_GROUPS.filter((group) => help.includes(`\n${group}:\n`));
  expect([...help.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading)).toEqual([
    "Arguments",
    ...groups,
    "Options",
    "Examples",
  ]);
  const flags = Object.entries<Setting>(settingsFor("load"))
    .filter(([, { rare }]) => rare === undefined)
    .map(([name, entry]) => settingFlag(name, entry));
  for (const flag of flags) expect(help).toMatch(new RegExp(`^ {2}${flag} `, "m"));
});

test("help and version end with exit code 0", async () => {
  expect((await assay(["--help"])).code).toBe(0);
  expect((await assay(["load", "--help", "all"])).stdout).toContain("--max-in-flight");
  expect((await assay(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("the help of every command fits a screen", async () => {
  const modules = readdirSync(join(ROOT, "scripts", "commands")).map((file) => file.replace(/\.ts$/, ""));
  const commands = [...modules, "k8s run", "k8s collect", "ci run"];
  const ended = await inTurn(
    commands.map((name) => ({ args: [...name.split(" "), "--help"], env: {}, cwd: newFolder() })),
  );
  const long = ended.map(({ stdout }, nth) => ({ command: commands[nth], lines: stdout.split("\n").length }));
  expect(long.filter(({ lines }) => lines > 45)).toEqual([]);
  expect(long.length).toBeGreaterThan(20);
});

test.each(["conformance", "load", "search", "proxy", "mock"])(
  "the help of %s has an example, and --help all lists every flag",
  async (command) => {
    const short = (await assay([command, "--help"])).stdout;
    expect(short).toMatch(/^Examples?:/m);
    expect(short).toContain(`assay ${command} --help all lists`);
    if (command !== "mock") expect(short).toContain("Exit codes: 0 passed, 1 failed, 2 inconclusive");
    const all = await assay([command, "--help", "all"]);
    expect(all.code, all.stderr).toBe(0);
    expect(all.stdout.length).toBeGreaterThan(short.length);
  },
);
