/** How a load runs on Kubernetes. Not imported by k6 code. */

import { inGroup, settingFor } from "./setting.ts";
import { BYTES, COUNT_OR_AUTO, DURATION, FILE, oneOf, SWITCH, text } from "./values.ts";

const k8s = settingFor("k8s");
/** What names the run in the cluster, also for those that collect it later. */
const anyTime = settingFor("k8s", "k8s collect");

/** Whether pods on several nodes can mount one volume, as with most shared file systems, or those on one node only. */
export const RESULTS_MODES = ["ReadWriteMany", "ReadWriteOnce"] as const;
export type ResultsMode = (typeof RESULTS_MODES)[number];

export const K8S_SETTINGS = inGroup("Kubernetes", {
  runners: k8s(COUNT_OR_AUTO, "pods that share the load; auto: as many as the calibration of this machine asks for"),
  image: anyTime(text("ref"), "image of the runners: k6 with Assay's extension, as the Dockerfile of Assay makes it"),
  runName: k8s(text("name"), "name of the run in the cluster; each run needs a new one", {
    defaultNote: "from the scenario and the time",
  }),
  namespace: anyTime(text("name"), "namespace of the run", { defaultNote: "that of the current context of kubectl" }),
  context: settingFor("k8s run", "k8s collect")(text("name"), "context of kubectl, which stays that of the run", {
    defaultNote: "the current one at the start",
  }),
  keySecret: k8s(text("name"), "Secret with the API key as ASSAY_API_KEY, and with the variables of further headers", {
    defaultNote: "none: a placeholder is sent",
  }),
  clientCertSecret: k8s(
    text("name"),
    "Secret of type kubernetes.io/tls with the certificate to show to a target that asks for one (mTLS), and its key",
  ),
  resultsClaim: anyTime(text("name"), "claim that holds the results, which exists", {
    defaultNote: "a new one, named as the run",
  }),
  resultsMode: k8s(
    oneOf("mode", ...RESULTS_MODES),
    "access mode of the claim; ReadWriteOnce (block storage): a claim per runner, or all runners on one node with --results-claim",
    { default: "ReadWriteMany" },
  ),
  resultsSize: k8s(BYTES, "size of a new claim, or of each", {
    defaultNote: "twice the results that the load is expected to have",
  }),
  storageClass: k8s(text("name"), "storage class of a new claim", { defaultNote: "that of the cluster" }),
  starterImage: k8s(
    text("ref"),
    "image of k6-operator's starter, with sh and curl, for clusters with a registry of their own",
    {
      defaultNote: "that of k6-operator",
    },
  ),
  patch: anyTime(
    FILE,
    "YAML patch of the TestRun, for what the cluster requires of pods: pull secrets, tolerations, labels, resources",
  ),
  shareNodes: k8s(SWITCH, "allow several runners on one node (they disturb each other's timing)"),
  promptsAt: k8s(
    text("path"),
    "where the prompts are in the image or in a volume, for files too large for a ConfigMap; --prompts names the same file here",
  ),
  startTimeout: settingFor("k8s run")(DURATION, "how long the cluster may take until the runners start", {
    default: "10m",
  }),
  endTimeout: settingFor("k8s run", "k8s collect")(
    DURATION,
    "how long the runners may go on after the planned end of the load (k8s collect: from now)",
    { default: "5m" },
  ),
});
