/**
 * The fields of a TestRun, apiVersion k6.io/v1alpha1, as k6-operator 1.6.0 defines them, and of the Kubernetes objects in it
 * as far as Assay writes them. Strict: a name that the operator does not know is an error here, while a cluster drops it
 * without a word.
 */

import { z } from "zod";

const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
/** A DNS label (RFC 1035), as the name of a Service: it starts with a letter. */
export const SERVICE_NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
/** A DNS label (RFC 1123), as the name of a namespace. */
export const DNS_LABEL = new RegExp(`^${LABEL}$`);
/** A DNS subdomain, as the names of most objects: labels with dots between them. */
export const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** Characters of a label and of a subdomain, at most. */
export const LONGEST = { label: 63, subdomain: 253 };

const name = z.string().regex(SERVICE_NAME).max(LONGEST.label);
const namespace = z.string().regex(DNS_LABEL).max(LONGEST.label);
/** Of what exists in the cluster, whoever named it. */
const existing = z.string().regex(DNS_SUBDOMAIN).max(LONGEST.subdomain);
const texts = z.record(z.string(), z.string());

const keyRef = z.strictObject({ name: existing, key: z.string(), optional: z.boolean().optional() });
const envVar = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({
    name: z.string(),
    valueFrom: z.union([
      z.strictObject({ secretKeyRef: keyRef }),
      z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) }),
    ]),
  }),
]);

const volume = z.union([
  z.strictObject({ name, persistentVolumeClaim: z.strictObject({ claimName: existing }) }),
  z.strictObject({ name, emptyDir: z.strictObject({ sizeLimit: z.string().optional() }) }),
]);
const volumeMount = z.strictObject({
  name,
  mountPath: z.string().startsWith("/"),
  subPathExpr: z.string().optional(),
  readOnly: z.boolean().optional(),
});

const quantities = z.strictObject({ cpu: z.string(), memory: z.string() });
const resources = z.strictObject({
  requests: quantities,
  limits: z.strictObject({ cpu: z.string().optional(), memory: z.string() }),
});

const podAffinityTerm = z.strictObject({
  labelSelector: z.strictObject({ matchLabels: texts }),
  topologyKey: z.string(),
});
const affinity = z.strictObject({
  podAntiAffinity: z.strictObject({ requiredDuringSchedulingIgnoredDuringExecution: z.array(podAffinityTerm) }),
});

const securityContext = z.strictObject({
  runAsNonRoot: z.boolean(),
  runAsUser: z.number().int(),
  runAsGroup: z.number().int(),
  fsGroup: z.number().int(),
  seccompProfile: z.strictObject({ type: z.enum(["RuntimeDefault", "Unconfined", "Localhost"]) }),
});
const containerSecurityContext = z.strictObject({
  allowPrivilegeEscalation: z.boolean(),
  readOnlyRootFilesystem: z.boolean(),
  capabilities: z.strictObject({ drop: z.array(z.string()) }),
});
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.number().int() }),
  periodSeconds: z.number().int(),
  timeoutSeconds: z.number().int(),
  failureThreshold: z.number().int(),
});

/** `Pod` of the operator: what its pods can be given. */
const pod = z.strictObject({
  image: z.string(),
  /** A text in the operator's type. */
  automountServiceAccountToken: z.enum(["true", "false"]).optional(),
  affinity: affinity.optional(),
  env: z.array(envVar).optional(),
  resources: resources.optional(),
  securityContext: securityContext.optional(),
  containerSecurityContext: containerSecurityContext.optional(),
  livenessProbe: probe.optional(),
  volumes: z.array(volume).optional(),
  volumeMounts: z.array(volumeMount).optional(),
});

/** The operator has an image of its own for it. */
const starter = pod.extend({ image: z.string().optional() });

/** One element of `args`: the operator refuses what does not belong to an option. */
const argument = z.string().min(1);

export const testRun = z.strictObject({
  apiVersion: z.literal("k6.io/v1alpha1"),
  kind: z.literal("TestRun"),
  metadata: z.strictObject({ name, namespace: namespace.optional(), labels: texts }),
  spec: z.strictObject({
    parallelism: z.number().int().min(1),
    script: z.strictObject({ configMap: z.strictObject({ name, file: z.string() }) }),
    args: z.array(argument),
    initializer: pod,
    starter,
    runner: pod,
  }),
});
export type TestRun = z.infer<typeof testRun>;
export type StarterPod = z.infer<typeof starter>;
export type OperatorPod = z.infer<typeof pod>;
export type EnvVar = z.infer<typeof envVar>;

const metadata = z.strictObject({ name, namespace: namespace.optional(), labels: texts });

export const configMap = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("ConfigMap"),
  metadata,
  immutable: z.boolean(),
  data: z.record(z.string().regex(/^[-._a-zA-Z0-9]+$/), z.string()),
});
export type ConfigMap = z.infer<typeof configMap>;

export const volumeClaim = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("PersistentVolumeClaim"),
  metadata,
  spec: z.strictObject({
    accessModes: z.array(z.enum(["ReadWriteMany"])),
    storageClassName: existing.optional(),
    resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
  }),
});
export type VolumeClaim = z.infer<typeof volumeClaim>;
