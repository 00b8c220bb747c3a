import { describe, expect, test } from "vitest";
import { readLoadSettings } from "../../scenarios/process/checked-settings.ts";
import { checkCommonStart, checkRunName, checkRunners, checkSize } from "./cluster-checks.ts";

const settingsWith = (env: Readonly<Record<string, string>>) =>
  readLoadSettings({ ASSAY_TARGET: "http://127.0.0.1:8080", ...env });

describe("the name of a run", () => {
  test.each(["a", "assay-chat-20300102", "a".repeat(51)])("may be %s", (name) => {
    expect(() => checkRunName(name)).not.toThrow();
  });

  test.each(["", "1a", "a.b", "A", "a-", "-a", "a b", "a_b", "a".repeat(52)])("may not be %j", (name) => {
    expect(() => checkRunName(name)).toThrow(/Cannot name the run .* --run-name/);
  });
});

describe("more runners than virtual users", () => {
  test.each([
    ["of a closed loop", { ASSAY_VUS: "3" }, /its vus of 3/],
    ["of an open loop", { ASSAY_MAX_IN_FLIGHT: "3" }, /its max-in-flight of 3/],
  ])("are refused: those %s", (_, env, message) => {
    expect(() => checkRunners(3, settingsWith(env))).not.toThrow();
    expect(() => checkRunners(4, settingsWith(env))).toThrow(message);
  });
});

test("more runners than the operator can start are refused", () => {
  const settings = settingsWith({ ASSAY_VUS: "4000" });
  expect(() => checkRunners(327, settings)).not.toThrow();
  expect(() => checkRunners(328, settings)).toThrow(
    /328 runners: .* takes 327 at most\. Use fewer runners on larger nodes/,
  );
});

describe("forty runners", () => {
  test.each([
    ["a common instant", { ASSAY_START_AT: "2130-01-01T00:00:00Z" }],
    ["Poisson arrivals at a steady rate", { ASSAY_ARRIVAL: "poisson", ASSAY_RATE: "100" }],
    ["virtual users", { ASSAY_VUS: "400" }],
  ])("start as one load with %s", (_, env) => {
    expect(() => checkCommonStart(40, settingsWith(env))).not.toThrow();
  });

  test("are refused without any of these", () => {
    expect(() => checkCommonStart(39, settingsWith({}))).not.toThrow();
    expect(() => checkCommonStart(40, settingsWith({}))).toThrow(/more than a second apart.*--start-at/);
  });
});

describe("a ConfigMap", () => {
  test("takes a mebibyte, keys and values, in bytes", () => {
    expect(() => checkSize({ ab: "x".repeat(2 ** 20 - 2) })).not.toThrow();
    expect(() => checkSize({ ab: "x".repeat(2 ** 20 - 1) })).toThrow(/1,048,577.*ab has 1,048,577.*--prompts-at/);
    expect(() => checkSize({ a: "é".repeat(2 ** 19) })).toThrow(/1,048,577/);
  });
});
