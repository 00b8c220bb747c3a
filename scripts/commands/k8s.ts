/** `assay k8s`: a load as manifests for k6-operator; `run` it on the cluster of kubectl, or `collect` one that ran there. */

import { join } from "node:path";
import { Command } from "commander";
import {
  type CommonFlags,
  resolveSettings,
  SCENARIO_CHOICES,
  withoutHelp,
  withSettings,
} from "../../cli/command-settings.ts";
import { coloured, type Progress, print, printResult, progressOn } from "../../cli/console.mjs";
import { createResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { type RunResult, runJson } from "../../formats/run.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { CONDITIONS, LOCAL_SETTINGS, planPortable } from "../../runs/bundle/portable-load.ts";
import { checkNames, checkRunName } from "../../runs/k8s/cluster-checks.ts";
import { currentPlace, placeInWords } from "../../runs/k8s/current-place.ts";
import { kubectlIn, type Place } from "../../runs/k8s/kubectl.ts";
import { manifestFiles, manifestStream } from "../../runs/k8s/manifest-files.ts";
import { planK8s } from "../../runs/k8s/plan-k8s.ts";
import { collectFromK8s, runOnK8s } from "../../runs/k8s/run-k8s.ts";
import { countWordsFor } from "../../runs/load/count-words.ts";

type K8sFlags = CommonFlags & Readonly<Record<string, unknown>>;

const LOAD =
  "chat-stream --target https://inference.example --rate 1000 --max-in-flight 4000 --runners 10 --image registry.example/assay-runner:0.1.0 --key-secret inference-key";

const EXAMPLES = `
Examples:
  assay k8s run ${LOAD}
  assay k8s ${LOAD} --out manifests
    kubectl apply --server-side -k manifests
  assay k8s collect assay-chat-stream-20300102-030405
`;

/** What a load on Kubernetes is planned from. */
const planOf = async (scenario: string | undefined, flags: K8sFlags, isWatched = false) => {
  await countWordsFor("load", scenario, flags);
  const load = planPortable(scenario, flags, undefined, isWatched);
  const settings = resolveSettings("k8s", flags).values;
  return { load, settings, plan: await planK8s(load, settings, new Date()) };
};

/** The cluster of a run, which stays that one when the current context of kubectl changes. */
async function clusterOf({ context, namespace }: Place, progress: Progress) {
  const named = { ...(context !== undefined && { context }), ...(namespace !== undefined && { namespace }) };
  const place = await currentPlace(kubectlIn(), named);
  progress.say(`${placeInWords(place)}.`);
  return { kubectl: kubectlIn(place), place };
}

function printRun(result: RunResult, folder: string): void {
  const text = `\n${loadTerminal(result, { colour: coloured() })}\n  report  ${join(folder, "run.html")}\n`;
  printResult(text, () => runJson(result));
  process.exitCode = result.exitCode;
}

const run = withoutHelp(
  withSettings(
    new Command("run")
      .description("write the manifests, apply them with kubectl, watch the run, collect its results and report on it")
      .argument("[scenario]", SCENARIO_CHOICES),
    "load",
    "k8s",
    "k8s run",
  ),
  LOCAL_SETTINGS.filter((name) => !CONDITIONS.includes(name)),
)
  .addHelpText("after", `\nExample: assay k8s run ${LOAD}\n`)
  .action(async (scenario: string | undefined, flags: K8sFlags) => {
    const { load, settings, plan } = await planOf(scenario, flags, true);
    const { name, reasons } = plan;
    const allowed = resolveSettings("k8s run", flags).values;
    const progress = progressOn(flags.quiet);
    for (const reason of reasons) progress.say(`${reason}.`);
    const cluster = await clusterOf({ ...settings, ...allowed }, progress);
    const folder = createResultFolder(flags.out, name);
    const task = { ...cluster, name, folder, progress };
    const result = await runOnK8s(task, plan, load, allowed);
    printRun(result, folder);
  });

const collect = withSettings(
  new Command("collect")
    .description("collect the results of a run from its claim with kubectl, once it has ended, and report on it")
    .argument("<name>", "name of the run in the cluster"),
  "k8s collect",
)
  .addHelpText("after", "\nExample: assay k8s collect assay-chat-stream-20300102-030405\n")
  .action(async (name: string, flags: K8sFlags) => {
    checkRunName(name);
    const settings = resolveSettings("k8s collect", flags).values;
    checkNames(settings);
    const progress = progressOn(flags.quiet);
    const cluster = await clusterOf(settings, progress);
    const folder = createResultFolder(flags.out, name);
    const task = { ...cluster, name, folder, progress };
    const result = await collectFromK8s(task, settings, settings);
    printRun(result, folder);
  });

export const command = withoutHelp(
  withSettings(
    new Command("k8s")
      .description("write a load as manifests for k6-operator, which runs it on several pods of a Kubernetes cluster")
      .argument("[scenario]", `${SCENARIO_CHOICES}; or a command below`),
    "load",
    "k8s",
  ),
  LOCAL_SETTINGS,
)
  .addCommand(run)
  .addCommand(collect)
  .addHelpText("after", EXAMPLES)
  .action(async (scenario: string | undefined, flags: K8sFlags) => {
    const { plan } = await planOf(scenario, flags);
    const { say } = progressOn(flags.quiet);
    for (const reason of plan.reasons) say(`${reason}.`);
    if (flags["out"] === "-") {
      print(manifestStream(plan));
      return;
    }
    const folder = createResultFolder(flags.out, plan.name);
    for (const [name, content] of Object.entries(manifestFiles(plan))) writeWhole(folder, name, content);
    print(`Wrote ${folder}. Start the run: kubectl apply --server-side -k ${folder}\n`);
  });
