/** A load on Kubernetes before anything is written: settings and files read, checked, and made into manifests. */

import { FILES } from "../../formats/file-names.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { usersHere, waitingUsersHere } from "../../load/shape/streams.ts";
import type { SettingsFor } from "../../settings/all-settings.ts";
import type { Values } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { bundledCode, scenarioTitle } from "../../toolchain/bundle-scenario.ts";
import { hasCommonPrompts, type PortableLoad, portableLoad } from "../bundle/portable-load.ts";
import { lastCalibration } from "../load/last-calibration.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { claimSizeFor } from "./claim-size.ts";
import { checkCommonStart, checkNames, checkRegion, checkRunName, checkRunners, checkSize } from "./cluster-checks.ts";
import { CLIENT_FILES, type Manifests, manifestsOf, SCRIPT_FOLDER } from "./manifests.ts";
import type { TestRun } from "./operator-types.ts";
import { patched, readPatch } from "./patch.ts";
import { type RunnerSize, runnerSize } from "./runner-size.ts";

export interface K8sPlan {
  readonly name: string;
  readonly manifests: Manifests;
  readonly size: RunnerSize;
  /** The arithmetic of what is made, a sentence each without its end. */
  readonly reasons: readonly string[];
}

type K8sSettings = Values<SettingsFor<"k8s">>;

/**
 * @throws UsageError for whatever Kubernetes or k6-operator would refuse
 */
export async function planK8s(plan: LoadPlan, settings: K8sSettings, now: Date): Promise<K8sPlan> {
  const { image, runners } = settings;
  if (runners === undefined) {
    throw new UsageError("Cannot share the load: the number of runners is not given. Name it with --runners, or auto.");
  }
  if (image === undefined) {
    throw new UsageError(
      "Cannot run the load on Kubernetes: no image is given. Build one with the Dockerfile of Assay, push it where the cluster finds it, and name it with --image.",
    );
  }
  const name = settings.runName ?? runNameOf(plan.scenario, now);
  checkRunName(name);
  checkRegion(settings.runName, plan.settings);
  checkNames(settings);
  const patch = settings.patch === undefined ? undefined : readPatch(settings.patch);
  const size = runnerSize(
    runners,
    usersHere(plan.settings),
    lastCalibration(),
    waitingUsersHere(plan.scenario, plan.settings),
  );
  checkRunners(size.runners, plan.settings);
  checkCommonStart(size.runners, plan.settings);
  if (settings.promptsAt !== undefined) requireCommonPrompts(plan);
  const { promptsAt, clientCertSecret } = settings;
  requireClientSecret(plan, clientCertSecret);
  const client = clientCertSecret === undefined ? undefined : CLIENT_FILES;
  const load = portableLoad(plan, SCRIPT_FOLDER, { promptsAt, client });
  const data = await dataOf(plan, load);
  checkSize(data);
  const ofEach = settings.resultsMode === "ReadWriteOnce" && settings.resultsClaim === undefined;
  const claim = claimSizeFor(plan, size.runners, ofEach ? size.runners : 1);
  const cluster = { ...clusterOf(settings, name, claim.bytes), image };
  const manifests = manifestsOf(cluster, size, load, data);
  const isComputed = settings.resultsClaim === undefined && settings.resultsSize === undefined;
  const reasons = [
    ...size.reasons,
    ...(isComputed ? [claim.reason] : []),
    ...(ofEach
      ? ["The claims of the runners go with their pods: collect the results before you delete the TestRun"]
      : []),
    ...(settings.resultsMode === "ReadWriteOnce" && !ofEach && size.runners > 1
      ? [`All ${size.runners} runners are on one node, whose cores they share: its calibration is that of all together`]
      : []),
  ];
  const testRun = patch === undefined ? manifests.testRun : patched(manifests.testRun, patch);
  if (ofEach) checkKept(testRun);
  return { name, size, reasons, manifests: { ...manifests, testRun } };
}

/** @throws UsageError when the operator would delete the claims of the runners before they are collected */
function checkKept({ spec }: TestRun): void {
  if (spec.cleanup === undefined) return;
  throw new UsageError(
    "Cannot use spec.cleanup of --patch with --results-mode ReadWriteOnce: at the end the operator would delete the pods of the runners, and with them the claims that hold their results. Leave it out, or name a claim with --results-claim.",
  );
}

/** `assay-chat-stream-20300102-030405`: a run's name can be used once. */
function runNameOf(scenario: string, now: Date): string {
  const words = scenarioTitle(scenario)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `assay-${words.slice(0, 24).replaceAll(/^-|-$/g, "")}-${stamp}`;
}

/** @throws UsageError for a load without common prompts, which an image or a volume could hold */
function requireCommonPrompts({ settings }: LoadPlan): void {
  if (hasCommonPrompts(settings)) return;
  throw new UsageError(
    "Cannot use --prompts-at: the load has no common prompts that could be there, since they are made (--input-tokens) or each workload has a file of its own. Leave it out.",
  );
}

/** @throws UsageError for a client certificate of this machine alone: its key is written into no manifest */
function requireClientSecret({ settings: { clientCert, clientKey = clientCert } }: LoadPlan, secret?: string): void {
  if (clientCert === undefined || secret !== undefined) return;
  throw new UsageError(
    `Cannot take the client certificate ${clientCert} to the cluster: its private key is written into no manifest. Make a Secret of it there with kubectl create secret tls NAME --cert ${clientCert} --key ${clientKey}, and name it with --client-cert-secret.`,
  );
}

async function dataOf({ entry }: LoadPlan, { files }: PortableLoad): Promise<Record<string, string>> {
  const code = await bundledCode(entry);
  return {
    [FILES.bundle]: code,
    ...Object.fromEntries(files.map((file) => [file.name, "source" in file ? readTextFile(file.source) : file.text])),
  };
}

const clusterOf = (
  {
    namespace,
    keySecret,
    clientCertSecret,
    starterImage,
    resultsClaim,
    resultsMode,
    resultsSize,
    storageClass,
    shareNodes = false,
  }: K8sSettings,
  name: string,
  bytes: number,
) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  ...(keySecret !== undefined && { keySecret }),
  ...(clientCertSecret !== undefined && { clientCertSecret }),
  ...(starterImage !== undefined && { starterImage }),
  results:
    resultsClaim === undefined
      ? { bytes: resultsSize ?? bytes, ...(storageClass !== undefined && { storageClass }) }
      : { claim: resultsClaim },
  mode: resultsMode,
  shareNodes,
});
