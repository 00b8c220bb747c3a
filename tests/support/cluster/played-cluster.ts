/**
 * A cluster for `kubectl` and without Kubernetes: a program of that name, which asks this process, where the operator is
 * played with a real k6. It takes the calls that Assay makes, and fails for any other.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { ownClaimOf } from "../../../runs/k8s/kept-results.ts";
import { configMap, likeRunners, type TestRun, testRun } from "../../../runs/k8s/operator-types.ts";
import { newFolder } from "../commands/assay-process.ts";
import { beyondRestricted, pullProblem } from "./cluster-policy.ts";
import { type Cluster, type PlayedPod, type PlayedRun, type PlayedRunner, play, podOf } from "./operator-player.ts";

const client = fileURLToPath(new URL("kubectl-client.mjs", import.meta.url));

const call = z.object({ args: z.array(z.string()), input: z.string(), variables: z.array(z.string()) });
/** A call of `kubectl`, with the names of Assay's variables that it was given. */
export type Call = z.infer<typeof call>;

interface Reply {
  readonly out?: string;
  readonly err?: string;
  readonly code?: number;
}

const pod = z.object({
  metadata: z.object({ name: z.string() }),
  spec: likeRunners.omit({ metadata: true }).extend({
    containers: z.array(z.object({ image: z.string(), securityContext: likeRunners.shape.containerSecurityContext })),
    volumes: z.array(z.object({ name: z.string(), persistentVolumeClaim: z.object({ claimName: z.string() }) })),
  }),
});
type Pod = z.infer<typeof pod>;

type Options = Pick<Cluster, "k6" | "secrets" | "network" | "policy"> & {
  /** Absent: nothing looks at a TestRun. */
  readonly hasOperator?: boolean;
};

interface Applied {
  readonly manifest: TestRun;
  readonly played: PlayedRun;
  readonly done: Promise<void>;
}

export class PlayedCluster {
  /** Holds `kubectl`, for the PATH. */
  readonly bin = newFolder();
  /** Stands for the disks of the cluster. */
  readonly folder = newFolder();
  readonly calls: Call[] = [];
  readonly #options: Options;
  readonly #server: Server;
  readonly #runs = new Map<string, Applied>();
  /** Of TestRuns that were deleted, by their name. */
  readonly #deleted = new Map<string, PlayedRun>();
  readonly #pods = new Map<string, Pod>();

  constructor(options: Options) {
    this.#options = options;
    const socket = join(this.bin, "socket");
    writeFileSync(join(this.bin, "kubectl"), `#!/bin/sh\nexec "${process.execPath}" "${client}" "${socket}" "$@"\n`, {
      mode: 0o755,
    });
    this.#server = createServer((connection) => void this.#serve(connection)).listen(socket);
  }

  /** The environment in which `kubectl` is that of this cluster. */
  get env(): Readonly<Record<string, string>> {
    return { PATH: `${this.bin}:${process.env["PATH"]}` };
  }

  /** The runners of all runs. */
  get runners(): readonly PlayedRunner[] {
    return [...this.#runs.keys(), ...this.#deleted.keys()].flatMap((name) => this.runnersOf(name));
  }

  runnersOf(name: string): readonly PlayedRunner[] {
    const run = this.#runs.get(name)?.played ?? this.#deleted.get(name);
    return run?.pods.filter((each) => "process" in each) ?? [];
  }

  /** How far the only run is. */
  get stage(): PlayedRun["stage"] | undefined {
    return [...this.#runs.values()][0]?.played.stage;
  }

  /** Names of the pods that are not those of the operator. */
  get pods(): readonly string[] {
    return [...this.#pods.keys()];
  }

  /** Names of the TestRuns. */
  get testRuns(): readonly string[] {
    return [...this.#runs.keys()];
  }

  async close(): Promise<void> {
    for (const { process } of this.runners) process.kill("SIGKILL");
    await Promise.all(this.runners.map(({ ended }) => ended));
    this.#server.close();
  }

  async #serve(connection: Socket): Promise<void> {
    connection.on("error", () => undefined);
    const reply = (part: Reply): void => void connection.write(`${JSON.stringify(part)}\n`);
    for await (const line of createInterface({ input: connection })) {
      const asked = call.parse(JSON.parse(line));
      this.calls.push(asked);
      try {
        const answer = this.#answer(asked);
        if (typeof answer === "string") reply({ out: Buffer.from(answer).toString("base64"), code: 0 });
        else await passOn(answer, reply);
      } catch (error) {
        reply({ err: `${String(error)}\n`, code: 1 });
      }
    }
  }

  /** What `kubectl` prints, or the process whose output it passes on. @throws Error for what goes wrong */
  #answer({ args, input }: Call): string | ChildProcess {
    const [verb = "", what = "", name = ""] = placed(args);
    if (verb === "config") return JSON.stringify(CONFIGURATION);
    if (verb === "apply") return this.#apply(args.at(-1) ?? "");
    if (verb === "get" && what === "testruns.k6.io") return this.#testRun(name);
    if (verb === "get" && what === "jobs,pods") return this.#items(placed(args)[3]?.replace("k6_cr=", "") ?? "");
    if (verb === "get" && what === "events") return JSON.stringify({ items: [] });
    if (verb === "get" && what === "pvc") {
      return JSON.stringify({ status: { phase: this.#options.policy === undefined ? "Bound" : "Pending" } });
    }
    if (verb === "logs") return "";
    if (verb === "delete" && what === "testruns.k6.io") return this.#deleteRun(name);
    if (verb === "delete" && what.startsWith("pod/")) return this.#pods.delete(what.slice(4)) ? "deleted\n" : "";
    if (verb === "create") return this.#create(input);
    if (verb === "wait") return `${this.#pod(placed(args)[2]?.slice(4)).metadata.name} condition met\n`;
    if (verb === "exec" && name === "--container") return this.#terminate(what, placed(args).slice(5));
    if (verb === "exec") return this.#exec(what, placed(args).slice(3));
    throw new Error(`error: unknown command ${args.join(" ")}`);
  }

  #apply(folder: string): string {
    const read = (file: string): unknown => parse(readFileSync(join(folder, file), "utf8"));
    const manifest = testRun.parse(read("testrun.yaml"));
    const { name } = manifest.metadata;
    const played: PlayedRun = { stage: "", initializer: "absent", pods: [] };
    const cluster: Cluster = { ...this.#options, folder: this.folder };
    const done =
      this.#options.hasOperator === false
        ? Promise.resolve()
        : play(manifest, configMap.parse(read("configmap.yaml")), cluster, played);
    this.#runs.set(name, { manifest, played, done });
    return `testrun.k6.io/${name} serverside-applied\n`;
  }

  #testRun(name: string): string {
    const run = this.#runs.get(name);
    if (run === undefined) return "";
    return JSON.stringify({ ...run.manifest, status: { stage: run.played.stage } });
  }

  #items(name: string): string {
    const run = this.#runs.get(name)?.played;
    const deleted = this.#deleted.get(name);
    const pods = run?.pods ?? deleted?.pods.filter((each) => "process" in each && !hasEnded(each)) ?? [];
    const initializer = run === undefined ? undefined : initializerItem(name, run);
    return JSON.stringify({ items: [...(initializer ? [initializer] : []), ...pods.map(podItem)] });
  }

  /** The pods get a SIGTERM, and are gone once they have ended. */
  #deleteRun(name: string): string {
    const run = this.#runs.get(name);
    if (run === undefined) return "";
    this.#runs.delete(name);
    this.#deleted.set(name, run.played);
    run.played.isDeleted = true;
    for (const each of run.played.pods) if ("process" in each) void this.#deletePod(each);
    return `testrun.k6.io "${name}" deleted\n`;
  }

  async #deletePod({ name, process, ended }: PlayedRunner): Promise<void> {
    process.kill("SIGTERM");
    await ended;
    // Its own claim goes with it.
    rmSync(join(this.folder, ownClaimOf(podOf(name))), { recursive: true, force: true });
  }

  #terminate(pod: string, command: readonly string[]): string {
    if (command.join(" ") !== "kill -TERM 1") throw new Error(`error: unknown command ${command.join(" ")}`);
    if (!this.runners.find(({ name }) => podOf(name) === pod)?.process.kill("SIGTERM")) {
      throw new Error(`error: cannot exec in a stopped container of ${pod}`);
    }
    return "";
  }

  #create(manifest: string): string {
    const made = pod.parse(JSON.parse(manifest));
    this.#admit(made.spec);
    this.#pods.set(made.metadata.name, made);
    return `pod/${made.metadata.name} created\n`;
  }

  /** @throws Error for a pod that a strict cluster does not let be made, or cannot start */
  #admit({ containers, securityContext, imagePullSecrets }: Pod["spec"]): void {
    const { policy, secrets } = this.#options;
    for (const { image, securityContext: containerSecurityContext } of policy === undefined ? [] : containers) {
      const pod = { image, securityContext, containerSecurityContext, imagePullSecrets };
      const beyond = beyondRestricted(pod);
      if (beyond.length > 0)
        throw new Error(`Error from server (Forbidden): violates PodSecurity: ${beyond.join(", ")}`);
      const unpulled = policy && pullProblem(pod, policy, secrets);
      if (unpulled !== undefined) throw new Error(unpulled);
    }
  }

  #pod(name = ""): Pod {
    const found = this.#pods.get(name);
    if (found === undefined) throw new Error(`Error from server (NotFound): pods "${name}" not found`);
    return found;
  }

  /** Runs a command as in a pod, where the folder of its results is one here. */
  #exec(name: string, command: readonly string[]): ChildProcess {
    const results = this.#resultsOf(name);
    const [program = "", ...args] = command.map((word) => word.replace(/^\/results(?=\/|$)/, results));
    return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  }

  #resultsOf(pod: string): string {
    const runner = this.runners.find(({ name }) => podOf(name) === pod);
    if (runner !== undefined) return runner.results;
    const [volume] = this.#pod(pod).spec.volumes;
    const claim = volume?.persistentVolumeClaim.claimName ?? "";
    const user = this.runners.find(({ name }) => ownClaimOf(podOf(name)) === claim);
    if (user !== undefined && !hasEnded(user)) throw new Error(`Multi-Attach error for volume ${claim}`);
    if (!existsSync(join(this.folder, claim))) throw new Error(`persistentvolumeclaim "${claim}" not found`);
    return join(this.folder, claim);
  }
}

const CONTEXT = "played";
const CONFIGURATION = { "current-context": CONTEXT, contexts: [{ name: CONTEXT, context: { namespace: "loads" } }] };

/** A call without its place. @throws Error where it has none: the current context may have changed since the start of a run */
function placed([option, context, ...args]: readonly string[]): readonly string[] {
  if (option === "config") return [option];
  if (option !== "--context" || context !== CONTEXT || args[0] !== "--namespace") {
    throw new Error("error: the connection to the server localhost:8080 was refused");
  }
  return args.slice(2);
}

async function passOn(child: ChildProcess, reply: (part: Reply) => void): Promise<void> {
  child.stdout?.on("data", (data: Buffer) => reply({ out: data.toString("base64") }));
  child.stderr?.on("data", (data: Buffer) => reply({ err: data.toString() }));
  const [code] = await once(child, "close");
  reply({ code: z.number().catch(1).parse(code) });
}

const hasEnded = ({ process }: PlayedRunner): boolean => process.exitCode !== null || process.signalCode !== null;

/** A pod as Kubernetes describes it, as far as Assay reads that. */
function podItem(each: PlayedPod): object {
  const metadata = { name: podOf(each.name), labels: { "job-name": each.name } };
  if (!("process" in each)) {
    const { reason, message } = each;
    return item(metadata, "Pending", { waiting: { reason, message } });
  }
  if (!hasEnded(each)) return item(metadata, "Running", { running: {} });
  const exitCode = each.process.exitCode ?? 137;
  const reason = exitCode === 0 ? "Completed" : exitCode === 137 ? "OOMKilled" : "Error";
  return item(metadata, exitCode === 0 ? "Succeeded" : "Failed", { terminated: { exitCode, reason } });
}

function initializerItem(run: string, { initializer }: PlayedRun): object | undefined {
  const metadata = { name: `${run}-initializer-9mlbd`, labels: { "job-name": `${run}-initializer` } };
  if (initializer === "absent") return undefined;
  if (initializer === "running") return item(metadata, "Running", { running: {} });
  if (typeof initializer === "object") return item(metadata, "Pending", { waiting: initializer });
  const exitCode = initializer === "succeeded" ? 0 : 1;
  const reason = exitCode === 0 ? "Completed" : "Error";
  return item(metadata, exitCode === 0 ? "Succeeded" : "Failed", { terminated: { exitCode, reason } });
}

const item = (metadata: object, phase: string, state: object): object => ({
  ...{ kind: "Pod", metadata, status: { phase, containerStatuses: [{ state }] } },
});
