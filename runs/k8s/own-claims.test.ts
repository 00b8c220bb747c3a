/** Runs whose runners have a claim of their own each: it goes with their pods, which therefore stay until it is collected. */

import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { collectResults } from "./collect-results.ts";
import { endRunners } from "./end-run.ts";
import { keptIn } from "./kept-results.ts";
import type { Kubectl, KubectlEnd } from "./kubectl.ts";
import { collectFromK8s } from "./run-k8s.ts";

const NAME = "a-run";
const ended = (stdout = "", stderr = "", code = 0): KubectlEnd => ({ code, stdout, stderr });

const OWN = [{ name: "results", ephemeral: { volumeClaimTemplate: {} } }];
const testRun = (stage: string) =>
  JSON.stringify({ spec: { parallelism: 3, runner: { image: "i", volumes: OWN } }, status: { stage } });
const pods = (...phases: readonly string[]) =>
  JSON.stringify({
    items: phases.map((phase, index) => ({
      kind: "Pod",
      metadata: { name: `${NAME}-${index + 1}-x`, labels: { "job-name": `${NAME}-${index + 1}` } },
      status: { phase },
    })),
  });

/** A kubectl on a cluster whose runners are in these phases. */
function clusterWith(phases: () => readonly string[], answer: (call: string) => KubectlEnd | undefined) {
  const calls: string[] = [];
  const kubectl: Kubectl = async (args) => {
    const call = args.join(" ");
    calls.push(call);
    if (args[1] === "testruns.k6.io") return ended(testRun("started"));
    if (args[1] === "jobs,pods") return ended(pods(...phases()));
    return answer(call) ?? ended();
  };
  return { kubectl, calls };
}

test("are ended by one signal each, which is sent again where it did not arrive, and their pods stay", async () => {
  const phases = ["Running", "Running", "Succeeded"];
  let refusals = 0;
  const { kubectl, calls } = clusterWith(
    () => phases,
    (call) => {
      const [, number] = /^exec a-run-(\d)-x --container k6 -- kill -TERM 1$/.exec(call) ?? [];
      if (number === "2" && refusals++ === 0) return ended("", "error: the connection was refused", 1);
      // The first takes longer: it cancels video tasks.
      if (number === "2") phases.fill("Failed");
      return undefined;
    },
  );
  const said: string[] = [];
  const times = { pollMs: 1, soonMs: 60_000, startMs: 60_000, endMs: 60_000 };
  const options = {
    ...{ kubectl, name: NAME, place: {}, times, startOption: "--start-timeout" as const },
    ...{ say: (line: string) => void said.push(line), signal: new AbortController().signal },
  };
  expect(await endRunners(options)).toBe(true);
  expect(calls.filter((call) => call.startsWith("exec")).sort()).toEqual([
    "exec a-run-1-x --container k6 -- kill -TERM 1",
    "exec a-run-2-x --container k6 -- kill -TERM 1",
    "exec a-run-2-x --container k6 -- kill -TERM 1",
  ]);
  expect(calls.filter((call) => call.startsWith("delete"))).toEqual([]);
  expect(said).toEqual(["Cannot end a-run-2-x yet: error: the connection was refused"]);
});

/** Collects the run. */
const collected = (kubectl: Kubectl) => {
  const said: string[] = [];
  const progress = { say: (line: string) => void said.push(line), show: () => undefined, end: () => undefined };
  const task = { kubectl, name: NAME, folder: newFolder(), progress, place: {} };
  return { said, result: collectFromK8s(task, {}, { endTimeout: 0 }) };
};

test("are read one by one where they have ended, by pods that are removed", async () => {
  const { kubectl, calls } = clusterWith(
    () => ["Succeeded", "Succeeded", "Failed"],
    () => undefined,
  );
  await expect(collected(kubectl).result).rejects.toThrow(/no runner left records/);
  const made = (verb: string) => calls.filter((call) => call.startsWith(`${verb} pod/`)).sort();
  const readers = [1, 2, 3].map((number) => `pod/a-run-${number}-reader`);
  expect([...new Set(made("delete").map((call) => call.split(" ")[1]))]).toEqual(readers);
  expect(calls.filter((call) => call.startsWith("wait")).map((call) => call.split(" ")[2])).toEqual(readers);
});

test("are not said to be ended by what deletes them", async () => {
  const { kubectl } = clusterWith(
    () => ["Running", "Running", "Running"],
    () => undefined,
  );
  await expect(collected(kubectl).result).rejects.toThrow(
    /^Cannot collect a-run yet: runners 1 to 3 still run\. Wait for its end, or end it: kubectl exec POD --container k6 -- kill -TERM 1/,
  );
});

test("are all copied, but for those that cannot be, before that is said", async () => {
  const { kubectl, calls } = clusterWith(
    () => [],
    (call) => (call.startsWith("wait --for=condition=Ready pod/a-run-1-") ? ended("", "timed out", 1) : undefined),
  );
  const claims = [1, 2].map((number) => ({ name: `a-run-${number}-x-results`, of: `a-run-${number}` }));
  const run = { kubectl, name: NAME, place: {}, image: "i", claims, folder: newFolder(), say: () => undefined };
  await expect(collectResults({ ...run, signal: new AbortController().signal })).rejects.toThrow(
    /^Cannot read the claim a-run-1-x-results: .*timed out/,
  );
  expect(calls.some((call) => call.startsWith("exec a-run-2-reader"))).toBe(true);
});

test("are told from a claim that runners share", () => {
  expect(keptIn(OWN)).toBe("a claim of each");
  expect(keptIn([{ name: "results", persistentVolumeClaim: { claimName: "kept" } }])).toEqual({ claim: "kept" });
  expect(keptIn([{ name: "other", ephemeral: {} }])).toBeUndefined();
});
