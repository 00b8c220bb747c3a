/**
 * The fields of a TestRun, apiVersion k6.io/v1alpha1, as k6-operator 1.6.0 defines them, and of the Kubernetes objects in it,
 * as far as Assay or a patch of the user's writes them. Strict: a name that the operator does not know is an error here, while a cluster drops it
 * without a word.
 */

import { z } from "zod";
import { RESULTS_MODES } from "../../settings/k8s-table.ts";

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

const claimSpec = z.strictObject({
  accessModes: z.array(z.enum(RESULTS_MODES)),
  storageClassName: existing.optional(),
  resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
});
export type ClaimSpec = z.infer<typeof claimSpec>;

const volume = z.union([
  z.strictObject({
    name,
    persistentVolumeClaim: z.strictObject({ claimName: existing, readOnly: z.boolean().optional() }),
  }),
  z.strictObject({
    name,
    emptyDir: z.strictObject({ sizeLimit: z.string().optional(), medium: z.enum(["", "Memory"]).optional() }),
  }),
  z.strictObject({
    name,
    ephemeral: z.strictObject({
      volumeClaimTemplate: z.strictObject({
        metadata: z.strictObject({ labels: texts.optional(), annotations: texts.optional() }).optional(),
        spec: claimSpec,
      }),
    }),
  }),
  z.strictObject({
    name,
    secret: z.strictObject({
      secretName: existing,
      optional: z.boolean().optional(),
      defaultMode: z.int().min(0).max(0o777).optional(),
    }),
  }),
  z.strictObject({ name, configMap: z.strictObject({ name: existing, optional: z.boolean().optional() }) }),
]);
const volumeMount = z.strictObject({
  name,
  mountPath: z.string().startsWith("/"),
  subPath: z.string().optional(),
  subPathExpr: z.string().optional(),
  readOnly: z.boolean().optional(),
});

/** `2`, `1500m`, `4Gi`: YAML reads some as numbers, which Kubernetes takes too. */
const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => /^\d+(?:\.\d+)?(?:[num]|[kMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/.test(text), {
    error: "it is not a quantity such as 2, 1500m or 4Gi",
  });
/** Also of extended resources, such as `nvidia.com/gpu`. */
const quantities = z.record(z.string(), quantity);
const resources = z.strictObject({ requests: quantities.optional(), limits: quantities.optional() });

const matchExpressions = z
  .array(
    z.strictObject({
      key: z.string(),
      operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
      values: z.array(z.string()).optional(),
    }),
  )
  .optional();
const labelSelector = z.strictObject({ matchLabels: texts.optional(), matchExpressions });
const nodeTerm = z.strictObject({ matchExpressions, matchFields: matchExpressions });
const podTerm = z.strictObject({
  labelSelector: labelSelector.optional(),
  namespaces: z.array(namespace).optional(),
  topologyKey: z.string(),
});
const weight = z.number().int().min(1).max(100);
const podTerms = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(podTerm).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.strictObject({ weight, podAffinityTerm: podTerm }))
    .optional(),
});
const affinity = z.strictObject({
  nodeAffinity: z
    .strictObject({
      requiredDuringSchedulingIgnoredDuringExecution: z
        .strictObject({ nodeSelectorTerms: z.array(nodeTerm) })
        .optional(),
      preferredDuringSchedulingIgnoredDuringExecution: z
        .array(z.strictObject({ weight, preference: nodeTerm }))
        .optional(),
    })
    .optional(),
  podAffinity: podTerms.optional(),
  podAntiAffinity: podTerms.optional(),
});

const toleration = z.strictObject({
  key: z.string().optional(),
  operator: z.enum(["Exists", "Equal"]).optional(),
  value: z.string().optional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional(),
  tolerationSeconds: z.number().int().optional(),
});

/** A platform that assigns users by itself, such as OpenShift, needs these taken out. */
const user = z.number().int().min(0).optional();
const securityContext = z.strictObject({
  runAsNonRoot: z.boolean().optional(),
  runAsUser: user,
  runAsGroup: user,
  fsGroup: user,
  fsGroupChangePolicy: z.enum(["OnRootMismatch", "Always"]).optional(),
  supplementalGroups: z.array(z.number().int().min(0)).optional(),
  seccompProfile: z
    .strictObject({
      type: z.enum(["RuntimeDefault", "Unconfined", "Localhost"]),
      localhostProfile: z.string().optional(),
    })
    .optional(),
});
const containerSecurityContext = z.strictObject({
  allowPrivilegeEscalation: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  capabilities: z.strictObject({ drop: z.array(z.string()), add: z.array(z.string()).optional() }).optional(),
});
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.number().int() }),
  periodSeconds: z.number().int(),
  timeoutSeconds: z.number().int(),
  failureThreshold: z.number().int(),
});

/** What a cluster asks of every pod that runs in it, whoever makes it. */
const placing = {
  imagePullSecrets: z.array(z.strictObject({ name: existing })).optional(),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).optional(),
  nodeSelector: texts.optional(),
  tolerations: z.array(toleration).optional(),
  metadata: z.strictObject({ labels: texts.optional(), annotations: texts.optional() }).optional(),
  serviceAccountName: existing.optional(),
  priorityClassName: existing.optional(),
  schedulerName: z.string().optional(),
};

/** `Pod` of the operator: what its pods can be given. */
const pod = z.strictObject({
  ...placing,
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
  metadata: z.strictObject({ name, namespace: namespace.optional(), labels: texts, annotations: texts.optional() }),
  spec: z.strictObject({
    parallelism: z.number().int().min(1),
    script: z.strictObject({ configMap: z.strictObject({ name, file: z.string() }) }),
    args: z.array(argument),
    /** Of the operator, once the run has ended; the results stay in the claim. */
    cleanup: z.literal("post").optional(),
    initializer: pod,
    starter,
    runner: pod,
  }),
});
export type TestRun = z.infer<typeof testRun>;
export type StarterPod = z.infer<typeof starter>;
export type OperatorPod = z.infer<typeof pod>;
export type Volume = z.infer<typeof volume>;
/** What the pod that reads the results takes over from the runners. */
export const likeRunners = z.object({
  ...placing,
  securityContext: securityContext.optional(),
  containerSecurityContext: containerSecurityContext.optional(),
});

/** The same as a cluster has it, which checked it by itself. */
export const foundLikeRunners = z.object({
  metadata: z.object({ labels: texts.optional(), annotations: texts.optional() }).optional(),
  imagePullSecrets: z.unknown().optional(),
  imagePullPolicy: z.unknown().optional(),
  nodeSelector: z.unknown().optional(),
  tolerations: z.unknown().optional(),
  serviceAccountName: z.unknown().optional(),
  priorityClassName: z.unknown().optional(),
  schedulerName: z.unknown().optional(),
  securityContext: z.unknown().optional(),
  containerSecurityContext: z.unknown().optional(),
});
export type LikeRunners = Partial<z.infer<typeof foundLikeRunners>>;
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
  spec: claimSpec,
});
export type VolumeClaim = z.infer<typeof volumeClaim>;
