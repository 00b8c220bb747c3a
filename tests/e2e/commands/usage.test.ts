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

/** A command that asks for something that cannot be done, what it must say, and the files of the folder in which it runs. */
type WrongUsage = readonly [
  name: string,
  args: readonly string[],
  says: string | RegExp,
  files?: Readonly<Record<string, string>>,
  env?: Readonly<Record<string, string>>,
];

const TARGET = ["--target", "http://127.0.0.1:9"];
const load = (...flags: string[]): string[] => ["load", "chat-stream", ...TARGET, ...flags];
const conformance = (...flags: string[]): string[] => ["conformance", ...TARGET, ...flags];
const search = (...flags: string[]): string[] => ["search", "chat", ...TARGET, "--slo", "e2e_p95<1s", ...flags];

const errorDocument = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), hint: z.string().optional() }),
});

const COMMANDS = readdirSync(join(ROOT, "scripts", "commands")).map((file) => file.replace(/\.ts$/, ""));
const NO_FILE = "there is no such file or folder";
const NO_TARGET =
  "No target is given. Name the base address of the service with --target, such as --target http://127.0.0.1:8080, or set ASSAY_TARGET.";
const BROKEN_YAML = "rate: [\n";

const WRONG_USAGES: readonly WrongUsage[] = [
  // Flags, commands and settings
  ["an unknown flag", load("--rat", "20"), /unknown option '--rat'. Did you mean "--rate"\?/],
  ["a flag like none", load("--zzzzzzzz"), "unknown option '--zzzzzzzz'. assay load --help lists what it takes."],
  [
    "a flag like none, of a command within another",
    ["k8s", "run", "--zzzzzzzz"],
    "unknown option '--zzzzzzzz'. assay k8s run --help lists what it takes.",
  ],
  ["a misspelt --help", load("--hlep"), `Did you mean "--help"?`],
  [
    "windows longer than the load",
    load("--duration", "10s", "--slo", "ttft_p90<300ms in every 1m"),
    "the run measures for 10s only, which is less than one window",
  ],
  [
    "a key as a flag",
    load("--api-key", "no-secret-1"),
    /^error: unknown option '--api-key'\. Put the key into the environment variable ASSAY_API_KEY\.\n$/,
  ],
  [
    "a key in assay.yaml",
    load(),
    /^Cannot use assay\.yaml: it sets "api-key", which is not a setting\. Put the key into the environment variable ASSAY_API_KEY\.\n$/,
    { "assay.yaml": "api-key: no-secret-1\n" },
  ],
  [
    "a setting without a value in assay.yaml",
    load(),
    "Cannot use assay.yaml: rate has no value.",
    { "assay.yaml": "rate:\n" },
  ],
  ["an unknown command", ["laod"], /unknown command 'laod'\. Did you mean "load"\?/],
  ["help on an unknown command", ["help", "laod"], 'There is no command "laod". Did you mean "load"?'],
  ["an invalid value of a flag", load("--duration", "soon"), '"soon" is not a duration; write one such'],
  [
    "--rate for a conformance run",
    conformance("--rate", "5"),
    `unknown option '--rate'. Did you mean "--max-rate <rate>"?`,
  ],
  ["--ledger for a calibration", ["calibrate", "--ledger", "f"], 'Did you mean "--ground-truth <file>"?'],
  ["the variable of another command's setting", load(), "that of this one is shape", {}, { ASSAY_PROFILE: "spike" }],
  ...[["load", "chat"], ["search", "chat", "--slo", "e2e_p95<1s"], ["conformance"]].map(
    (args): WrongUsage => [
      `a SOCKS proxy in the plan of ${args[0]}`,
      [...args, "--target", "http://svc.test", "--plan"],
      "Cannot use the proxy of the environment variable ALL_PROXY: it names a SOCKS proxy",
      {},
      { ALL_PROXY: "socks5://proxy.test:1080" },
    ],
  ),
  ["a misspelt variable", load(), 'Did you mean "ASSAY_TARGET"?', {}, { ASSAY_TARGETT: "x" }],
  // The target
  ["no target of a load", ["load", "chat"], NO_TARGET],
  ["no target of a conformance run", ["conformance"], NO_TARGET],
  ["no target of a proxy", ["proxy"], NO_TARGET],
  ["no target of a search", ["search", "chat", "--slo", "e2e_p95<1s"], NO_TARGET],
  ["no target of manifests", ["k8s", "chat"], NO_TARGET],
  [
    "an address without a scheme",
    ["load", "chat", "--target", "localhost:8080"],
    '"localhost:8080" is not an address; write http://localhost:8080, or https://localhost:8080.',
  ],
  [
    "a public address without a scheme",
    ["load", "chat", "--target", "inference.example/api"],
    "write https://inference.example/api.",
  ],
  [
    "a port that is none",
    ["load", "chat", "--target", "http://127.0.0.1:99999"],
    '"99999" is not a port; write one from 1 to 65535',
  ],
  [
    "an address as an argument",
    ["conformance", "http://127.0.0.1:9"],
    "error: assay conformance takes no address as an argument. Write --target http://127.0.0.1:9",
  ],
  [
    "an address in place of a scenario",
    ["load", "http://127.0.0.1:9"],
    '"http://127.0.0.1:9" is not a scenario. The target is named with --target http://127.0.0.1:9',
  ],
  ["two scenarios", load("chat"), 'assay load takes fewer arguments, and "chat" is given.'],
  // Scenarios and words
  ["no scenario", ["load", ...TARGET], /^Cannot load: no scenario is given\. Name one of chat-stream/],
  [
    "no scenario on Kubernetes",
    ["k8s", "run", ...TARGET],
    /^Cannot load: no scenario is given\. Name one of chat-stream/,
  ],
  [
    "an unknown scenario",
    ["load", "chat-streem", ...TARGET],
    /"chat-streem" is not a scenario; name one of chat-stream.* Did you mean "chat-stream"\?/,
  ],
  ["a misspelt scenario", ["load", "vidoe", ...TARGET], 'Did you mean "video"?'],
  [
    "a file of workloads as a scenario",
    ["load", "load.yaml", ...TARGET],
    "A file of workloads is named with --workload load.yaml",
  ],
  ["an unknown shape", load("--shape", "spikes"), 'Did you mean "spike"?'],
  ["an unknown arrival process", load("--arrival", "posson"), 'Did you mean "poisson"?'],
  [
    "an unknown output",
    load("--output", "dashboard"),
    '"dashboard" is not an output. Did you mean "web-dashboard"? Write web-dashboard, prometheus=URL',
  ],
  ["an unknown form of records", load("--records", "sumary"), 'Did you mean "summary"?'],
  ["an unknown level of failure", conformance("--fail-on", "warning"), 'Did you mean "warn"?'],
  ["a misspelt area", conformance("--only", "chatt.*"), 'Did you mean "chat.*"?'],
  ["a selection that matches no clause", conformance("--only", "zzz"), "No clause matches --only zzz."],
  ["an unknown timing of the mock", ["mock", "--timing", "tpyical"], /"tpyical"[\s\S]*typical/],
  ["an unknown format", ["report", ".", "--format", "htlm"], 'Did you mean "html"?'],
  // Values
  ["no time to measure", load("--duration", "0"), "the duration is 0, and nothing would be measured"],
  ["no time to check", conformance("--deadline", "0"), "the deadline is 0"],
  ["a time without a unit", ["mock", "--ttft", "100"], "Write it like 20ms, 3s"],
  [
    "a start in the past",
    load("--start-at", "2020-01-01T00:00:00Z"),
    /by this machine's clock that was [\d,]+ days ago\./,
  ],
  [
    "a condition that cannot be read",
    load("--abort-on", "error_rate>500% over 10s"),
    /^(?:(?!write)[\s\S])*; write (?:(?!write)[\s\S])*\n$/,
  ],
  [
    "a changing maximum rate",
    conformance("--max-rate", "1,2"),
    'Cannot read --max-rate: "1,2" is not a rate above zero',
  ],
  ["a key variable that is not set", load("--api-key-env", "NO_SUCH_KEY"), "from NO_SUCH_KEY"],
  // Flags that would have no effect
  [
    "turns of embeddings",
    ["load", "embeddings", ...TARGET, "--turns", "3"],
    "Cannot use --turns with embeddings: it is for chat-stream and chat.",
  ],
  ["a mix of one", load("--mix", "chat=3"), "Cannot use --mix with chat-stream"],
  // Files
  ["no settings file", load("--config", "none.yaml"), `Cannot read settings from none.yaml: ${NO_FILE}.`],
  [
    "a settings file that is not YAML",
    load("--config", "c.yaml"),
    /^Cannot read settings from c\.yaml: line 2, column 1 is not YAML: .*such as: rate: 20\/s\n$/,
    { "c.yaml": BROKEN_YAML },
  ],
  [
    "a settings file that is a list",
    load("--config", "c.yaml"),
    "Cannot read settings from c.yaml: it is not names with values.",
    { "c.yaml": "- rate\n" },
  ],
  ["no CA file of a load", load("--ca-file", "ca.pem"), `certificates from ca.pem: ${NO_FILE}.`],
  ["no CA file of a check", conformance("--ca-file", "ca.pem"), `certificates from ca.pem: ${NO_FILE}.`],
  ["no CA file of a proxy", ["proxy", ...TARGET, "--ca-file", "ca.pem"], `from ca.pem: ${NO_FILE}.`],
  [
    "a CA file without a certificate",
    load("--ca-file", "ca.pem"),
    "Cannot read certificates from ca.pem: it holds no certificate in PEM form",
    { "ca.pem": "none" },
  ],
  ["no folder of an output", load("--output", "csv=none/x.csv"), `Cannot use csv=none/x.csv: ${NO_FILE}.`],
  ["no tokenizer", load("--set", "tokenizer=t.json", "--input-tokens", "5"), `with t.json: ${NO_FILE}.`],
  ["no prompts", load("--prompts", "p.jsonl"), /Cannot read prompts from .*p\.jsonl: there is no such/],
  [
    "prompts that cannot be read",
    load("--prompts", "p.jsonl"),
    /p\.jsonl: line 3 is not a JSON object/,
    { "p.jsonl": '{"prompt":"fine"}\n\n[{"prompt":"not fine"}\n' },
  ],
  ["no trace", load("--arrival", "trace:none.csv"), `Cannot read arrivals from none.csv: ${NO_FILE}.`],
  ["no lengths", load("--input-tokens", "histogram:h.csv"), /from .*h\.csv: there is no such file/],
  ["no workloads", ["load", "--workload", "w.yaml", ...TARGET], `from w.yaml: ${NO_FILE}.`],
  [
    "members of chats that are not JSON",
    load("--set", "extra-body={ignore_eos: true}"),
    "Cannot read --set extra-body: it is not valid JSON; write an object such as",
  ],
  [
    "no file of members",
    load("--set", "extra-body=e.json"),
    `Cannot read further members of chat requests from e.json: ${NO_FILE}.`,
  ],
  [
    "members in a file that is not JSON",
    load("--set", "extra-body=e.json"),
    "Cannot add e.json to chat requests: it is not valid JSON",
    { "e.json": "{" },
  ],
  ["no baseline", conformance("--baseline", "b.yaml"), `Cannot read the baseline b.yaml: ${NO_FILE}.`],
  [
    "a baseline that is no list",
    conformance("--baseline", "b.yaml"),
    "Cannot read the baseline b.yaml: it is not a list.",
    { "b.yaml": "chat.status: known\n" },
  ],
  [
    "an entry of a baseline that lacks two members",
    conformance("--baseline", "b.yaml"),
    "Cannot read the baseline b.yaml: entry 1: reason is missing.",
    { "b.yaml": "- clause: chat.status\n" },
  ],
  [
    "an entry of a baseline without a date",
    conformance("--baseline", "b.yaml"),
    "entry 1: expires is not a date such as 2027-01-31.",
    { "b.yaml": "- { clause: chat.status, reason: x, expires: soon }\n" },
  ],
  ["no search to resume", search("--resume", "none"), /Cannot read the search in .*none: there is no such/],
  [
    "a search without a result",
    search("--resume", "."),
    /Cannot read the search in .*: there is no such file or folder\. Name the result folder of a search\./,
  ],
  [
    "a result of something else",
    search("--resume", "."),
    'search.json is not one (schema is not "assay.search/1").',
    { "search.json": "{}" },
  ],
  ...["show", "replay", "report", "history", "clean-up", "compare"].map(
    (command): WrongUsage => [
      `no folder for ${command}`,
      [command, "no-such", ...({ compare: ["no-such"], show: ["an-id"] }[command] ?? [])],
      /^Cannot .*no-such.*does not exist\. Name /,
    ],
  ),
  [
    "no argument of a command that needs one",
    ["show"],
    /^error: assay show needs <dir> \(result folder of a load\), such as: assay show out\/load-1 --failed\n/,
  ],
  [
    "no value of a flag",
    load("--rate"),
    /^error: --rate needs a value: --rate <[^>]+>\. assay load --help shows what it takes\.\n/,
  ],
  ["a result folder that cannot be made", load("--out", "/dev/null/x"), "Cannot write results to /dev/null/x"],
  ...["records.jsonl", "verdicts.jsonl"].map(
    (name): WrongUsage => [
      `a report of unreadable ${name} to a folder that is not empty, which is said first`,
      ["report", ".", "--out", "."],
      /^Cannot write results to .*: it is not empty\./,
      { [name]: "no line of it\n" },
    ],
  ),
  ["a fault that is none", ["mock", "--fault", "stream-stal"], 'Did you mean "stream-stall"?'],
];

describe("a wrong usage ends with exit code 3 and a sentence, with --json also in one JSON document", () => {
  const endedWith = (...more: readonly string[]): Promise<readonly Ended[]> =>
    inTurn(
      WRONG_USAGES.map(([, args, , files = {}, env = {}]) => {
        const cwd = newFolder();
        for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
        return { args: [...args, ...more], env, cwd };
      }),
    );
  let [plain, json]: (readonly Ended[])[] = [];
  beforeAll(async () => {
    plain = await endedWith();
    json = await endedWith("--json");
  });

  test.each(WRONG_USAGES.map(([name, , says], nth) => [name, nth, says] as const))("%s", (_, nth, says) => {
    const { code, stderr, stdout } = plain?.[nth] ?? { code: null, stderr: "", stdout: "" };
    if (typeof says === "string") expect(stderr).toContain(says);
    else expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at |Internal error|E[A-Z]{4,}:|Invalid input|✖|exit code \d|\?\.|no-secret-1/);
    expect(stdout).toBe("");
    expect(code).toBe(3);
    const told = json?.[nth] ?? { code: null, stderr: "", stdout: "" };
    const { error } = errorDocument.parse(JSON.parse(told.stdout));
    expect(error.code).toBe("usage");
    expect(told.stderr).toContain(error.message);
    expect(told.stderr).toContain(error.hint ?? "");
    expect(told.stdout).not.toContain("no-secret-1");
    expect(told.code).toBe(3);
  });
});

test("with --json, every command prints one JSON document and nothing else on standard output", async () => {
  const commands = [...COMMANDS.map((name) => [name, "--help"]), ["conformance", "--list"], ["doctor"]];
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

test("--version prints three numbers", async () => {
  expect((await assay(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
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
  const { stdout, code } = await assay(["--help"]);
  expect(code).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}([a-z][a-z0-9-]*) /gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...COMMANDS, "help"].toSorted());
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

test("the help of every command fits a screen", async () => {
  const commands = [...COMMANDS, "k8s run", "k8s collect", "ci run"];
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
