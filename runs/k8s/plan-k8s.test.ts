import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../cli/command-settings.ts";
import { newFile, newFolder } from "../../tests/support/commands/assay-process.ts";
import { planPortable } from "../bundle/portable-load.ts";
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
    const { configMap } = (await planned("chat", { promptsAt: "/data/p.jsonl" })).manifests;
    expect(Object.keys(configMap.data)).toEqual(["bundle.js", "load.json"]);
    expect(configMap.data["load.json"]).toContain('"prompts": "/data/p.jsonl"');
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

test("a client certificate is in a Secret of the cluster, which runners and initializer mount; its key is in no manifest", async () => {
  const [clientCert, clientKey] = ["client", "client-key"].map((name) =>
    fileURLToPath(new URL(`../../route/testdata/${name}.pem`, import.meta.url)),
  );
  const local = { clientCert: clientCert ?? "", clientKey: clientKey ?? "" };
  await expect(planned("chat", local)).rejects.toThrow(
    /^Cannot take the client certificate .*client\.pem to the cluster: .* kubectl create secret tls .* --client-cert-secret/,
  );
  for (const flags of [{}, local]) {
    const { testRun, configMap } = (await planned("chat", { ...flags, clientCertSecret: "mtls" })).manifests;
    expect(JSON.parse(configMap.data["load.json"] ?? "").settings).toMatchObject({
      clientCert: "/client-cert/tls.crt",
      clientKey: "/client-cert/tls.key",
    });
    for (const { volumes, volumeMounts } of [testRun.spec.runner, testRun.spec.initializer]) {
      expect(volumes).toContainEqual({ name: "client-cert", secret: { secretName: "mtls", defaultMode: 0o440 } });
      expect(volumeMounts).toContainEqual({ name: "client-cert", mountPath: "/client-cert", readOnly: true });
    }
    expect(JSON.stringify({ testRun, configMap })).not.toMatch(/PRIVATE KEY|testdata/);
  }
});

describe("the claim of the results", () => {
  /** Its size in GiB, and what is said of it. */
  const claimOf = async (flags: Readonly<Record<string, string>>) => {
    const { manifests, reasons } = await planned("chat-stream", flags);
    const bytes = Number(manifests.claim?.spec.resources.requests.storage);
    return { gib: bytes / 2 ** 30, said: reasons.join("; ") };
  };
  /** 6,000,000 streams of 500 tokens: those of the second column of docs/scale.md. */
  const LARGE = { rate: "10000", duration: "10m", warmup: "0s", maxTokens: "500", maxInFlight: "100000" };

  test("has room for the results that the load is expected to have, and that is said", async () => {
    const { gib, said } = await claimOf(LARGE);
    const full = (6e6 * (530 + 500 * 6)) / 2 ** 30;
    expect(gib).toBeGreaterThan(1.5 * full);
    expect(gib).toBeLessThan(3 * full);
    expect(said).toContain(`the claim gets ${gib} GiB (--results-size)`);
    expect((await claimOf({ ...LARGE, records: "summary" })).gib).toBeLessThan(gib / 4);
    expect((await claimOf({ rate: "1", duration: "1m" })).gib).toBe(1);
  });

  test("of users without a rate is computed from their number", async () => {
    const { gib, said } = await claimOf({ vus: "10000", duration: "1h", maxTokens: "500" });
    expect(gib).toBeGreaterThan(100);
    expect(said).toMatch(/a request per second of each of 10,000 users/);
  });

  test("has the size that the user names", async () => {
    const { gib, said } = await claimOf({ ...LARGE, resultsSize: "3GiB" });
    expect([gib, said]).toEqual([3, ""]);
  });

  test("that exists and only one node can mount is said to put all runners on it", async () => {
    const { said } = await claimOf({ resultsMode: "ReadWriteOnce", resultsClaim: "kept" });
    expect(said).toMatch(/All 2 runners are on one node/);
  });

  test("is one of each runner where one node at a time can mount it, for its share of the results", async () => {
    const flags = { ...LARGE, resultsMode: "ReadWriteOnce", runners: "10" };
    const { manifests, reasons } = await planned("chat-stream", flags);
    expect(manifests.claim).toBeUndefined();
    const { gib } = await claimOf(LARGE);
    const [each] = /(?<=each of 10 claims gets )\d+/.exec(reasons.join("; ")) ?? [];
    expect(Number(each)).toBe(Math.ceil(gib / 10));
    expect(reasons.join("; ")).toContain("The claims of the runners go with their pods");
    expect(reasons.join("; ")).not.toContain("one node");
    expect(manifests.testRun.spec.runner.volumes).toContainEqual({
      name: "results",
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: manifests.testRun.metadata.labels },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: String(Number(each) * 2 ** 30) } },
          },
        },
      },
    });
    expect(manifests.testRun.spec.runner.affinity).toHaveProperty("podAntiAffinity");
  });

  test("of each runner is not left to an operator that deletes the pods at their end", async () => {
    const patch = newFile("patch.yaml", "spec: { cleanup: post }\n");
    await expect(planned("chat", { patch, resultsMode: "ReadWriteOnce" })).rejects.toThrow(
      /^Cannot use spec\.cleanup of --patch with --results-mode ReadWriteOnce/,
    );
    expect((await planned("chat", { patch })).manifests.testRun.spec.cleanup).toBe("post");
  });
});

test("a cluster that has a part of a load takes the name of the whole run, and the users and results of its part", async () => {
  const part = { segment: "2/4", vus: "101", duration: "3h" };
  await expect(planned("chat", part)).rejects.toThrow(
    "Cannot run part 2/4 of the load: the runs of all clusters need one name, by which assay report joins them. Give each the same --run-name.",
  );
  const { manifests, reasons } = await planned("chat", { ...part, runName: "all" });
  expect(manifests.configMap.data["load.json"]).toContain('"segment": "2/4"');
  const whole = await planned("chat", { vus: "101", duration: "3h", runName: "all" });
  expect(reasons.join()).toContain("of each of 25 users");
  expect(whole.reasons.join()).toContain("of each of 101 users");
});
