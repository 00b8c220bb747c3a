/** The pod that reads the results of a run from its claim, while they are collected. Pure. */

import { CONTAINER_SECURITY, POD_SECURITY, RESULTS_FOLDER } from "./manifests.ts";
import type { LikeRunners } from "./operator-types.ts";

/** How long the pod is there at most, in seconds, should nobody be left to remove it. */
const LONGEST_S = 6 * 3_600;

/** @param of the run, or the runner whose own claim is read */
export const readerName = (of: string): string => `${of}-reader`;

/**
 * @param of as of `readerName`
 * @param image any with `sh`, `sleep`, `find`, `wc` and `tail`, such as that of the runners
 * @param like what the cluster asks of the runners, and so of this pod
 */
export const readerPod = (
  of: string,
  image: string,
  claimName: string,
  {
    metadata,
    imagePullPolicy,
    securityContext = POD_SECURITY,
    containerSecurityContext = CONTAINER_SECURITY,
    ...placing
  }: LikeRunners = {},
) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: readerName(of),
    labels: { ...metadata?.labels, "app.kubernetes.io/name": "assay-reader", "app.kubernetes.io/instance": of },
    ...(metadata?.annotations && { annotations: metadata.annotations }),
  },
  spec: {
    ...placing,
    restartPolicy: "Never",
    activeDeadlineSeconds: LONGEST_S,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext,
    containers: [
      {
        name: "reader",
        image,
        ...(imagePullPolicy !== undefined && { imagePullPolicy }),
        command: ["sleep", String(LONGEST_S)],
        securityContext: containerSecurityContext,
        resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "64Mi" } },
        volumeMounts: [{ name: "results", mountPath: RESULTS_FOLDER, readOnly: true }],
      },
    ],
    volumes: [{ name: "results", persistentVolumeClaim: { claimName, readOnly: true } }],
  },
});
