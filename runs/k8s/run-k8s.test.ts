import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../cli/command-settings.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { planPortable } from "../bundle/portable-load.ts";
import { collectResults } from "./collect-results.ts";
import { endRun } from "./end-run.ts";
import type { Kubectl, KubectlEnd } from "./kubectl.ts";
import { RESULTS_FOLDER } from "./manifests.ts";
import { planK8s } from "./plan-k8s.ts";
import { reportRunners, troublesOf } from "./report-runners.ts";
import { collectFromK8s, runOnK8s } from "./run-k8s.ts";
import { type WatchTimes, watchRun } from "./watch-run.ts";

const NAME = "a-run";
const ended = (stdout = "", stderr = "", code = 0): KubectlEnd => ({ code, stdout, stderr });

/** A TestRun in a stage and the phases of its runners; `gone`: it was deleted. */
interface Look {
  readonly stage: string;
  readonly runners?: readonly string[];
  /** Phase of the starter. */
  readonly starter?: string;
  /** Runners whose pods were deleted, while their Jobs are there. */
  readonly drained?: readonly number[];
  /** Phase of the claim of the results. */
  readonly claim?: string;
}

/** Events of a namespace: of a claim, and of a run whose name begins alike. */
const EVENTS = [
  ["PersistentVolumeClaim", NAME, "ProvisioningFailed", "only SINGLE_NODE_WRITER is supported"],
  ["Pod", "a-running-pod", "BackOff", "not of the run"],
].map(([kind, name, reason, message]) => ({
  ...{ involvedObject: { kind, name }, reason, message, lastTimestamp: "2030-01-02T03:04:05Z" },
}));

/** A kubectl to which the cluster shows one state after the other, and then the last one. */
function showing(...looks: readonly Look[]): { readonly kubectl: Kubectl; readonly calls: string[] } {
  const calls: string[] = [];
  let seen = 0;
  const kubectl: Kubectl = async (args) => {
    calls.push(args.join(" "));
    const look = looks[Math.min(seen, looks.length - 1)] ?? { stage: "" };
    if (args[1] === "jobs,pods") {
      seen += 1;
      const phases = Object.entries(look.runners ?? []).map(([index, phase]) => [String(Number(index) + 1), phase]);
      const items = [...phases, ...(look.starter === undefined ? [] : [["starter", look.starter]])].map(
        ([role, phase]) => ({
          kind: "Pod",
          metadata: { name: `${NAME}-${role}-x`, labels: { "job-name": `${NAME}-${role}` } },
          status: { phase },
        }),
      );
      const jobs = (look.drained ?? []).map((number) => ({
        kind: "Job",
        metadata: { name: `${NAME}-${number}` },
        status: { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
      }));
      return ended(
        JSON.stringify({ items: [...items.filter((_, index) => !look.drained?.includes(index + 1)), ...jobs] }),
      );
    }
    if (args[1] === "events") return ended(JSON.stringify({ items: EVENTS }));
    if (args[1] === "pvc")
      return ended(look.claim === undefined ? "" : JSON.stringify({ status: { phase: look.claim } }));
    if (args[0] === "logs") return ended(`starts\ncannot open the folder of ${args[1]}\n`);
    if (look.stage === "unreachable") return ended("", "The connection to the server was refused.", 1);
    if (args[0] !== "get" || look.stage === "gone") return ended();
    return ended(JSON.stringify({ spec: { parallelism: 2, runner: {} }, status: { stage: look.stage } }));
  };
  return { kubectl, calls };
}

const QUICK: WatchTimes = { pollMs: 1, soonMs: 60_000, startMs: 60_000, endMs: 60_000 };

function watch(looks: readonly Look[], times: Partial<WatchTimes> = {}, signal = new AbortController().signal) {
  const lines: string[] = [];
  const { kubectl, calls } = showing(...looks);
  const options = {
    kubectl,
    name: NAME,
    place: {},
    claimName: NAME,
    times: { ...QUICK, ...times },
    startOption: "--start-timeout" as const,
    say: (line: string) => void lines.push(line),
    signal,
  };
  return { watched: watchRun(options), lines, calls, options };
}

describe("a watch", () => {
  const started = { stage: "started", runners: ["Running", "Running"] };

  test("ends with the last runner, without waiting until k6-operator looks", async () => {
    const { watched, lines } = watch([
      { stage: "created" },
      started,
      { stage: "started", runners: ["Succeeded", "Failed"] },
    ]);
    expect(await watched).toEqual({ how: "ended" });
    expect(lines).toContain("TestRun: started");
    expect(lines.at(-1)).toBe("runners 1, 2: ended");
  });

  test("ends with the runners of a TestRun that somebody deletes, and not before it has started", async () => {
    const deleted = [started, { stage: "gone", runners: ["Running"] }, { stage: "gone" }];
    expect(await watch(deleted).watched).toEqual({ how: "ended" });
    expect(await watch([{ stage: "created" }, { stage: "gone" }]).watched).toMatchObject({ how: "stuck" });
  });

  test.each<[string, Look, Partial<WatchTimes>, RegExp]>([
    [
      "does not take a run for started whose starter cannot start",
      { ...started, starter: "Pending" },
      { startMs: 5 },
      /^the starter, which starts the runners/,
    ],
    [
      "does not take the end of a runner before the start for the end of the run",
      { stage: "created", runners: ["Succeeded", "Running"] },
      {},
      /^runner 1 ended before the start/,
    ],
    [
      "of a run that does not start ends by itself, with what to do",
      { stage: "initialization" },
      { startMs: 5 },
      /initializer.*\(waited 5ms, --start-timeout\)$/,
    ],
  ])("%s", async (_, look, times, why) => {
    expect(await watch([look], times).watched).toMatchObject({ how: "stuck", why: expect.stringMatching(why) });
  });

  test("quotes what the cluster says of a run before it is deleted: events of the run, and the ends of logs", async () => {
    const { watched } = watch([{ stage: "created", runners: ["Failed", "Running"] }]);
    expect(await watched).toMatchObject({
      look: "kubectl logs a-run-1-x",
      lastWords: [
        "event of PersistentVolumeClaim a-run: ProvisioningFailed: only SINGLE_NODE_WRITER is supported",
        "log of a-run-1-x: starts",
        "log of a-run-1-x: cannot open the folder of a-run-1-x",
      ],
    });
  });

  test("says after a minute that the claim keeps the runners, and why, and goes on waiting", async () => {
    const waiting = { stage: "created", runners: ["Pending", "Running"], claim: "Pending" };
    const { watched, lines } = watch([waiting, waiting, waiting, waiting, { stage: "finished" }], { soonMs: 1 });
    expect(await watched).toEqual({ how: "ended" });
    expect(lines.filter((line) => /^Not started yet|^event/.test(line))).toEqual([
      expect.stringMatching(
        /^Not started yet: runner 1 did not start, and the claim a-run is Pending\. .*ReadWriteMany.*Waiting up to 1m \(--start-timeout\)\.$/,
      ),
      "event of PersistentVolumeClaim a-run: ProvisioningFailed: only SINGLE_NODE_WRITER is supported",
    ]);
  });

  test("ends with the last runner where the pod of another was deleted, as when its node is drained", async () => {
    const drained = { stage: "started", runners: ["Succeeded", "Running"], drained: [2] };
    const { watched, lines } = watch([started, drained]);
    expect(await watched).toEqual({ how: "ended" });
    expect(lines).toContain("runner 2: ended: its pod was deleted, as when a node is drained");
  });

  test("ends when a condition on the load holds", async () => {
    const stop = { schema: "assay.stop/1" as const, cause: "gone" as const, t: 3, reason: "no response" };
    const { options } = watch([started]);
    expect(await watchRun({ ...options, follower: { look: async () => stop } })).toEqual({ how: "stopped", stop });
  });

  test("of a run that does not end ends by itself, and names who goes on", async () => {
    const { watched } = watch([started], { endMs: 5 });
    expect(await watched).toEqual({ how: "overdue", why: "runners 1, 2 still run" });
  });

  test("goes on where kubectl fails for a while", async () => {
    const { watched, lines } = watch([{ stage: "unreachable" }, { stage: "finished" }]);
    expect(await watched).toEqual({ how: "ended" });
    expect(lines[0]).toBe("kubectl get failed, and is tried again: The connection to the server was refused");
  });

  test.each(["", "no JSON", "[]", "{}", '{"items":[{}]}'])("goes on where kubectl prints %j", async (odd) => {
    const shown = showing({ stage: "finished" });
    let looks = 0;
    const kubectl: Kubectl = async (args) => {
      const answer = await shown.kubectl(args);
      return args[1] === "jobs,pods" && ++looks < 3 ? { ...answer, stdout: odd } : answer;
    };
    const { options, lines } = watch([]);
    expect(await watchRun({ ...options, kubectl })).toEqual({ how: "ended" });
    expect(lines[0]).toMatch(/^kubectl get printed something else than was asked for, and is tried again/);
  });

  test("is ended by an interrupt while kubectl gives no answer", async () => {
    const leave = new AbortController();
    const { options } = watch([]);
    let looks = 0;
    const kubectl: Kubectl = (_args, { signal } = {}) => {
      looks += 1;
      if (looks > 2) return Promise.resolve(ended("", "no answer", 1));
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const watched = watchRun({ ...options, kubectl, signal: leave.signal });
    leave.abort();
    expect(await watched).toEqual({ how: "interrupted", hadStarted: false });
  });

  test("that is interrupted says whether runners were at work", async () => {
    const leave = AbortSignal.abort();
    expect(await watch([started], {}, leave).watched).toEqual({ how: "interrupted", hadStarted: true });
    const paused = { stage: "created", runners: ["Running", "Running"] };
    expect(await watch([paused], {}, leave).watched).toEqual({ how: "interrupted", hadStarted: false });
    const resumed = { ...paused, starter: "Running" };
    expect(await watch([resumed], {}, leave).watched).toEqual({ how: "interrupted", hadStarted: true });
    expect(await watch([{ stage: "initialization" }], {}, leave).watched).toEqual({
      how: "interrupted",
      hadStarted: false,
    });
  });

  test("that ends a run waits until no runner is left", async () => {
    const { options, calls } = watch([started, { stage: "gone", runners: ["Running"] }, { stage: "gone" }]);
    expect(await endRun(options)).toBe(true);
    expect(calls).toContain(`delete testruns.k6.io ${NAME} --ignore-not-found --wait=false`);
    const late = watch([{ stage: "gone", runners: ["Running"] }], { endMs: 5 });
    expect(await endRun(late.options)).toBe(false);
  });
});

/** What is run or collected, and the lines that are said of it. */
function taskWith(kubectl: Kubectl, namespace?: string) {
  const lines: string[] = [];
  const progress = { say: (line: string) => void lines.push(line), show: () => undefined, end: () => undefined };
  const task = {
    kubectl,
    name: NAME,
    folder: newFolder(),
    progress,
    place: namespace === undefined ? {} : { context: "a", namespace },
  };
  return { task, lines };
}

describe("a user who leaves", () => {
  const load = planPortable("chat", { target: "http://host" }, { env: {} });
  const planned = async (more: Readonly<Record<string, string>> = {}) => {
    const { values } = resolveSettings("k8s", { runners: "2", image: "i", runName: NAME, ...more }, { env: {} });
    return planK8s(load, values, new Date(0));
  };
  const allowed = { startTimeout: 60_000, endTimeout: 60_000 };
  /** Presses Ctrl-C at each of these calls, and gives what is told at the end. */
  const leavingAt = async (at: (call: string) => boolean, looks: readonly Look[], more = {}): Promise<string> => {
    const shown = showing(...looks);
    const kubectl: Kubectl = async (args, options) => {
      if (at(args.join(" "))) process.emit("SIGINT");
      options?.signal?.throwIfAborted();
      return shown.kubectl(args, options);
    };
    const told: unknown = await runOnK8s(taskWith(kubectl).task, await planned(more), load, allowed).catch(
      (error: unknown) => error,
    );
    return told instanceof Error ? told.message : "";
  };
  const started = { stage: "started", runners: ["Running", "Running"] };

  test("is not told to delete what is deleted, and is told all that collecting needs", async () => {
    let looks = 0;
    const watchedAndEnded = (call: string) => {
      if (call.startsWith("get jobs,pods")) looks += 1;
      return call.startsWith("delete") || (looks === 1 && call.startsWith("get jobs,pods"));
    };
    expect(await leavingAt(watchedAndEnded, [{ stage: "gone" }, started], { resultsClaim: "kept" })).toBe(
      "Left a-run before its results were collected. Its TestRun is deleted, and its runners end. What they write stays in the claim: assay k8s collect a-run --image i --results-claim kept fetches it.",
    );
  });

  test("before the run was applied is told of no runners", async () => {
    let calls = 0;
    const both = (): boolean => {
      if (calls++ === 0) process.emit("SIGINT");
      return true;
    };
    expect(await leavingAt(both, [{ stage: "gone" }])).toBe("Left a-run before it was applied.");
  });

  test("while a run that has ended is collected has left at the first Ctrl-C, and is told of no runners", async () => {
    const shown = showing({ stage: "gone" });
    const kubectl: Kubectl = async (args, options) => {
      if (args[0] === "create") process.emit("SIGINT");
      options?.signal?.throwIfAborted();
      return shown.kubectl(args, options);
    };
    await expect(collectFromK8s(taskWith(kubectl).task, { image: "i" }, { endTimeout: 0 })).rejects.toThrow(
      "Left a-run before its results were collected. What they write stays in the claim: assay k8s collect a-run fetches it.",
    );
  });
});

describe("a command that the user is told to run names the place of the run", () => {
  const given = { image: "i" };
  const started = showing({ stage: "started", runners: ["Running", "Running"] }).kubectl;

  test.each(["no JSON", "[]", "{}"])("what kubectl prints in place of a TestRun: %s", async (odd) => {
    const { task } = taskWith(async () => ended(odd));
    await expect(collectFromK8s(task, given, { endTimeout: 0 })).rejects.toThrow(
      `Cannot look for the run a-run: kubectl printed something else than was asked for: ${odd}. Check the context`,
    );
  });

  test.each([
    ["loads", " --context a --namespace loads"],
    [undefined, ""],
  ])("%s", async (namespace, named) => {
    const again = taskWith(started, namespace).task;
    await expect(collectFromK8s(again, given, { endTimeout: 0 })).rejects.toThrow(
      new RegExp(`end it: kubectl delete testruns.k6.io a-run${named}$`),
    );
    const load = planPortable("chat", { target: "http://host" }, { env: {} });
    const { values } = resolveSettings("k8s", { runners: "2", image: "i", runName: NAME }, { env: {} });
    const plan = await planK8s(load, values, new Date(0));
    const allowed = { startTimeout: 0, endTimeout: 0 };
    await expect(runOnK8s(again, plan, load, allowed)).rejects.toThrow(new RegExp(`assay k8s collect a-run${named}$`));
    const failing = taskWith(showing({ stage: "gone" }).kubectl, namespace);
    await expect(runOnK8s(failing.task, plan, load, allowed)).rejects.toThrow(
      /^Cannot run a-run: the TestRun was deleted/,
    );
    expect(failing.lines.join("\n")).toMatch(
      new RegExp(
        `In the cluster: ConfigMap and claim of 1\\.0 GiB a-run\\. Remove: kubectl delete .*/manifests${named}`,
      ),
    );
    const stuck = taskWith(showing({ stage: "initialization" }).kubectl, namespace);
    await expect(collectFromK8s(stuck.task, given, { endTimeout: 0 })).rejects.toThrow(
      `See kubectl logs -l k6_cr=a-run${named}, and check`,
    );
    expect(stuck.lines.find((line) => line.startsWith("The run did not start"))).toMatch(
      // The option that collect has.
      new RegExp(`waited 0s, --end-timeout\\)\\. See kubectl logs -l job-name=a-run-initializer${named}$`),
    );
    const { kubectl } = claimOf(HALVES, (call) => !call.includes("tail"));
    await expect(collectFromK8s(taskWith(kubectl, namespace).task, given, { endTimeout: 0 })).rejects.toThrow(
      new RegExp(`try again with assay k8s collect a-run${named}\\.$`),
    );
  });
});

/** A claim with the results of runners, by segment, and a kubectl that reads it. */
function claimOf(
  segments: Readonly<Record<string, string>>,
  change: (call: readonly string[]) => boolean = () => true,
) {
  const claim = newFolder();
  for (const [runner, segment] of Object.entries(segments)) {
    const folder = join(claim, NAME, runner);
    mkdirSync(folder, { recursive: true });
    const { records, client } = makeRun({ segment, warmupS: 0, durationS: 2 });
    writeFileSync(join(folder, "records.jsonl"), `${records.join("\n")}\n`);
    writeFileSync(join(folder, "client.jsonl"), `${client.join("\n")}\n`);
    writeFileSync(join(folder, "other.txt"), "not of a runner");
  }
  const pods = new Set<string>();
  const kubectl: Kubectl = async (args, { input, into } = {}) => {
    if (args[0] === "create") pods.add(JSON.parse(input ?? "").metadata.name);
    if (args[0] === "delete") pods.delete(args[1]?.slice(4) ?? "");
    if (args[0] !== "exec") return ended();
    const [program = "", ...rest] = args.slice(3).map((word) => word.replace(RESULTS_FOLDER, claim));
    const { stdout, stderr, status } = spawnSync(program, rest, { encoding: "utf8" });
    const isWhole = change(args);
    const passed = isWhole ? stdout : stdout.slice(0, stdout.length / 2);
    if (into !== undefined) writeFileSync(into, passed, { flag: "a" });
    return ended(into === undefined ? passed : "", stderr, isWhole ? (status ?? 1) : 1);
  };
  const folder = newFolder();
  const collection = {
    name: NAME,
    place: {},
    image: "i",
    claims: [{ name: NAME, of: NAME }],
    folder,
    kubectl,
    say: () => undefined,
  };
  return {
    claim,
    pods,
    folder,
    kubectl,
    collect: () => collectResults({ ...collection, signal: new AbortController().signal }),
  };
}

const HALVES = { "a-run-1": "0:1/2", "a-run-2": "1/2:1" };

describe("collecting", () => {
  test("copies what runners wrote, and only that, and removes its pod", async () => {
    const { collect, claim, pods } = claimOf({ ...HALVES, "a-run-reader": "0:1" });
    const folders = await collect();
    expect([...folders.keys()]).toEqual(["a-run-1", "a-run-2"]);
    for (const [runner, folder] of folders) {
      for (const file of ["records.jsonl", "client.jsonl"]) {
        expect(readFileSync(join(folder, file), "utf8")).toBe(readFileSync(join(claim, NAME, runner, file), "utf8"));
      }
    }
    expect([...pods]).toEqual([]);
  });

  test("goes on where a connection broke", async () => {
    let broken = 0;
    const { collect, claim } = claimOf(HALVES, (call) => !call.includes("tail") || ++broken > 2);
    const [folder = ""] = (await collect()).values();
    expect(broken).toBeGreaterThan(2);
    expect(readFileSync(join(folder, "records.jsonl"), "utf8")).toBe(
      readFileSync(join(claim, NAME, "a-run-1", "records.jsonl"), "utf8"),
    );
  });

  test("goes on for as long as each connection brings something", async () => {
    let broken = 0;
    const { collect, claim } = claimOf({ "a-run-1": "0:1/2" }, (call) => !call.includes("tail") || ++broken > 12);
    const [folder = ""] = (await collect()).values();
    expect(readFileSync(join(folder, "records.jsonl"), "utf8")).toBe(
      readFileSync(join(claim, NAME, "a-run-1", "records.jsonl"), "utf8"),
    );
  });

  test("fails when a file cannot be copied whole, and removes its pod", async () => {
    const { collect, pods } = claimOf(HALVES, (call) => !call.includes("tail"));
    await expect(collect()).rejects.toThrow(/^Cannot copy .*: \d+ of \d+ bytes arrived .*assay k8s collect a-run/);
    expect([...pods]).toEqual([]);
  });

  test("fails without results of that name", async () => {
    const { collect, pods } = claimOf({});
    await expect(collect()).rejects.toThrow(/^Cannot find the results of a-run: .*--results-claim/);
    expect([...pods]).toEqual([]);
  });

  test("names a runner that left nothing, and one that was killed; the report counts their share as not started", async () => {
    const { collect, claim, folder } = claimOf({ "a-run-1": "0:1/3", "a-run-2": "1/3:2/3" });
    const client = join(claim, NAME, "a-run-2", "client.jsonl");
    writeFileSync(client, `${readFileSync(client, "utf8").split("\n")[0]}\n`);
    const collected = { name: NAME, place: {}, parallelism: 3, folders: await collect() };
    expect(await troublesOf(collected)).toEqual([
      "a-run-3 left no records: it ended before its load began",
      "a-run-2 was killed: its records have no end",
    ]);
    const run = await reportRunners(collected, folder, true);
    expect(run.validity.reasons[0]).toMatch(
      /segment 3\/3 is missing: .*; segment 2\/3 was killed before the end; 40 arrivals/,
    );
    expect(run).toMatchObject({ exitCode: 2, counts: { offered: 120 } });
  });

  test("names a runner that was stopped while others went on, and none where all were", async () => {
    const { claim } = claimOf(HALVES);
    const stop = (runner: string) => {
      const client = join(claim, NAME, runner, "client.jsonl");
      writeFileSync(
        client,
        readFileSync(client, "utf8").replace('"final":true', '"final":true,"stopped":"terminated"'),
      );
    };
    stop("a-run-2");
    const folders = new Map(Object.keys(HALVES).map((runner) => [runner, join(claim, NAME, runner)]));
    const collected = { name: NAME, place: {}, parallelism: 2, folders };
    expect(await troublesOf(collected)).toEqual([
      "a-run-2 was stopped before the end of the load, as when a node is drained",
    ]);
    stop("a-run-1");
    expect(await troublesOf(collected)).toEqual([]);
  });

  /** Collects the run, as after its TestRun was deleted: only the results say how many runners it had. */
  async function collectWithoutTestRun(kubectl: Kubectl) {
    const { task, lines } = taskWith(kubectl);
    const run = await collectFromK8s(task, { image: "i" }, { endTimeout: 1 });
    return { run, lines };
  }

  test.each([
    ["left no folder", (claim: string) => rmSync(join(claim, NAME, "a-run-2"), { recursive: true })],
    ["left empty records", (claim: string) => writeFileSync(join(claim, NAME, "a-run-2", "records.jsonl"), "")],
  ])("of a deleted TestRun misses the runner that %s", async (_, lose) => {
    const { claim, kubectl } = claimOf(HALVES);
    lose(claim);
    const { run, lines } = await collectWithoutTestRun(kubectl);
    expect(run.validity.reasons.join()).toMatch(/segment 2\/2 is missing: .* 40 arrivals/);
    expect(run).toMatchObject({ exitCode: 2, counts: { offered: 80, not_started: 40 } });
    expect(lines).toContain("a-run-2 left no records: it ended before its load began.");
  });

  test("of a deleted TestRun that had one runner is a whole load", async () => {
    const { run } = await collectWithoutTestRun(claimOf({ "a-run-1": "" }).kubectl);
    expect(run).toMatchObject({ interrupted: false, counts: { offered: 40, not_started: 0 } });
    expect(run.validity.reasons.join()).not.toContain("missing");
  });

  test("of nothing at all is no report", async () => {
    const none = { name: NAME, place: {}, parallelism: 3, folders: new Map<string, string>() };
    await expect(reportRunners(none, newFolder(), true)).rejects.toThrow(
      /^Cannot report on a-run: no runner left records\./,
    );
  });
});
