/** A load on Kubernetes before anything is written: settings and files read, checked, and made into manifests. */

import { FILES } from "../../formats/file-names.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { usersOf } from "../../scenarios/process/run-options.ts";
import type { SettingsFor } from "../../settings/all-settings.ts";
import type { Values } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { COMMON_PROMPTS, type PortableLoad, portableLoad } from "../bundle/portable-load.ts";
import { lastCalibration } from "../load/last-calibration.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { bundledCode, scenarioTitle } from "../toolchain/bundle-scenario.ts";
import { checkCommonStart, checkNames, checkRunName, checkRunners, checkSize } from "./cluster-checks.ts";
import { type Manifests, manifestsOf, SCRIPT_FOLDER } from "./manifests.ts";
import { type RunnerSize, runnerSize } from "./runner-size.ts";

export interface K8sPlan {
  readonly name: string;
  readonly manifests: Manifests;
  readonly size: RunnerSize;
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
  checkNames(settings);
  const size = sizeOf(runners, plan, settings);
  checkRunners(size.runners, plan.settings);
  checkCommonStart(size.runners, plan.settings);
  const load = promptsElsewhere(portableLoad(plan, SCRIPT_FOLDER), settings.promptsAt);
  const data = await dataOf(plan, load);
  checkSize(data);
  const cluster = { ...clusterOf(settings, name), image };
  return { name, size, manifests: manifestsOf(cluster, size, load, data) };
}

/** `assay-chat-stream-20300102-030405`: a run's name can be used once. */
function runNameOf(scenario: string, now: Date): string {
  const words = scenarioTitle(scenario)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `assay-${words.slice(0, 24).replaceAll(/^-|-$/g, "")}-${stamp}`;
}

function sizeOf(
  runners: number | "auto",
  { settings }: LoadPlan,
  { runnerCpu, runnerMemory }: K8sSettings,
): RunnerSize {
  const size = runnerSize(runners, usersOf(settings), lastCalibration());
  return {
    ...size,
    ...(runnerCpu !== undefined && { cpuMillis: millisOf(runnerCpu) }),
    ...(runnerMemory !== undefined && { memoryBytes: runnerMemory }),
  };
}

/** Reads `2`, `0.5` or `1500m`. @throws UsageError for any other text */
function millisOf(text: string): number {
  const millis = /^\d+m$/.test(text) ? Number.parseInt(text, 10) : Number(text) * 1_000;
  if (millis >= 1 && Number.isFinite(millis)) return Math.round(millis);
  throw new UsageError(`Cannot read --runner-cpu: "${text}" is not a number of cores, such as 2, 0.5 or 1500m.`);
}

/**
 * With prompts that the image or a volume holds: they are not taken along.
 * @throws UsageError for a load without common prompts
 */
function promptsElsewhere(load: PortableLoad, path: string | undefined): PortableLoad {
  if (path === undefined) return load;
  const files = load.files.filter(({ name }) => name !== COMMON_PROMPTS);
  if (files.length < load.files.length)
    return { ...load, variables: { ...load.variables, ASSAY_PROMPTS: path }, files };
  throw new UsageError(
    "Cannot use --prompts-at: the load has no common prompts that could be there, since they are made (--input-tokens) or each workload has a file of its own. Leave it out.",
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
  { namespace, keySecret, starterImage, resultsClaim, resultsSize, storageClass, shareNodes = false }: K8sSettings,
  name: string,
) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  ...(keySecret !== undefined && { keySecret }),
  ...(starterImage !== undefined && { starterImage }),
  results:
    resultsClaim === undefined
      ? { bytes: resultsSize, ...(storageClass !== undefined && { storageClass }) }
      : { claim: resultsClaim },
  shareNodes,
});
