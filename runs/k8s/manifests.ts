/** The Kubernetes objects of a load: what k6-operator needs to run it. Pure. */

import { PLACEHOLDER_KEY } from "../../cli/api-keys.ts";
import { FILES } from "../../formats/file-names.ts";
import type { ResultsMode } from "../../settings/k8s-table.ts";
import { COMMON_KEY, type PortableLoad } from "../bundle/portable-load.ts";
import { MEASURING } from "../load/k6-process.ts";
import { RESULTS } from "./kept-results.ts";
import {
  type ClaimSpec,
  type ConfigMap,
  configMap,
  type EnvVar,
  type OperatorPod,
  type StarterPod,
  type TestRun,
  testRun,
  type Volume,
  type VolumeClaim,
  volumeClaim,
} from "./operator-types.ts";
import type { RunnerSize } from "./runner-size.ts";

/** Where the operator mounts the ConfigMap of a script, in every pod. */
export const SCRIPT_FOLDER = "/test";

/** Where the claim is mounted: a folder per run, and in it one per runner. */
export const RESULTS_FOLDER = `/${RESULTS}`;
const SCRATCH = "tmp";

/** Where the Secret of the client certificate is mounted, and the files that a Secret of this type (kubernetes.io/tls) has. */
const CLIENT_CERT = "client-cert";
export const CLIENT_FILES = { clientCert: `/${CLIENT_CERT}/tls.crt`, clientKey: `/${CLIENT_CERT}/tls.key` } as const;

/** The variable of a runner that holds the name of its Job, after which its result folder is named. */
const JOB_VARIABLE = "RUNNER_JOB";

/** The user as whom k6 images run, who owns the results through `fsGroup`. */
const K6_USER = 12_345;

/** The size and class of a claim. */
interface NewClaim {
  readonly bytes: number;
  readonly storageClass?: string;
}

export interface Cluster {
  readonly name: string;
  readonly namespace?: string;
  readonly image: string;
  /** Absent: that of k6-operator. */
  readonly starterImage?: string;
  /** Secret with the key and the headers; absent: a placeholder is sent. */
  readonly keySecret?: string;
  /** Secret with the certificate to show to the target, and its key; absent: none is shown. */
  readonly clientCertSecret?: string;
  /** A claim that exists, or a new one; with ReadWriteOnce, a new one of each runner. */
  readonly results: { readonly claim: string } | NewClaim;
  readonly mode: ResultsMode;
  readonly shareNodes: boolean;
}

export interface Manifests {
  readonly testRun: TestRun;
  readonly configMap: ConfigMap;
  /** Absent: the claim exists, or each runner has its own. */
  readonly claim?: VolumeClaim;
}

/**
 * The manifests of a load.
 * @param load with its files in `SCRIPT_FOLDER`
 * @param data of the ConfigMap: the bundle and its files, by name
 * @throws ZodError when an object is not as the operator defines it
 */
export function manifestsOf(
  cluster: Cluster,
  size: RunnerSize,
  load: PortableLoad,
  data: Readonly<Record<string, string>>,
): Manifests {
  const { name, namespace, results } = cluster;
  const metadata = { name, ...(namespace !== undefined && { namespace }), labels: labelsOf(name) };
  return {
    testRun: testRun.parse({
      apiVersion: "k6.io/v1alpha1",
      kind: "TestRun",
      metadata,
      spec: {
        parallelism: size.runners,
        script: { configMap: { name, file: FILES.bundle } },
        // The tag by which dashboards tell runs apart, should a patch add an output.
        args: [...MEASURING, "--tag", `testid=${name}`, "--out", `assay=${RESULTS_FOLDER}`],
        initializer: initializerOf(cluster, load, size),
        starter: starterOf(cluster),
        runner: runnerOf(cluster, load, size),
      },
    } satisfies TestRun),
    configMap: configMap.parse({ apiVersion: "v1", kind: "ConfigMap", metadata, immutable: true, data }),
    ...("claim" in results || cluster.mode === "ReadWriteOnce"
      ? {}
      : {
          claim: volumeClaim.parse({
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata,
            spec: claimSpecOf(results, cluster.mode),
          } satisfies VolumeClaim),
        }),
  };
}

const claimSpecOf = ({ bytes, storageClass }: NewClaim, mode: ResultsMode): ClaimSpec => ({
  accessModes: [mode],
  ...(storageClass !== undefined && { storageClassName: storageClass }),
  resources: { requests: { storage: String(bytes) } },
});

const labelsOf = (name: string): Record<string, string> => ({
  "app.kubernetes.io/name": "assay",
  "app.kubernetes.io/instance": name,
  "app.kubernetes.io/managed-by": "assay",
});

/** The operator writes the variables of this pod into the arguments of `k6 archive`: no key may be among them. */
const placeholders = ({ secretVariables }: PortableLoad): EnvVar[] =>
  secretVariables.map((name) => ({ name, value: PLACEHOLDER_KEY }));

const secretsOf = (load: PortableLoad, secret: string | undefined): EnvVar[] =>
  secret === undefined
    ? placeholders(load)
    : load.secretVariables.map((name) => ({
        name,
        valueFrom: { secretKeyRef: { name: secret, key: name === COMMON_KEY ? load.keyFrom : name } },
      }));

/** What every pod of a run may do: as the profile `restricted` of Kubernetes asks. */
export const POD_SECURITY: Required<OperatorPod>["securityContext"] = {
  runAsNonRoot: true,
  runAsUser: K6_USER,
  runAsGroup: K6_USER,
  fsGroup: K6_USER,
  seccompProfile: { type: "RuntimeDefault" },
};
export const CONTAINER_SECURITY: Required<OperatorPod>["containerSecurityContext"] = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

const POD_DEFAULTS: StarterPod = {
  automountServiceAccountToken: "false",
  securityContext: POD_SECURITY,
  containerSecurityContext: CONTAINER_SECURITY,
};

const common = ({ image }: Cluster): OperatorPod => ({ ...POD_DEFAULTS, image });

const quantitiesOf = ({ cpuMillis, memoryBytes }: RunnerSize): Required<OperatorPod>["resources"] => ({
  requests: { cpu: `${cpuMillis}m`, memory: `${Math.ceil(memoryBytes / 2 ** 20)}Mi` },
  // No limit of CPU time: throttling would hold up the load generator, which then measures itself.
  limits: { memory: `${Math.ceil(memoryBytes / 2 ** 20)}Mi` },
});

const initializerOf = (cluster: Cluster, load: PortableLoad, size: RunnerSize): OperatorPod => ({
  ...common(cluster),
  env: placeholders(load),
  resources: quantitiesOf({ ...size, cpuMillis: Math.min(size.cpuMillis, 500) }),
  // It reads what the script reads before a run.
  volumes: [{ name: SCRATCH, emptyDir: {} }, ...clientVolumes(cluster)],
  volumeMounts: [{ name: SCRATCH, mountPath: `/${SCRATCH}` }, ...clientMounts(cluster)],
});

const clientVolumes = ({ clientCertSecret }: Cluster): Volume[] =>
  clientCertSecret === undefined
    ? []
    : [{ name: CLIENT_CERT, secret: { secretName: clientCertSecret, defaultMode: 0o440 } }];

const clientMounts = ({ clientCertSecret }: Cluster): NonNullable<OperatorPod["volumeMounts"]> =>
  clientCertSecret === undefined ? [] : [{ name: CLIENT_CERT, mountPath: `/${CLIENT_CERT}`, readOnly: true }];

/**
 * Of the pod that starts the runners with a curl each, one after another. The operator gives it a tenth of a core, which spreads
 * the starts by 65 ms per runner.
 */
const STARTER_SIZE = { cpu: "1", memory: "200Mi" };

const starterOf = ({ starterImage }: Cluster): StarterPod => ({
  ...POD_DEFAULTS,
  ...(starterImage !== undefined && { image: starterImage }),
  resources: { requests: STARTER_SIZE, limits: STARTER_SIZE },
});

/** Each runner on a node of its own; or all on one, where their claim can be mounted nowhere else. */
function affinityOf({ name, mode, results, shareNodes }: Cluster): Pick<OperatorPod, "affinity"> {
  const required = {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { k6_cr: name, runner: "true" } }, topologyKey: "kubernetes.io/hostname" },
    ],
  };
  if (mode === "ReadWriteOnce" && "claim" in results) return { affinity: { podAffinity: required } };
  return shareNodes ? {} : { affinity: { podAntiAffinity: required } };
}

function resultsVolumeOf({ name, mode, results }: Cluster): Volume {
  if ("claim" in results) return { name: RESULTS, persistentVolumeClaim: { claimName: results.claim } };
  if (mode === "ReadWriteMany") return { name: RESULTS, persistentVolumeClaim: { claimName: name } };
  const template = { metadata: { labels: labelsOf(name) }, spec: claimSpecOf(results, mode) };
  return { name: RESULTS, ephemeral: { volumeClaimTemplate: template } };
}

const runnerOf = (cluster: Cluster, load: PortableLoad, size: RunnerSize): OperatorPod => ({
  ...common(cluster),
  env: [
    ...secretsOf(load, cluster.keySecret),
    { name: JOB_VARIABLE, valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
  ],
  resources: quantitiesOf(size),
  ...affinityOf(cluster),
  // The operator's own probe ends a runner whose interface does not answer within a second, three times.
  livenessProbe: {
    httpGet: { path: "/v1/status", port: 6565 },
    periodSeconds: 20,
    timeoutSeconds: 15,
    failureThreshold: 6,
  },
  volumes: [resultsVolumeOf(cluster), { name: SCRATCH, emptyDir: {} }, ...clientVolumes(cluster)],
  volumeMounts: [
    { name: RESULTS, mountPath: RESULTS_FOLDER, subPathExpr: `${cluster.name}/$(${JOB_VARIABLE})` },
    { name: SCRATCH, mountPath: `/${SCRATCH}` },
    ...clientMounts(cluster),
  ],
});
