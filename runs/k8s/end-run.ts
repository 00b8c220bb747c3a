/** Ends a run in a cluster before its time: its runners get a SIGTERM, cancel their video tasks and complete their records. */

import { setTimeout } from "node:timers/promises";
import { type ClusterPart, isRunner } from "./cluster-state.ts";
import { type Kubectl, reasonIn } from "./kubectl.ts";
import { lookAt, TEST_RUN, type WatchOptions } from "./watch-run.ts";

/** The container of k6 in the pod of a runner, where k6 is the first process: k6-operator names it so. */
const CONTAINER = "k6";

/**
 * Deletes a TestRun, and waits for the end of its runners.
 * @returns whether all have ended, within `endMs`
 */
export async function endRun(options: WatchOptions): Promise<boolean> {
  await deleteRun(options);
  return untilNoneRuns(options, async () => undefined);
}

/** Ends the runners and leaves their pods, which hold their results. @returns as `endRun` */
export function endRunners(options: WatchOptions): Promise<boolean> {
  const told = new Set<string>();
  return untilNoneRuns(options, async (running) => {
    await Promise.all(
      running.map(async ({ name }) => {
        // k6 that gets a second signal leaves at once, with records that have no end.
        if (!told.has(name) && (await terminate(options.kubectl, name, options.say))) told.add(name);
      }),
    );
  });
}

async function deleteRun({ kubectl, name, say }: WatchOptions): Promise<void> {
  const { code, stderr } = await kubectl(["delete", TEST_RUN, name, "--ignore-not-found", "--wait=false"]);
  if (code !== 0) say(`kubectl delete failed: ${reasonIn(stderr)}`);
}

/** @returns whether the runner got the signal */
async function terminate(kubectl: Kubectl, pod: string, say: WatchOptions["say"]): Promise<boolean> {
  const { code, stderr } = await kubectl(["exec", pod, "--container", CONTAINER, "--", "kill", "-TERM", "1"]);
  if (code !== 0) say(`Cannot end ${pod} yet: ${reasonIn(stderr)}`);
  return code === 0;
}

async function untilNoneRuns(
  { kubectl, name, times, say, signal }: WatchOptions,
  tell: (running: readonly ClusterPart[]) => Promise<void>,
): Promise<boolean> {
  const startedMs = performance.now();
  while (!signal.aborted && performance.now() - startedMs < times.endMs) {
    const state = await lookAt(kubectl, name, say);
    const running = state?.parts.filter((part) => isRunner(part) && part.state === "running");
    if (running?.length === 0) return true;
    await tell(running ?? []);
    await setTimeout(times.pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
