import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../cli/command-settings.ts";
import { newFile } from "../../tests/support/commands/assay-process.ts";
import { planPortable } from "../bundle/portable-load.ts";
import { likeRunnersIn, readPatch } from "./patch.ts";
import { planK8s } from "./plan-k8s.ts";
import { readerPod } from "./reader-pod.ts";

/** The file of a patch. */
const patchFile = (text: string): string => newFile("patch.yaml", text);

/** The TestRun of a load with a patch. */
async function runWith(patch: string) {
  const flags = { target: "http://host", runners: "2", image: "i", runName: "a-run", keySecret: "keys" };
  const { values } = resolveSettings("k8s", { ...flags, patch: patchFile(patch) }, { env: {} });
  return (await planK8s(planPortable("chat", flags, { env: {} }), values, new Date(0))).manifests.testRun;
}

const EVERY_POD = `
spec:
  initializer: &pod
    imagePullSecrets: [{ name: registry }]
    nodeSelector: { pool: load }
    tolerations: [{ key: dedicated, operator: Equal, value: load, effect: NoSchedule }]
    metadata: { labels: { team: a }, annotations: { sidecar.istio.io/inject: "false" } }
    serviceAccountName: loads
    priorityClassName: high
  starter: *pod
  runner:
    <<: *pod
    resources: { requests: { cpu: 4, memory: 8Gi }, limits: { memory: 8Gi } }
`;

describe("a patch", () => {
  test("gives the pods of a run what a cluster asks of them, and leaves the rest as it was", async () => {
    const [{ spec }, plain] = await Promise.all([
      runWith(EVERY_POD.replace("<<: *pod", "priorityClassName: high")),
      runWith("{}"),
    ]);
    const pod = {
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { pool: "load" },
      tolerations: [{ key: "dedicated", operator: "Equal", value: "load", effect: "NoSchedule" }],
      metadata: { labels: { team: "a" }, annotations: { "sidecar.istio.io/inject": "false" } },
      serviceAccountName: "loads",
      priorityClassName: "high",
    };
    expect(spec.initializer).toEqual({ ...plain.spec.initializer, ...pod });
    expect(spec.starter).toEqual({ ...plain.spec.starter, ...pod });
    expect(spec.runner).toEqual({
      ...plain.spec.runner,
      priorityClassName: "high",
      resources: { requests: { cpu: "4", memory: "8Gi" }, limits: { memory: "8Gi" } },
    });
  });

  test("adds arguments, variables and volumes, and takes out what it names null", async () => {
    const [{ spec }, plain] = await Promise.all([
      runWith(`
spec:
  args: [--out, experimental-prometheus-rw]
  runner:
    securityContext: { runAsUser: null }
    env: [{ name: K6_PROMETHEUS_RW_SERVER_URL, value: "http://prometheus" }]
    volumes: [{ name: certificates, secret: { secretName: ca } }]
    volumeMounts: [{ name: certificates, mountPath: /certificates, readOnly: true }]
`),
      runWith("{}"),
    ]);
    expect(spec.args).toEqual([...plain.spec.args, "--out", "experimental-prometheus-rw"]);
    expect(spec.runner.env).toEqual([
      ...(plain.spec.runner.env ?? []),
      { name: "K6_PROMETHEUS_RW_SERVER_URL", value: "http://prometheus" },
    ]);
    expect(spec.runner.volumes?.map(({ name }) => name)).toEqual(["results", "tmp", "certificates"]);
    expect(spec.runner.volumeMounts).toHaveLength(3);
    expect(plain.spec.runner.securityContext).toHaveProperty("runAsUser");
    expect(spec.runner.securityContext).not.toHaveProperty("runAsUser");
  });

  test.each([
    [
      "spec: { runner: { nodeSelectors: { a: b } } }",
      /spec\.runner: the TestRun of k6-operator has no nodeSelectors there/,
    ],
    ["spec: { runner: { resources: { requests: { cpu: fast } } } }", /requests\.cpu: it is not a quantity such as 2/],
    ["spec: { runner: { nodeSelector: { a: true } } }", /spec\.runner\.nodeSelector\.a: /],
    ["spec: { parallelism: 5 }", /spec\.parallelism comes from --runners; leave it out/],
    ["metadata: { name: other }", /metadata\.name comes from --run-name/],
    ["kind: Deployment", /its kind is not TestRun/],
    [
      "spec: { runner: { env: [{ name: ASSAY_API_KEY, value: other }] } }",
      /spec\.runner\.env changes what Assay writes/,
    ],
    ["spec: { runner: { volumes: null } }", /spec\.runner\.volumes changes what Assay writes/],
    ["spec: { runner: { image: null } }", /spec\.runner\.image: /],
    ["- a list", /it holds no YAML object/],
    ["a: [", /is not YAML/],
  ])("that cannot be applied is refused with its place: %s", async (text, reason) => {
    const failed = await runWith(text).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: "UsageError", message: expect.stringMatching(/^Cannot use --patch .*\.$/) });
    expect(failed).toMatchObject({ message: expect.stringMatching(reason) });
  });

  test("that is not there is refused", () => {
    expect(() => readPatch("/nowhere/patch.yaml")).toThrow(/^Cannot use --patch \/nowhere\/patch\.yaml: /);
  });
});

test("the pod that reads the results is as the cluster asks of the runners", () => {
  const like = likeRunnersIn(
    readPatch(
      patchFile(`
spec:
  runner:
    imagePullSecrets: [{ name: registry }]
    metadata: { labels: { team: a } }
    imagePullPolicy: Always
    securityContext: { runAsUser: null }
    resources: { requests: { cpu: 4 } }
`),
    ),
  );
  const { metadata, spec } = readerPod("a-run", "i", "a-run", like);
  expect(metadata.labels).toMatchObject({ team: "a", "app.kubernetes.io/instance": "a-run" });
  expect(spec).toMatchObject({ imagePullSecrets: [{ name: "registry" }], securityContext: { runAsNonRoot: true } });
  expect(spec.securityContext).not.toHaveProperty("runAsUser");
  expect(spec.containers[0]).toMatchObject({ imagePullPolicy: "Always", resources: { requests: { cpu: "100m" } } });
});
