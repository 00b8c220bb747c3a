import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { newFile } from "../tests/support/commands/assay-process.ts";
import { apiKeyVariables, keyNotice, PLACEHOLDER_KEY } from "./api-keys.ts";
import { flagsFor, resolveSettings, withSettings } from "./command-settings.ts";

const NOTHING = { env: {} };

const config = (text: string): string => newFile("assay.yaml", text);

test("a flag wins over a variable, a variable over the file, the file over the default", () => {
  const file = config("rate: 1/s\nduration: 1s\nwarmup: 1s\n");
  const flags = { config: file, rate: "3/s" };
  const env = { ASSAY_RATE: "2/s", ASSAY_DURATION: "2s" };
  const { values, given } = resolveSettings("load", flags, { env });
  expect(values).toMatchObject({ rate: [{ from: 3, to: 3 }], duration: 2_000, warmup: 1_000, stall: 10_000 });
  expect([...given].sort()).toEqual(["duration", "rate", "warmup"]);
});

test("a word in place of a value stands for the settings that say the same, wherever it is given", () => {
  const auto = { warmup: 0, steadyOnly: true };
  expect(resolveSettings("load", { warmup: "auto" }, NOTHING).values).toMatchObject(auto);
  expect(resolveSettings("load", { config: config("warmup: auto\n") }, NOTHING).values).toMatchObject(auto);
  expect(resolveSettings("load", {}, { env: { ASSAY_WARMUP: "auto" } }).values).toMatchObject(auto);
  const workload = config("warmup: auto\nworkloads:\n  - { name: one, operation: chat }\n");
  expect(resolveSettings("load", { workload }, NOTHING).values).toMatchObject(auto);
  expect(() => resolveSettings("search", { warmup: "auto" }, NOTHING)).toThrow('Cannot read --warmup: "auto"');
  expect(() => resolveSettings("load", { duration: "auto" }, NOTHING)).toThrow('Cannot read --duration: "auto"');
});

test("an unknown key of the file is refused with the name that was meant", () => {
  expect(() => resolveSettings("load", { config: config("rtae: 3\n") }, NOTHING)).toThrow(
    'it sets "rtae", which is not a setting. Did you mean "rate"?',
  );
});

test("a key of another command is accepted, since one file serves all commands", () => {
  const { values } = resolveSettings("conformance", { config: config("rate: 5\nslots: 2\nmax-rate: 3\n") }, NOTHING);
  expect(values.maxRate).toBe(3);
  expect(values).not.toHaveProperty("rate");
});

test("an unknown variable is refused with the name that was meant, unless a setting names it or it is empty", () => {
  expect(() => resolveSettings("load", {}, { env: { ASSAY_RTAE: "3" } })).toThrow(
    'Cannot use the environment variable ASSAY_RTAE: it is not a setting. Did you mean "ASSAY_RATE"?',
  );
  const file = config("header: x-team=ASSAY_TEAM\n");
  const env = { ASSAY_TEAM: "a", ASSAY_KEY_OF_B: "b", ASSAY_RTAE: "", ASSAY_SLOTS: "2", ASSAY_API_KEY: "k" };
  expect(() => resolveSettings("mock", { config: file, apiKeyEnv: "ASSAY_KEY_OF_B" }, { env })).not.toThrow();
});

test("a value that cannot be read is blamed on where it was given", () => {
  const file = config("duration: soon\n");
  expect(() => resolveSettings("load", { config: file }, NOTHING)).toThrow(`Cannot read duration in ${file}: "soon"`);
  expect(() => resolveSettings("load", { duration: "soon" }, NOTHING)).toThrow('Cannot read --duration: "soon"');
  expect(() => resolveSettings("load", {}, { env: { ASSAY_DURATION: "soon" } })).toThrow("Cannot read ASSAY_DURATION");
});

test("a file that is not there or not a mapping is refused by name", () => {
  expect(() => resolveSettings("load", { config: "/nowhere/assay.yaml" }, NOTHING)).toThrow(
    "Cannot read settings from /nowhere/assay.yaml",
  );
  expect(() => resolveSettings("load", { config: config("- rate\n") }, NOTHING)).toThrow("Cannot read settings from");
});

test("aliases that stand for too much are refused", () => {
  const laughs = [..."abcdefghi"].map(
    (name, index, names) => `${name}: &${name} [${Array(9).fill(index === 0 ? "x" : `*${names[index - 1]}`)}]\n`,
  );
  expect(() => resolveSettings("load", { config: config(laughs.join("")) }, NOTHING)).toThrow(
    "its aliases (*name) stand for more than 100 others",
  );
});

test("members in the file mean the same as JSON on the command line", () => {
  const extraBody = { ignore_eos: true, stop: ["a"] };
  const file = config("extra-body:\n  ignore_eos: true\n  stop: [a]\n");
  expect(resolveSettings("load", { config: file }, NOTHING).values).toMatchObject({ extraBody });
  const flags = { extraBody: JSON.stringify(extraBody) };
  expect(resolveSettings("load", flags, NOTHING).values).toMatchObject({ extraBody });
  expect(() => resolveSettings("load", { config: config("rate: {from: 1}\n") }, NOTHING)).toThrow(
    '"{"from":1}" is not a rate',
  );
});

test("lists in the file mean the same as repeated flags", () => {
  const { values } = resolveSettings("conformance", { config: config("only: [chat.*, video.*]\n") }, NOTHING);
  expect(values.only).toBe("chat.*,video.*");
});

test("the white space around an API key is not sent; one that cannot be sent is refused without being shown", () => {
  expect(apiKeyVariables(undefined, { ASSAY_API_KEY: "secret\t" })).toEqual({ ASSAY_API_KEY: "secret" });
  expect(apiKeyVariables("KEY", { KEY: " secret\n" })).toEqual({ ASSAY_API_KEY: "secret" });
  for (const [key, why] of [
    ["Bearer sec-ret", "begins with Bearer"],
    ['"sec-ret"', "stands in quotation marks"],
    ["secret,'sec-ret'", "stands in quotation marks"],
    ['"secret,sec-ret"', "stands in quotation marks"],
  ] as const) {
    expect(() => apiKeyVariables(undefined, { ASSAY_API_KEYS: key })).toThrow(why);
    expect(() => apiKeyVariables("KEY", { KEY: key })).not.toThrow("sec");
  }
  for (const key of ["sec\nret", "sec\u2026ret"]) {
    expect(() => apiKeyVariables(undefined, { ASSAY_API_KEY: key })).toThrow("that no header may contain");
    expect(() => apiKeyVariables("KEY", { KEY: key })).not.toThrow(/sec|ret$/);
  }
  expect(() => apiKeyVariables("sk-secret", {})).toThrow("is not the name of an environment variable");
  expect(() => apiKeyVariables("sk-secret", {})).not.toThrow("secret");
});

test("a key that is too short to be kept out of texts is mentioned, and not shown", () => {
  expect(keyNotice({ ASSAY_API_KEY: "long-enough", ASSAY_API_KEYS: "long-enough,s3" })).toMatch(/fewer than 8/);
  expect(keyNotice({ ASSAY_API_KEY: "s3" })).not.toContain("s3");
  expect(keyNotice({ ASSAY_API_KEY: "long-enough" })).toBeUndefined();
});

test("the API key comes from the variable that was named", () => {
  expect(apiKeyVariables("KEY", { KEY: "k", ASSAY_API_KEY: "other" })).toEqual({ ASSAY_API_KEY: "k" });
  expect(apiKeyVariables(undefined, { ASSAY_API_KEYS: "a,b" })).toEqual({ ASSAY_API_KEY: "a", ASSAY_API_KEYS: "a,b" });
  expect(apiKeyVariables(undefined, {})).toEqual({ ASSAY_API_KEY: PLACEHOLDER_KEY });
  expect(() => apiKeyVariables("KEY", {})).toThrow(
    "Cannot take the API key from KEY: that environment variable is not set",
  );
});

test("settings are written as they are typed, those without a flag of their own with --set", () => {
  const values = { rate: "4/s", cancelShare: "0.25", noDefaultSlos: true, slo: "error_rate<20%" } as const;
  expect(flagsFor("load", values)).toBe(
    "--rate 4/s --set cancel-share=0.25 --set no-default-slos --slo 'error_rate<20%'",
  );
});

describe("a setting without a flag of its own", () => {
  const optionsOf = (...args: string[]) => {
    const command = withSettings(new Command(), "load").exitOverride();
    command.parseOptions(args);
    return command.opts<Record<string, string>>();
  };

  test("is set by --set as by a flag, and of several the last counts", () => {
    const options = optionsOf("--set", "stall=3s", "--set", "no-usage", "--set", "stall=4s", "--rate", "2");
    expect(options).toMatchObject({ stall: "4s", noUsage: "true", rate: "2" });
    expect(resolveSettings("load", options, NOTHING).values).toMatchObject({ stall: 4_000, noUsage: true });
  });

  test("may be any setting: one with a flag, too", () => {
    expect(optionsOf("--set", "rate=7/s")).toMatchObject({ rate: "7/s" });
    expect(optionsOf("--set", "slo=ok>=1", "--set", "slo=ttft_p95<1s")).toMatchObject({ slo: "ok>=1,ttft_p95<1s" });
  });

  test("is refused with the name that was meant, or its missing value", () => {
    expect(() => optionsOf("--set", "stal=3s")).toThrow(
      'Cannot set "stal": it is not a setting of this command. Did you mean "stall"?',
    );
    expect(() => optionsOf("--set", "stall")).toThrow("Cannot set stall: it has no value. Write --set stall=<time>.");
    expect(() => resolveSettings("load", optionsOf("--set", "stall=soon"), NOTHING)).toThrow("--set stall");
  });
});

test.each([
  ["output-tokens", "128", "maxTokens"],
  ["profile", "soak", "shape"],
] as const)("%s of another command is not ignored where %s is meant", (key, value, own) => {
  const file = config(`${key}: ${value}\n`);
  expect(() => resolveSettings("load", { config: file }, NOTHING)).toThrow(
    `Cannot tell what ${key} in ${file} is meant for: ${key} is a setting of another command`,
  );
  const flags = { config: file, [own]: own === "shape" ? "spike" : "64" };
  expect(() => resolveSettings("load", flags, NOTHING)).not.toThrow();
});
