import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { manifestFiles, manifestStream } from "./manifest-files.ts";
import { type Cluster, manifestsOf } from "./manifests.ts";

const SIZE = { runners: 3, cpuMillis: 2_000, memoryBytes: 2 ** 31, reasons: [] };
const LOAD = {
  files: [],
  secretVariables: ["ASSAY_API_KEY", "TEAM_TOKEN"],
  keyFrom: "ASSAY_API_KEY",
};
const DATA = { "bundle.js": "export default () => {};\n", "prompts.jsonl": '{"prompt":"one\\n"}\n' };
const CLUSTER: Cluster = {
  name: "a-run",
  image: "image:1",
  results: { bytes: 2 ** 30 },
  mode: "ReadWriteMany",
  shareNodes: false,
};

const withSecret = { ...CLUSTER, keySecret: "keys" };

test("the runners take the key and the headers from the Secret, the initializer gets placeholders", () => {
  const { runner, initializer } = manifestsOf(withSecret, SIZE, LOAD, DATA).testRun.spec;
  for (const name of ["ASSAY_API_KEY", "TEAM_TOKEN"]) {
    expect(runner.env).toContainEqual({ name, valueFrom: { secretKeyRef: { name: "keys", key: name } } });
    expect(initializer.env).toContainEqual({ name, value: "assay-no-key" });
  }
  expect(JSON.stringify(initializer)).not.toContain("secretKeyRef");
});

test("the key of the Secret is that of --api-key-env", () => {
  const { runner } = manifestsOf(withSecret, SIZE, { ...LOAD, keyFrom: "TEAM_KEY" }, DATA).testRun.spec;
  expect(runner.env).toContainEqual({
    name: "ASSAY_API_KEY",
    valueFrom: { secretKeyRef: { name: "keys", key: "TEAM_KEY" } },
  });
});

test("each runner writes to a folder of its own in the claim of the run", () => {
  const { testRun, claim } = manifestsOf(CLUSTER, SIZE, LOAD, DATA);
  expect(claim?.metadata.name).toBe("a-run");
  expect(testRun.spec.runner.volumes).toContainEqual({
    name: "results",
    persistentVolumeClaim: { claimName: "a-run" },
  });
  expect(testRun.spec.runner.volumeMounts).toContainEqual({
    name: "results",
    mountPath: "/results",
    subPathExpr: "a-run/$(RUNNER_JOB)",
  });
});

test("a claim that exists is used, and none is made", () => {
  const { testRun, claim } = manifestsOf({ ...CLUSTER, results: { claim: "shared" } }, SIZE, LOAD, DATA);
  expect(claim).toBeUndefined();
  expect(testRun.spec.runner.volumes).toContainEqual({
    name: "results",
    persistentVolumeClaim: { claimName: "shared" },
  });
});

test("runners of the run are on nodes of their own, unless they may share them", () => {
  const [apart, together] = [CLUSTER, { ...CLUSTER, shareNodes: true }].map(
    (cluster) => manifestsOf(cluster, SIZE, LOAD, DATA).testRun.spec.runner.affinity,
  );
  expect(JSON.stringify(apart)).toContain('"k6_cr":"a-run"');
  expect(together).toBeUndefined();
});

test("runners with a common claim of one node are all on one", () => {
  const kept = { ...CLUSTER, mode: "ReadWriteOnce", results: { claim: "kept" } } as const;
  const { testRun, claim } = manifestsOf(kept, SIZE, LOAD, DATA);
  expect(claim).toBeUndefined();
  const { podAffinity, podAntiAffinity } = testRun.spec.runner.affinity ?? {};
  expect(podAntiAffinity).toBeUndefined();
  expect(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
    { labelSelector: { matchLabels: { k6_cr: "a-run", runner: "true" } }, topologyKey: "kubernetes.io/hostname" },
  ]);
});

test("the starter has a core, so that the runners start within milliseconds, and an image where one is named", () => {
  const starters = [CLUSTER, { ...CLUSTER, starterImage: "own/starter:1" }].map(
    (cluster) => manifestsOf(cluster, SIZE, LOAD, DATA).testRun.spec.starter,
  );
  expect(starters.map(({ image }) => image)).toEqual([undefined, "own/starter:1"]);
  expect(starters[0]).toMatchObject({
    securityContext: { runAsNonRoot: true },
    containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    resources: { limits: { cpu: "1" } },
  });
});

describe("no pod", () => {
  const { runner, initializer } = manifestsOf(CLUSTER, SIZE, LOAD, DATA).testRun.spec;
  test.each([
    ["runner", runner],
    ["initializer", initializer],
  ])("runs as root, may write to its image, or gets a token of the cluster: %s", (_, pod) => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: "false",
      securityContext: { runAsNonRoot: true, runAsUser: 12_345, fsGroup: 12_345 },
      containerSecurityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    expect(pod.volumeMounts).toContainEqual({ name: "tmp", mountPath: "/tmp" });
  });
});

test("the operator's own arguments are not given", () => {
  const { args } = manifestsOf(CLUSTER, SIZE, LOAD, DATA).testRun.spec;
  expect(args.join(" ")).not.toMatch(/--address|--paused|--execution-segment|--quiet/);
  expect(args.slice(-2)).toEqual(["--out", "assay=/results"]);
});

test("YAML files and the stream of documents hold the objects unchanged", () => {
  const manifests = manifestsOf(CLUSTER, SIZE, LOAD, DATA);
  const plan = { name: "a-run", size: SIZE, reasons: [], manifests };
  const files = manifestFiles(plan);
  expect(parse(files["testrun.yaml"] ?? "")).toEqual(manifests.testRun);
  expect(parse(files["configmap.yaml"] ?? "")).toEqual(manifests.configMap);
  expect(parse(files["kustomization.yaml"] ?? "").resources.toSorted()).toEqual(
    Object.keys(files)
      .filter((name) => name !== "kustomization.yaml")
      .toSorted(),
  );
  expect(parseAllDocuments(manifestStream(plan)).map((document) => document.toJS())).toEqual([
    manifests.configMap,
    manifests.claim,
    manifests.testRun,
  ]);
});
