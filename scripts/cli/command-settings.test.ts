import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKeyVariables, PLACEHOLDER_KEY, resolveSettings } from "./command-settings.ts";

const NOTHING = { env: {} };

const config = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), "assay-config-")), "assay.yaml");
  writeFileSync(file, text);
  return file;
};

test("a flag wins over a variable, a variable over the file, the file over the default", () => {
  const file = config("rate: 1/s\nduration: 1s\nwarmup: 1s\n");
  const flags = { config: file, rate: "3/s" };
  const env = { ASSAY_RATE: "2/s", ASSAY_DURATION: "2s" };
  const { values, variables } = resolveSettings(["rate", "duration", "warmup", "drain"], flags, { env });
  expect(values).toEqual({ rate: [{ from: 3, to: 3 }], duration: 2_000, warmup: 1_000, drain: 30_000 });
  expect(variables).toEqual({ ASSAY_RATE: "3/s", ASSAY_DURATION: "2s", ASSAY_WARMUP: "1s" });
});

test("an unknown key of the file is refused with the name that was meant", () => {
  expect(() => resolveSettings(["rate"], { config: config("rtae: 3\n") }, NOTHING)).toThrow(
    'it sets "rtae", which is no setting. Did you mean "rate"?',
  );
});

test("a file that is not there or not a mapping is refused by name", () => {
  expect(() => resolveSettings(["rate"], { config: "/nowhere/assay.yaml" }, NOTHING)).toThrow(
    "Cannot read settings from /nowhere/assay.yaml",
  );
  expect(() => resolveSettings(["rate"], { config: config("- rate\n") }, NOTHING)).toThrow("Cannot read settings from");
});

test("lists in the file mean the same as repeated flags", () => {
  const { values } = resolveSettings(["only"], { config: config("only: [chat.*, video.*]\n") }, NOTHING);
  expect(values.only).toBe("chat.*,video.*");
});

test("the API key comes from the variable that was named", () => {
  expect(apiKeyVariables("KEY", { KEY: "k", ASSAY_API_KEY: "other" })).toEqual({ ASSAY_API_KEY: "k" });
  expect(apiKeyVariables(undefined, { ASSAY_API_KEYS: "a,b" })).toEqual({ ASSAY_API_KEY: "a", ASSAY_API_KEYS: "a,b" });
  expect(apiKeyVariables(undefined, {})).toEqual({ ASSAY_API_KEY: PLACEHOLDER_KEY });
  expect(() => apiKeyVariables("KEY", {})).toThrow(
    "Cannot take the API key from KEY: that environment variable is not set",
  );
});
