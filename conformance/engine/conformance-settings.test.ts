import { expect, test } from "vitest";
import { recordedCheckSettings } from "../../formats/exchanges.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { publicSettings, settingsFrom } from "./conformance-settings.ts";

const TARGET = { ASSAY_TARGET: "http://127.0.0.1:9" };

test("the key is ASSAY_API_KEY, else the first of ASSAY_API_KEYS, else none", () => {
  const several = { ASSAY_API_KEYS: " key-of-a , key-of-b" };
  expect(settingsFrom({ ...TARGET, ...several, ASSAY_API_KEY: "own-key" }).apiKey).toBe("own-key");
  expect(settingsFrom({ ...TARGET, ...several }).apiKey).toBe("key-of-a");
  expect(settingsFrom({ ...TARGET, ...several, ASSAY_API_KEY: "" }).apiKey).toBe("key-of-a");
  expect(settingsFrom(TARGET)).not.toHaveProperty("apiKey");
});

test("no secret is among the settings that results show", () => {
  const env = { ...TARGET, ASSAY_API_KEYS: "canary-a,canary-b", ASSAY_HEADER: "x-team=TEAM", TEAM: "canary-of-a-team" };
  const shown = publicSettings(settingsFrom(env));
  expect(shown).toMatchObject({ keyGiven: true, headers: ["x-team"] });
  expect(JSON.stringify(shown)).not.toContain("canary");
});

test.each([
  ["20s", 5_000, 5_000, 25_000],
  ["40m", 60_000, 600_000, 600_000],
  [undefined, 60_000, 150_000, 150_000],
])(
  "with the deadline %s, a request may take %d ms, of a slow target %d ms",
  (deadline, timeoutMs, slowMs, silenceMs) => {
    const env = { ...TARGET, ASSAY_VIDEO: "true", ...(deadline && { ASSAY_DEADLINE: deadline }) };
    expect(settingsFrom(env)).toMatchObject({ timeoutMs, slowMs, silenceMs });
  },
);

test("a run has no rate unless one is given, and bounds its own length", () => {
  expect(settingsFrom(TARGET)).toMatchObject({ deadline: 600_000, concurrency: 8 });
  expect(settingsFrom({ ...TARGET, ASSAY_VIDEO: "true" }).deadline).toBe(3_600_000);
  expect(settingsFrom(TARGET).maxRate).toBeUndefined();
  expect(settingsFrom({ ...TARGET, ASSAY_MAX_RATE: "90/m" }).maxRate).toBe(1.5);
  expect(() => settingsFrom({ ...TARGET, ASSAY_MAX_RATE: "1..5" })).toThrow("is not a rate above zero");
});

test("the recorded settings of a check are those that its commands take, without what is secret", () => {
  const taken = { ...settingsFor("conformance"), ...settingsFor("proxy") };
  // Headers are recorded by their names; where the key came from and how long a target was waited for is not.
  const recorded = Object.keys(taken).filter((name) => !["header", "apiKeyEnv", "waitFor"].includes(name));
  const derived = ["keyGiven", "headers", "timeoutMs", "waitCapMs", "silenceMs", "graceMs"];
  expect(Object.keys(recordedCheckSettings.shape).toSorted()).toEqual([...recorded, ...derived].toSorted());
});
