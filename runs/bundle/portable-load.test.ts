import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadFile } from "../../formats/load.ts";
import { VOCABULARY } from "../../load/inputs/vocabulary.ts";
import { command as bundle } from "../../scripts/commands/bundle.ts";
import { command as k8s } from "../../scripts/commands/k8s.ts";
import { command as load } from "../../scripts/commands/load.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { LOAD_SETTINGS } from "../../settings/load/load-table.ts";
import { type Settings, settingKey } from "../../settings/setting.ts";
import { byteLevel, tokenizerFile } from "../../tests/support/byte-level-tokenizer.ts";
import { newFile, newFolder } from "../../tests/support/commands/assay-process.ts";
import { planLoad } from "../load/plan-load.ts";
import { CONDITIONS, LOCAL_SETTINGS, type PortableLoad, planPortable, portableLoad } from "./portable-load.ts";
import { runScript } from "./run-script.ts";

const testFile = (name: string): string => fileURLToPath(new URL(`../../route/testdata/${name}.pem`, import.meta.url));
const TARGET = { target: "http://127.0.0.1:8080" };
/** What load.json of a load has as its settings. */
const settingsIn = ({ files: [first] }: PortableLoad): Readonly<Record<string, unknown>> => {
  if (first === undefined || !("text" in first)) throw new Error("no load.json");
  return loadFile.parse(JSON.parse(first.text)).settings;
};
const LOAD_JSON = { name: "load.json", text: expect.stringContaining('"assay.load-settings/1"') };
const planned = (flags: Readonly<Record<string, string>>) =>
  planPortable("chat-stream", { ...TARGET, ...flags }, { env: {} });

test("the files of a load are beside its bundle, and its settings name them there", () => {
  const folder = newFolder();
  const [prompts, trace, ca] = ["mine.jsonl", "arrivals.csv", "own.pem"].map((name) => join(folder, name));
  writeFileSync(prompts ?? "", '{"prompt":"Hello"}\n');
  writeFileSync(trace ?? "", '{"timestamp":0}\n{"timestamp":1000}\n');
  writeFileSync(ca ?? "", `${rootCertificates[0]}\n-----BEGIN PRIVATE KEY-----\nof-mine\n-----END PRIVATE KEY-----\n`);
  const load = portableLoad(
    planned({ prompts: prompts ?? "", arrival: `trace:${trace}`, caFile: ca ?? "", header: "x-team=TEAM_TOKEN" }),
    "/test",
  );
  expect(load.files).toEqual([
    LOAD_JSON,
    { name: "prompts.jsonl", source: prompts },
    { name: "trace.txt", source: trace },
    { name: "ca.pem", text: `${rootCertificates[0]}\n` },
  ]);
  expect(settingsIn(load)).toMatchObject({
    target: TARGET.target,
    prompts: "/test/prompts.jsonl",
    arrival: { process: "trace", file: "/test/trace.txt" },
    caFile: "/test/ca.pem",
    header: [{ name: "x-team", variable: "TEAM_TOKEN" }],
  });
  expect(load.secretVariables).toEqual(["ASSAY_API_KEY", "TEAM_TOKEN"]);
  expect(JSON.stringify(settingsIn(load))).not.toContain(folder);
});

test("of a client certificate, the private key is not taken along, also where both are in one file", () => {
  const both = join(newFolder(), "both.pem");
  const [cert, key] = ["client", "client-key"].map((name) => readFileSync(testFile(name), "utf8").trim());
  writeFileSync(both, `${key}\n${cert}\n`);
  const own = { clientCert: testFile("client"), clientKey: testFile("client-key") };
  for (const flags of [own, { clientCert: both }]) {
    const load = portableLoad(planned(flags), ".");
    expect(load.files).toContainEqual({ name: "client.pem", text: `${cert}\n` });
    expect(settingsIn(load)).toMatchObject({ clientCert: "./client.pem", clientKey: "./client-key.pem" });
    expect(JSON.stringify(load)).not.toMatch(/PRIVATE KEY|testdata|both\.pem/);
    expect(runScript(load, "A load.")).toContain("no private key is taken along");
  }
});

test("histograms and prompts of workloads are beside the bundle, and prompts that are not used are not", () => {
  const folder = newFolder();
  const [histogram, mine, list] = ["lengths.csv", "mine.jsonl", "load.yaml"].map((name) => join(folder, name));
  writeFileSync(histogram ?? "", "5,1\n");
  writeFileSync(mine ?? "", "a prompt\n");
  writeFileSync(
    list ?? "",
    `input-tokens: "histogram:${histogram}"
workloads:
  - { name: a, operation: chat, prompts: "${mine}" }
  - { name: b, operation: chat, max-tokens: "histogram:${histogram}" }
`,
  );
  const load = portableLoad(planPortable(undefined, { ...TARGET, workload: list ?? "" }, { env: {} }), "/test");
  expect(load.files).toEqual([
    LOAD_JSON,
    { name: "prompts-a.jsonl", source: mine },
    { name: "max-tokens-b.csv", source: histogram },
    { name: "input-tokens.csv", source: histogram },
  ]);
  expect(settingsIn(load)["inputTokens"]).toBe("histogram:/test/input-tokens.csv");
  expect(JSON.stringify(settingsIn(load))).not.toContain(folder);
});

test("the trace of a workload is beside the bundle, and so a load of which the steady part alone counts is refused", () => {
  const folder = newFolder();
  const [list, trace] = [join(folder, "list.yaml"), join(folder, "t.jsonl")];
  writeFileSync(trace, '{"timestamp": 0}\n{"timestamp": 900}\n');
  writeFileSync(list, `workloads: [{ name: a, operation: chat, arrival: "trace:${trace},unit=ms" }]\n`);
  const plan = (more: object) => planPortable(undefined, { ...TARGET, workload: list, ...more }, { env: {} });
  const { files } = portableLoad(plan({}), "/test");
  expect(files).toContainEqual({ name: "trace-a.txt", source: trace });
  expect(files.find((file) => "text" in file)).toMatchObject({ text: expect.stringContaining("/test/trace-a.txt") });
  expect(() => plan({ warmup: "auto" })).toThrow("a trace is replayed");
});

test("a trace of which several workloads replay parts is beside the bundle once", () => {
  const trace = join(newFolder(), "t.jsonl");
  const rows = ["a", "b"].map((tenant) => JSON.stringify({ timestamp: 0, operation: "chat", tenant }));
  writeFileSync(trace, rows.join("\n"));
  const { files } = portableLoad(planPortable(undefined, { ...TARGET, workload: `trace:${trace}` }, { env: {} }), ".");
  expect(files.flatMap((file) => ("source" in file && file.source === trace ? [file.name] : []))).toEqual([
    "trace-a-chat.txt",
  ]);
});

test("prompts that workloads do not share are not beside the bundle", () => {
  const folder = newFolder();
  const [mine, list] = ["mine.jsonl", "load.yaml"].map((name) => join(folder, name));
  writeFileSync(mine ?? "", "a prompt\n");
  const filesOf = (second: string) => {
    const workloads = [`{ name: a, operation: chat, prompts: "${mine}" }`, `{ name: b, operation: chat${second} }`];
    writeFileSync(list ?? "", `workloads: [${workloads.join(", ")}]\n`);
    const load = portableLoad(planPortable(undefined, { ...TARGET, workload: list ?? "" }, { env: {} }), "/test");
    const [, ...others] = load.files;
    return { files: others.map(({ name }) => name), prompts: settingsIn(load)["prompts"] };
  };
  expect(filesOf("")).toEqual({ files: ["prompts-a.jsonl", "prompts.jsonl"], prompts: "/test/prompts.jsonl" });
  expect(filesOf(", input-tokens: 9")).toEqual({ files: ["prompts-a.jsonl"], prompts: undefined });
  expect(filesOf(`, prompts: "${mine}"`)).toEqual({
    files: ["prompts-a.jsonl", "prompts-b.jsonl"],
    prompts: undefined,
  });
});

test("the words that a tokenizer counted are beside the bundle, in its place", () => {
  const tokenizer = tokenizerFile(byteLevel(VOCABULARY.slice(0, 80)));
  const load = portableLoad(planned({ tokenizer, inputTokens: "20" }), "/test");
  expect(load.files).toEqual([LOAD_JSON, { name: "words.json", text: expect.stringContaining('"costs"') }]);
  expect(settingsIn(load)["tokenizer"]).toBe("tokenizer.json");
});

test("a load whose workloads have keys of their own does not ask for a common one", () => {
  const list = join(newFolder(), "load.yaml");
  const own = "operation: chat, api-key-env: TEAM_A_KEY";
  const planned = (more: string) => {
    writeFileSync(list, `workloads: [{ name: a, ${own} }, { name: b, ${own} }${more}]\n`);
    const plan = planPortable(undefined, { ...TARGET, workload: list }, { env: {} });
    return portableLoad(plan, ".");
  };
  expect(planned("").secretVariables).toEqual(["TEAM_A_KEY"]);
  expect(runScript(planned(""), "A load.")).toContain("TEAM_A_KEY=… sh run.sh");
  expect(runScript(planned(""), "A load.")).not.toContain("ASSAY_API_KEY");
  expect(planned(", { name: c, operation: chat }").secretVariables).toEqual(["ASSAY_API_KEY", "TEAM_A_KEY"]);
});

test("a load that is started elsewhere needs no key here, and one that is started here does", () => {
  const list = newFile("load.yaml", "workloads: [{ name: a, operation: chat, api-key-env: TEAM_A_KEY }]\n");
  const flags = { ...TARGET, workload: list };
  expect(planPortable(undefined, flags, { env: {} }).keys).toEqual({});
  expect(planLoad(undefined, flags, { env: {} }, false).keys).toEqual({});
  expect(() => planLoad(undefined, flags, { env: {} })).toThrow("API key of the workload a from TEAM_A_KEY");
  expect(planned({ apiKeyEnv: "NOT_HERE" }).keys).toEqual({});
});

test("the variable of the key is that of --api-key-env, where the load runs too", () => {
  const load = portableLoad(planned({ apiKeyEnv: "TEAM_KEY", header: "x-team=TEAM_TOKEN" }), ".");
  expect(load).toMatchObject({ secretVariables: ["ASSAY_API_KEY", "TEAM_TOKEN"], keyFrom: "TEAM_KEY" });
  expect(runScript(load, "A load.")).toContain("TEAM_KEY=… sh run.sh");
});

test("a load that runs elsewhere takes every setting that k6 is told, and refuses each of the others with its reason", () => {
  const settings: Settings = settingsFor("load");
  const told = Object.keys(LOAD_SETTINGS);
  const taken = Object.keys(settings).filter((name) => settings[name]?.besideK6 === undefined);
  expect(taken.toSorted()).toEqual(
    [...told.filter((name) => settings[name]?.besideK6 === undefined), "apiKeyEnv"].toSorted(),
  );
});

test("no key is taken along", () => {
  const plan = planPortable("chat-stream", TARGET, { env: { ASSAY_API_KEY: "a-key-of-mine" } });
  expect(JSON.stringify(portableLoad(plan, "."))).not.toContain("a-key-of-mine");
});

test.each([
  ["output", "csv=metrics.csv"],
  ["scrape", "http://127.0.0.1:8000/metrics"],
  ["repeat", "3"],
  ["check", "1%"],
  ["abortOn", "error_rate>20% over 10s"],
])("--%s is refused, which only Assay follows", (name, value) => {
  expect(() => planned({ [name]: value })).toThrow(`--${settingKey(name)} is set`);
});

test("a shape that ends the run by a condition is refused, with the same load without it", () => {
  expect(() => planned({ shape: "breakpoint", rate: "20" })).toThrow(
    /the shape breakpoint ends the run on "error_rate>20% over 10s".*--rate 0\.\.20 --duration 10m --warmup 0/,
  );
  expect(() => planned({ shape: "spike" })).not.toThrow();
});

describe("the help of", () => {
  const withSubcommands = [bundle, k8s, ...k8s.commands.filter((command) => command.name() === "run")];
  const settings: Settings = settingsFor("load");
  const withFlags = LOCAL_SETTINGS.filter((name) => !settings[name]?.rare);

  test.each(withSubcommands.map((command) => [command.name(), command] as const))(
    "%s has no setting that is refused",
    (name, command) => {
      const refused = withFlags.filter((setting) => name !== "run" || !CONDITIONS.includes(setting));
      const flags = refused.map((setting) => `--${settingKey(setting)}`);
      const shown = new Set(command.helpInformation().match(/--[a-z][a-z-]*/g));
      expect(flags.filter((flag) => shown.has(flag))).toEqual([]);
      expect(shown).toContain("--rate");
      // One that is given is still read, so that the refusal says why.
      expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags));
    },
  );

  test("no command shows a heading without a setting", () => {
    for (const command of withSubcommands) expect(command.helpInformation()).not.toMatch(/^[A-Z][\w ]*:\n\n/m);
  });

  test("assay load has them", () => {
    const shown = new Set(load.helpInformation().match(/--[a-z][a-z-]*/g));
    expect(withFlags.map((name) => `--${settingKey(name)}`).filter((flag) => !shown.has(flag))).toEqual([]);
  });
});
