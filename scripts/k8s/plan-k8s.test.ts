import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../tests/support/assay-process.ts";
import { planPortable } from "../bundle/portable-load.ts";
import { resolveSettings } from "../cli/command-settings.ts";
import { planK8s } from "./plan-k8s.ts";

const TARGET = { target: "http://127.0.0.1:8080" };
const NOTHING = { env: {} };

/** The plan of a load on Kubernetes, by its flags. */
function planned(scenario: string | undefined, flags: Readonly<Record<string, string>>) {
  const all = { ...TARGET, runners: "2", image: "image:1", ...flags };
  const { values } = resolveSettings("k8s", all, NOTHING);
  return planK8s(planPortable(scenario, all, NOTHING), values, new Date(0));
}

function workloadFile(text: string): string {
  const folder = newFolder();
  writeFileSync(join(folder, "own.jsonl"), "a prompt\n");
  writeFileSync(join(folder, "load.yaml"), text.replaceAll("OWN", join(folder, "own.jsonl")));
  return join(folder, "load.yaml");
}

describe("--prompts-at", () => {
  test("names common prompts elsewhere, which are not in the ConfigMap", async () => {
    const { testRun, configMap } = (await planned("chat", { promptsAt: "/data/p.jsonl" })).manifests;
    expect(testRun.spec.runner.env).toContainEqual({ name: "ASSAY_PROMPTS", value: "/data/p.jsonl" });
    expect(Object.keys(configMap.data)).toEqual(["bundle.js"]);
  });

  test.each([
    ["are made", "chat", { inputTokens: "10" }],
    [
      "are those of each workload",
      undefined,
      { workload: workloadFile('workloads: [{ name: a, operation: chat, prompts: "OWN" }]\n') },
    ],
  ])("is refused where prompts %s", async (_, scenario, flags) => {
    await expect(planned(scenario, { ...flags, promptsAt: "/x" })).rejects.toThrow(
      /^Cannot use --prompts-at: the load has no common prompts/,
    );
  });
});

test("names of the cluster are checked before anything is planned, and legal ones are in the manifests", async () => {
  await expect(planned("chat", { keySecret: "Bad Secret" })).rejects.toThrow('Cannot use --key-secret "Bad Secret"');
  const { testRun } = (await planned("chat", { keySecret: "inference.key", namespace: "2024-loads" })).manifests;
  expect(testRun.metadata.namespace).toBe("2024-loads");
  expect(JSON.stringify(testRun.spec.runner.env)).toContain('"name":"inference.key"');
});
