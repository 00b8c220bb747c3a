/**
 * Plays the part of k6-operator 1.6.0 and of the kubelet for a TestRun, with a real k6 and without a cluster: archives and
 * inspects the script, starts the runners paused, each with its segment, resumes them, and waits for their end.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import type { ConfigMap, EnvVar, OperatorPod, StarterPod, TestRun } from "../../../runs/k8s/operator-types.ts";
import { LOAD_FILE } from "../../../settings/load/load-json.ts";
import { cleanEnvironment } from "../commands/assay-process.ts";
import { beyondRestricted, claimProblem, type Policy, pullProblem } from "./cluster-policy.ts";
import type { PodNetwork } from "./pod-network.ts";

export interface Cluster {
  readonly k6: string;
  /** Stands for the disks of the cluster: volumes are folders in it. */
  readonly folder: string;
  /** Data of Secrets, by name and key. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Absent: all runners share this machine's network, each with a port of its own. */
  readonly network?: PodNetwork | undefined;
  /** Absent: it takes every pod, image and claim. */
  readonly policy?: Policy | undefined;
}

/** The name of the pod of a Job. */
export const podOf = (job: string): string => `${job}-x7c2k`;

export interface PlayedRunner {
  readonly name: string;
  readonly results: string;
  /** Of its REST interface. */
  readonly address: string;
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** A pod that is there, or that the kubelet cannot start. */
export type PlayedPod = PlayedRunner | { readonly name: string; readonly reason: string; readonly message: string };

/** A TestRun and its pods, as they are now. */
export interface PlayedRun {
  stage: "" | "initialization" | "initialized" | "created" | "started" | "finished" | "error";
  initializer: "absent" | "running" | "succeeded" | "failed" | { readonly reason: string; readonly message: string };
  readonly pods: PlayedPod[];
  /** Nothing more is made for a TestRun that was deleted. */
  isDeleted?: true;
}

/** Why the kubelet does not start a container. */
class ConfigError extends Error {}

/** Expands references as the kubelet does: `$$` is `$`, `$(NAME)` the value of a variable before it, if there is one. */
export const expand = (text: string, known: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name?: string) => (name === undefined ? "$" : (known[name] ?? found)));

function environmentOf(env: readonly EnvVar[], { secrets }: Cluster, job: string): Record<string, string> {
  const known: Record<string, string> = {};
  for (const variable of env) known[variable.name] = resolvedValue(variable, known, secrets, job);
  return known;
}

function resolvedValue(
  variable: EnvVar,
  known: Readonly<Record<string, string>>,
  secrets: Cluster["secrets"],
  job: string,
): string {
  if ("value" in variable) return expand(variable.value, known);
  if ("fieldRef" in variable.valueFrom) {
    if (variable.valueFrom.fieldRef.fieldPath === "metadata.labels['job-name']") return job;
    throw new Error(`Cannot play ${variable.name}: its field is not one of a pod`);
  }
  const { name, key } = variable.valueFrom.secretKeyRef;
  const value = secrets[name]?.[key];
  if (value === undefined)
    throw new ConfigError(secrets[name] ? `couldn't find key ${key} in Secret ${name}` : `secret "${name}" not found`);
  return value;
}

/** The arguments that the operator gives to `k6 archive`: those of the run without what only a run takes. */
function archiveArguments(args: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < args.length; ) {
    const option = args[index] ?? "";
    if (!option.startsWith("-")) throw new Error(`encountered an invalid value for k6 CLI argument: ${option}`);
    let end = index + 1;
    while (end < args.length && !args[end]?.startsWith("-")) end += 1;
    if (!["-o", "--out", "-l", "--linger", "--no-usage-report"].includes(option)) kept.push(...args.slice(index, end));
    index = end;
  }
  return kept;
}

/** Replaces the paths at which a pod sees its volumes by the folders that stand for them. */
const inFolders = (text: string, mounts: ReadonlyMap<string, string>): string =>
  text.replace(/(^|[=:])(\/\w+)(?=\/|$)/, (whole, before: string, path: string) =>
    mounts.has(path) ? `${before}${mounts.get(path)}` : whole,
  );

/** @returns what `k6 inspect --execution-requirements` says. @throws Error as the initializer would end in error */
async function initialize(
  { spec }: TestRun,
  cluster: Cluster,
  script: string,
  mounts: ReadonlyMap<string, string>,
): Promise<string> {
  const archive = join(cluster.folder, "archived.tar");
  const env = environmentOf(spec.initializer.env ?? [], cluster, "initializer");
  const given = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${inFolders(value, mounts)}`]);
  const args = [...given, "-O", archive, ...archiveArguments(spec.args)];
  await k6Of(cluster, ["archive", inFolders(script, mounts), ...args]);
  return k6Of(cluster, ["inspect", "--execution-requirements", archive]);
}

async function k6Of({ k6, folder }: Cluster, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(k6, [...args], { cwd: folder, env: cleanEnvironment() });
  if (/level.*error/.test(stderr)) throw new Error(`k6 ${args[0]}: ${stderr}`);
  return stdout;
}

const requirements = z.object({ maxVUs: z.number() });

/** Runs a TestRun to its end, and tells in `played` how far it is. Never fails: the operator does not either. */
export async function play(run: TestRun, { data }: ConfigMap, cluster: Cluster, played: PlayedRun): Promise<void> {
  const test = join(cluster.folder, `${run.metadata.name}-test`);
  mkdirSync(test);
  // A file that a setting names is where the pods see the ConfigMap.
  const here = (key: string, text: string): string =>
    key === LOAD_FILE ? text.replaceAll('"/test/', `"${test}/`) : text;
  for (const [key, text] of Object.entries(data)) writeFileSync(join(test, key), here(key, text), { mode: 0o444 });
  chmodSync(test, 0o555);
  const mounts = new Map([["/test", test]]);
  const script = `/test/${run.spec.script.configMap.file}`;
  played.stage = "initialization";
  const refused = refusalOf(run.spec.initializer, cluster);
  played.initializer = refused ?? "running";
  if (refused !== undefined) return;
  try {
    const { maxVUs } = requirements.parse(JSON.parse(await initialize(run, cluster, script, mounts)));
    played.initializer = "succeeded";
    if (maxVUs < run.spec.parallelism) throw new Error("number of instances > max VUs");
  } catch {
    if (played.initializer === "running") played.initializer = "failed";
    played.stage = "error";
    return;
  }
  if (played.isDeleted) return;
  played.stage = "created";
  for (let number = 1; number <= run.spec.parallelism; number += 1) {
    played.pods.push(await startPod(run, number, cluster, script, mounts));
  }
  const runners = played.pods.flatMap((pod) => ("process" in pod ? pod : []));
  // Without all pods the operator waits for ever.
  if (runners.length < run.spec.parallelism) return;
  const starter = refusalOf(run.spec.starter, cluster);
  if (starter !== undefined) {
    played.pods.push({ name: `${run.metadata.name}-starter`, ...starter });
    played.stage = "started";
    return;
  }
  if (!(await areReady(runners, cluster))) return;
  // The operator says so when it has made the starter, and not when that has done its work.
  played.stage = "started";
  await callRunners("start", runners, cluster);
  await Promise.all(runners.map(({ ended }) => ended));
  played.stage = "finished";
}

/** Why a pod of a strict cluster does not start; undefined when it does. */
function refusalOf(
  pod: StarterPod,
  { policy, secrets }: Cluster,
): { readonly reason: string; readonly message: string } | undefined {
  if (policy === undefined) return undefined;
  const beyond = beyondRestricted(pod);
  if (beyond.length > 0) return { reason: "FailedCreate", message: `violates PodSecurity: ${beyond.join(", ")}` };
  const message = pullProblem(pod, policy, secrets);
  return message === undefined ? undefined : { reason: "ImagePullBackOff", message };
}

async function startPod(
  run: TestRun,
  number: number,
  cluster: Cluster,
  script: string,
  shared: ReadonlyMap<string, string>,
): Promise<PlayedPod> {
  const name = `${run.metadata.name}-${number}`;
  const unbound = cluster.policy && claimProblem(run, cluster.policy);
  const refused =
    unbound === undefined ? refusalOf(run.spec.runner, cluster) : { reason: "Unschedulable", message: unbound };
  if (refused !== undefined) return { name, ...refused };
  try {
    return await startRunner(run, number, cluster, script, shared);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { name, reason: "CreateContainerConfigError", message: error.message };
  }
}

async function startRunner(
  { metadata, spec }: TestRun,
  number: number,
  cluster: Cluster,
  script: string,
  shared: ReadonlyMap<string, string>,
): Promise<PlayedRunner> {
  const job = `${metadata.name}-${number}`;
  const env = environmentOf(spec.runner.env ?? [], cluster, job);
  const folder = join(cluster.folder, job);
  mkdirSync(folder);
  const volumes = volumesOf(spec.runner, env, cluster, folder);
  const mounts = new Map([...shared, ...volumes]);
  const pod = cluster.network?.pods[number - 1];
  const listen = pod === undefined ? `127.0.0.1:${await freePort()}` : "0.0.0.0:6565";
  const of = spec.parallelism;
  const bounds = Array.from({ length: of + 1 }, (_, index) => (index % of === 0 ? `${index / of}` : `${index}/${of}`));
  const segment = [
    `--execution-segment=${bounds[number - 1]}:${bounds[number]}`,
    `--execution-segment-sequence=${bounds.join(",")}`,
  ];
  const args = [
    ...["run", "--quiet", ...(of > 1 ? segment : []), ...spec.args, script, `--address=${listen}`, "--paused"],
    ...["--tag", `instance_id=${number}`, "--tag", `testrun_name=${metadata.name}`],
  ].map((text) => inFolders(text, mounts));
  const values = Object.entries(env).map(([key, value]) => [key, inFolders(value, mounts)]);
  const [command = "", ...rest] = [...(pod?.prefix ?? []), cluster.k6, ...args];
  const process = spawn(command, rest, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...Object.fromEntries(values) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const address = pod === undefined ? listen : `${pod.address}:6565`;
  return { name: job, results: volumes.get("/results") ?? "", process, ended: once(process, "exit"), address };
}

const STARTER = fileURLToPath(new URL("start-runners.mjs", import.meta.url));

/** Calls the REST interfaces of the runners from where the operator is. @returns whether all answered */
async function callRunners(
  step: "await" | "start",
  runners: readonly PlayedRunner[],
  { network }: Cluster,
  signal?: AbortSignal,
): Promise<boolean> {
  const addresses = runners.map(({ address }) => address);
  const [command = "", ...args] = [...(network?.prefix ?? []), process.execPath, STARTER, step, ...addresses];
  return promisify(execFile)(command, args, { signal }).then(
    () => true,
    () => false,
  );
}

/** Waits until all runners are paused. @returns whether they are: without one that has ended, the operator waits for ever */
async function areReady(runners: readonly PlayedRunner[], cluster: Cluster): Promise<boolean> {
  const { signal, abort } = abortable();
  for (const { ended } of runners) void ended.then(abort);
  return callRunners("await", runners, cluster, signal);
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** The folders of a pod's volumes: one per claim and sub-path, which pods share, one of its own claim, and an empty one. */
function volumesOf(
  { volumes = [], volumeMounts = [] }: OperatorPod,
  env: Readonly<Record<string, string>>,
  { folder }: Cluster,
  pod: string,
): ReadonlyMap<string, string> {
  return new Map(
    volumeMounts.map(({ name, mountPath, subPathExpr = "" }) => {
      const volume = volumes.find((each) => each.name === name);
      if (volume === undefined) throw new Error(`Cannot mount ${name}: the pod has no such volume`);
      const claim =
        "persistentVolumeClaim" in volume
          ? volume.persistentVolumeClaim.claimName
          : "ephemeral" in volume
            ? `${podOf(basename(pod))}-${name}`
            : undefined;
      const root = claim === undefined ? join(pod, name) : join(folder, claim);
      const path = join(root, expand(subPathExpr, env));
      mkdirSync(path, { recursive: true });
      return [mountPath, path];
    }),
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, "close");
  return port;
}
