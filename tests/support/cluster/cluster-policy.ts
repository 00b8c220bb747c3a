/** What a strict cluster refuses: pods beyond the profile `restricted`, images without a pull secret, volumes of several nodes. Pure. */

import type { OperatorPod, StarterPod, TestRun } from "../../../runs/k8s/operator-types.ts";

export interface Policy {
  /** The only registry that nodes reach, and the Secret that it asks for. */
  readonly registry: { readonly host: string; readonly secret: string };
  /** Of the volumes that its storage class makes. */
  readonly accessMode: "ReadWriteOnce" | "ReadWriteMany";
}

type PodSecurity = Pick<OperatorPod, "securityContext" | "containerSecurityContext" | "volumes">;

/** Kinds of volumes that the profile allows. */
const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** What the profile `restricted` of Kubernetes' Pod Security Standards (version 1.32) refuses in a pod. */
export function beyondRestricted({ securityContext, containerSecurityContext, volumes = [] }: PodSecurity): string[] {
  const { runAsNonRoot, runAsUser, seccompProfile } = securityContext ?? {};
  const { allowPrivilegeEscalation, capabilities } = containerSecurityContext ?? {};
  const rules: readonly (readonly [string, boolean])[] = [
    ["allowPrivilegeEscalation != false", allowPrivilegeEscalation === false],
    ["unrestricted capabilities", capabilities?.drop.includes("ALL") === true],
    ["added capabilities", (capabilities?.add ?? []).every((name) => name === "NET_BIND_SERVICE")],
    ["runAsNonRoot != true", runAsNonRoot === true],
    ["runAsUser=0", runAsUser !== 0],
    ["seccompProfile", ["RuntimeDefault", "Localhost"].includes(seccompProfile?.type ?? "")],
    [
      "restricted volume types",
      volumes.every((volume) => Object.keys(volume).every((key) => key === "name" || VOLUMES.includes(key))),
    ],
  ];
  return rules.flatMap(([rule, holds]) => (holds ? [] : [rule]));
}

/** The image of the operator for a starter that names none. */
const STARTER_IMAGE = "ghcr.io/grafana/k6-operator:latest-starter";

/** Why the kubelet cannot pull the image of a pod; undefined when it can. */
export function pullProblem(
  { image = STARTER_IMAGE, imagePullSecrets = [] }: Pick<StarterPod, "image" | "imagePullSecrets">,
  { registry: { host, secret } }: Policy,
  secrets: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!image.startsWith(`${host}/`)) return `Back-off pulling image "${image}": i/o timeout`;
  const hasSecret = imagePullSecrets.some(({ name }) => name === secret) && Object.hasOwn(secrets, secret);
  return hasSecret ? undefined : `Back-off pulling image "${image}": 401 Unauthorized`;
}

/** Why the scheduler cannot place the runners; undefined when it can. */
export function claimProblem({ spec }: TestRun, { accessMode }: Policy): string | undefined {
  const shared = spec.runner.volumes?.some((volume) => "persistentVolumeClaim" in volume);
  return shared && accessMode === "ReadWriteOnce" ? "pod has unbound immediate PersistentVolumeClaims" : undefined;
}
