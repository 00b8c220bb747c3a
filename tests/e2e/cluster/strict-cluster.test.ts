/**
 * The walk of docs/distributed.md through a cluster with block storage, a registry with a login and the profile `restricted`:
 * what a team is told that does not know what its cluster asks for, and what it types then, from an empty namespace to a report.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClusterState } from "../../../runs/k8s/cluster-state.ts";
import { stuckBeforeStart, whyNotStarted } from "../../../runs/k8s/stuck-run.ts";
import { k6ForLoads } from "../../../toolchain/k6.ts";
import { beyondRestricted, type Policy, pullProblem } from "../../support/cluster/cluster-policy.ts";
import { PlayedCluster } from "../../support/cluster/played-cluster.ts";
import { newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { clientLinesOf, recordsOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const RUNNERS = 2;
const POLICY: Policy = {
  registry: { host: "registry.example", secret: "registry-login" },
  accessMode: "ReadWriteOnce",
};

const page = readFileSync(fileURLToPath(new URL("../../../docs/distributed.md", import.meta.url)), "utf8");
const [, section = ""] = /^### Block storage.*\n([\s\S]*?)^### /m.exec(page) ?? [];
const blocks = [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, kind = "", text = ""]) => ({ kind, text }));
const lines = blocks.flatMap(({ kind, text }) => (kind === "" ? text.trim().split("\n") : []));
const patch = blocks.find(({ kind }) => kind === "yaml")?.text ?? "";
const runCommand = lines.find((line) => line.startsWith("assay k8s run ")) ?? "";

/** Does in the namespace what a command of the page would. @throws Error for one that it does not know */
function typed(command: string, secrets: Record<string, Record<string, string>>): void {
  const [, kind, name = "", rest = ""] =
    /^kubectl --namespace loads create secret (generic|docker-registry) (\S+) (.*)$/.exec(command) ?? [];
  if (kind === "generic") {
    const [, key = "", value = ""] = /^--from-literal=(\w+)=(.*)$/.exec(rest) ?? [];
    secrets[name] = { [key]: value };
  } else if (kind === "docker-registry" && rest.startsWith("--docker-server=registry.example ")) secrets[name] = {};
  else if (!/^(docker (pull|tag|push)|kubectl (create|label) namespace loads)( |$)/.test(command)) {
    throw new Error(`The cluster does not know ${command}`);
  }
}

const [folder, secrets] = [newFolder(), {} as Record<string, Record<string, string>>];
let cluster: PlayedCluster;
let target = "";
beforeAll(async () => {
  const [mock, k6] = await Promise.all([startMockProcess("--timing", "fast"), k6ForLoads()]);
  target = mock.url;
  cluster = new PlayedCluster({ k6: k6.path, secrets, policy: POLICY });
  writeFileSync(join(folder, "cluster.yaml"), patch);
  for (const line of lines) if (!line.startsWith("assay ")) typed(line, secrets);
});
afterAll(() => cluster.close());

/** Runs the command of the page with a small load. */
function run(name: string, duration: string) {
  const args = runCommand
    .replace("https://inference.example", target)
    .replace("--rate 400 --runners 4", `--rate 30 --runners ${RUNNERS}`)
    .split(" ")
    .slice(1);
  const load = ["--warmup", "0s", "--duration", duration, "--run-name", name, "--out", join(folder, name)];
  return startAssay([...args, ...load], cluster.env, folder);
}

describe("a team that does not know what its cluster asks for", () => {
  const own = { image: "registry.example/assay-runner:0.1.0" };
  const waits = (role: string, reason: string, message = ""): ClusterState => ({
    ...{ stage: role === "starter" ? "started" : "created", parallelism: 1 },
    parts: [{ role, name: `a-run-${role}-x`, state: "waiting", reason, message }],
  });

  test.each([
    [
      "a login for its registry",
      "initializer",
      pullProblem(own, POLICY, {}),
      /401.*imagePullSecrets in --patch/,
      "--patch",
    ],
    [
      "the starter's image in its registry",
      "starter",
      pullProblem({}, POLICY, {}),
      /i\/o timeout.*--starter-image/,
      "--starter-image",
    ],
    [
      "claims of one node",
      "1",
      "pod has unbound immediate PersistentVolumeClaims",
      /not bound.*ReadWriteOnce/,
      "--results-mode ReadWriteOnce",
    ],
  ])("is told of %s, by what the command of the page has", (_of, role, message, told, option) => {
    const state = waits(role, role === "1" ? "Unschedulable" : "ImagePullBackOff", message);
    expect((stuckBeforeStart(state, "a-run") ?? whyNotStarted(state, "a-run")).sentence).toMatch(told);
    expect(runCommand).toContain(option);
  });
});

describe("what the page says", () => {
  const claims = (name: string): string[] =>
    readdirSync(cluster.folder).filter((file) => file.startsWith(`${name}-`) && file.endsWith("-results"));

  test("leads to a merged report of runners on nodes of their own", async () => {
    const { code, stderr } = await run("walked", "2s").ended;
    expect(code, stderr).not.toBe(3);
    expect(stderr).toContain(`each of ${RUNNERS} claims gets 1 GiB`);
    expect(stderr).toContain(`Collected ${RUNNERS} of ${RUNNERS} runners`);
    const { counts, segments, validity } = resultOf(join(folder, "walked"));
    expect({ segments, offered: counts.offered, ok: counts.ok }).toEqual({ segments: RUNNERS, offered: 60, ok: 60 });
    expect(validity.verdict).not.toBe("INVALID");
    // Their pods hold the results until the user removes them.
    expect([cluster.pods, cluster.testRuns, claims("walked")]).toEqual([
      [],
      ["walked"],
      [1, 2].map((number) => `walked-${number}-x7c2k-results`),
    ]);
    expect(stderr).toContain(`In the cluster: ConfigMap and TestRun with ${RUNNERS} claims of 1.0 GiB walked.`);
  });

  test("ends runners that a user interrupts without losing what they hold", async () => {
    const running = run("interrupted", "10m");
    const started = () => {
      const found = cluster.runnersOf("interrupted");
      return found.length === RUNNERS && found.every(({ results }) => hasRecords(results));
    };
    await vi.waitUntil(started, { timeout: 60_000 });
    running.child.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(2);
    expect(stderr).toContain("Interrupted: ending its runners, which complete their records.");
    const { interrupted, counts, validity } = resultOf(join(folder, "interrupted"));
    expect(interrupted).toBe(true);
    expect(validity.verdict).not.toBe("INVALID");
    expect(counts.started).toBeGreaterThan(0);
    for (const runner of readdirSync(join(folder, "interrupted", "runners"))) {
      const last = clientLinesOf(join(folder, "interrupted", "runners", runner)).at(-1);
      expect(last).toMatchObject({ final: true, stopped: expect.any(String) });
    }
    expect(cluster.testRuns).toContain("interrupted");
    expect(claims("interrupted")).toHaveLength(RUNNERS);
  });
});

const hasRecords = (results: string): boolean =>
  existsSync(join(results, "records.jsonl")) && recordsOf(results).length > 0;

test("the profile restricted refuses a pod for each of its rules", () => {
  expect(beyondRestricted({})).toHaveLength(4);
  const drop = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const user = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" as const } };
  expect(beyondRestricted({ securityContext: user, containerSecurityContext: drop })).toEqual([]);
  expect(beyondRestricted({ securityContext: { ...user, runAsUser: 0 }, containerSecurityContext: drop })).toEqual([
    "runAsUser=0",
  ]);
});
