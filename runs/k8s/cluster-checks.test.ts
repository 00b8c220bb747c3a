import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { planLoad } from "../load/plan-load.ts";
import { checkCommonStart, checkNames, checkRunName, checkRunners, checkSize } from "./cluster-checks.ts";
import { manifestsOf } from "./manifests.ts";

const settingsWith = (env: Readonly<Record<string, string>>) =>
  readLoadSettings({ ASSAY_TARGET: "http://127.0.0.1:8080", ...env });

/** Workloads that each have arrivals of their own. */
function workloadsWith(...each: readonly string[]) {
  const file = join(newFolder(), "load.yaml");
  const list = each.map((own, index) => `  - { name: w${index + 1}, operation: chat, ${own} }\n`);
  writeFileSync(file, `warmup: 0s\nworkloads:\n${list.join("")}`);
  return planLoad(undefined, { target: "http://host", workload: file }, { env: {} }).settings;
}

describe("the name of a run", () => {
  test.each(["a", "assay-chat-20300102", "a".repeat(51)])("may be %s", (name) => {
    expect(() => checkRunName(name)).not.toThrow();
  });

  test.each(["", "1a", "a.b", "A", "a-", "-a", "a b", "a_b", "a".repeat(52)])("may not be %j", (name) => {
    expect(() => checkRunName(name)).toThrow(/Cannot name the run .* --run-name/);
  });
});

describe("a name in the cluster", () => {
  const subdomains = ["inference.key", "1password-item", "pvc.results", "a".repeat(63), `${"a.".repeat(126)}a`];
  test.each([
    ["keySecret", subdomains],
    ["resultsClaim", subdomains],
    ["storageClass", subdomains],
    ["namespace", ["2024-loads", "a", "a".repeat(63)]],
    [
      "image",
      [
        "assay",
        "a/b:1",
        "localhost:5000/a",
        "registry.example/team/a_b-c:0.1.0_x",
        `a@sha256:${"0".repeat(64)}`,
        "[::1]:5000/a",
      ],
    ],
  ])("may be given by %s: those that Kubernetes takes, which go into the manifests", (option, names) => {
    for (const name of names) {
      expect(() => checkNames({ [option]: name }), name).not.toThrow();
      expect(() => manifestsWith({ [option]: name }), name).not.toThrow();
    }
  });

  const bad = ["", "Bad_NS", "Bad Secret", "-a", "a-", "a..b", "a.", "a/b"];
  test.each([
    ["keySecret", [...bad, "a".repeat(254)], "--key-secret"],
    ["resultsClaim", bad, "--results-claim"],
    ["storageClass", [...bad, "A B"], "--storage-class"],
    ["namespace", [...bad, "a.b", "a".repeat(64)], "--namespace"],
    ["image", ["", "bad image", "a:b:c", "A", "https://registry.example/a", "a:", "a/", "a@sha256:1"], "--image"],
  ])("is refused for %s where Kubernetes would", (option, names, flag) => {
    for (const name of names) expect(() => checkNames({ [option]: name })).toThrow(`Cannot use ${flag} "${name}"`);
  });
});

const manifestsWith = ({
  keySecret,
  namespace,
  resultsClaim,
  storageClass,
  image = "image:1",
}: Record<string, string>) =>
  manifestsOf(
    {
      ...{ name: "a-run", image, mode: "ReadWriteMany", shareNodes: false },
      ...(keySecret !== undefined && { keySecret }),
      ...(namespace !== undefined && { namespace }),
      results:
        resultsClaim === undefined
          ? { bytes: 1, ...(storageClass !== undefined && { storageClass }) }
          : { claim: resultsClaim },
    },
    { runners: 1, cpuMillis: 1_000, memoryBytes: 2 ** 30, reasons: [] },
    { files: [], secretVariables: ["ASSAY_API_KEY"], keyFrom: "ASSAY_API_KEY" },
    { "bundle.js": "" },
  );

describe("more runners than virtual users", () => {
  test.each([
    ["of a closed loop", { ASSAY_VUS: "3" }, /its vus of 3/],
    ["of an open loop", { ASSAY_MAX_IN_FLIGHT: "3" }, /its max-in-flight of 3/],
    ["of few arrivals", { ASSAY_MAX_REQUESTS: "3", ASSAY_WARMUP: "0s" }, /its max-requests of 3/],
  ])("are refused: those %s", (_, env, message) => {
    expect(() => checkRunners(3, settingsWith(env))).not.toThrow();
    expect(() => checkRunners(4, settingsWith(env))).toThrow(message);
  });
});

test("clusters that share a load have a virtual user for each of their runners, and a common start or arrivals that need none", () => {
  const part = { ASSAY_SEGMENT: "2/3", ASSAY_MAX_IN_FLIGHT: "12" };
  expect(() => checkRunners(4, settingsWith(part))).not.toThrow();
  expect(() => checkRunners(5, settingsWith(part))).toThrow(
    /by 5 runners in each of 3 clusters: its max-in-flight of 12 .* Raise it to at least 15/,
  );
  expect(() => checkCommonStart(1, settingsWith(part))).toThrow(
    "Cannot start 3 clusters as one schedule: the arrivals need a common start. Give each cluster the same --start-at",
  );
  for (const env of [{ ASSAY_START_AT: "2130-01-01T00:00:00Z" }, { ASSAY_ARRIVAL: "poisson", ASSAY_RATE: "9" }])
    expect(() => checkCommonStart(1, settingsWith({ ...part, ...env }))).not.toThrow();
});

test("more runners than virtual users of one workload are refused", () => {
  const load = workloadsWith("rate: 5, max-in-flight: 40", "vus: 3");
  expect(() => checkRunners(3, load)).not.toThrow();
  expect(() => checkRunners(8, load)).toThrow(
    "its vus of 3 for the workload w2 leaves some of them without a virtual user. Raise it to at least 8",
  );
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
    expect(() => checkCommonStart(40, settingsWith({}))).toThrow(
      /more than a second apart.*--start-at .* \(--arrival poisson, or --vus\)/,
    );
  });

  test("start as one load whose workloads are all Poisson processes or virtual users, and no other", () => {
    expect(() => checkCommonStart(45, workloadsWith("rate: 5, arrival: poisson", "vus: 50"))).not.toThrow();
    expect(() => checkCommonStart(45, workloadsWith("vus: 50", "rate: 5"))).toThrow(
      /the arrivals of the workload w2 need a common start\. Give --start-at .*, or that workload poisson arrivals/,
    );
  });
});

describe("a ConfigMap", () => {
  test("takes a mebibyte, keys and values, in bytes", () => {
    expect(() => checkSize({ ab: "x".repeat(2 ** 20 - 2) })).not.toThrow();
    expect(() => checkSize({ ab: "x".repeat(2 ** 20 - 1) })).toThrow(/1,048,577.*ab alone: 1,048,577.* smaller/);
    expect(() => checkSize({ a: "é".repeat(2 ** 19) })).toThrow(/1,048,577/);
  });

  test.each([
    ["prompts.jsonl", "Put the prompts into the image or a volume and say where with --prompts-at"],
    ["prompts-conv-2.jsonl", "Give the workload conv-2 a smaller file of prompts, or none of its own"],
    ["trace.txt", "Use a smaller one."],
  ])("that is too large is told by its largest file, %s, with what makes it smaller", (name, advice) => {
    expect(() => checkSize({ "bundle.js": "x", [name]: "x".repeat(2 ** 20) })).toThrow(advice);
  });
});
