/** Follows a run in a cluster until it has ended, is stuck, or takes too long. */

import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { Stop } from "../../formats/stop.ts";
import { parseJson } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import { formatDuration } from "../../settings/units.ts";
import {
  type ClusterState,
  type FoundTestRun,
  foundItems,
  foundTestRun,
  isRunner,
  starterWorks,
  stateOf,
  unstartedBy,
} from "./cluster-state.ts";
import type { RunnerFollower } from "./follow-runners.ts";
import { endedBy, type Kubectl, type Place, reasonIn } from "./kubectl.ts";
import { lastWordsOf } from "./last-words.ts";
import { changesBetween } from "./state-lines.ts";
import { type Explained, type FoundClaim, stuckBeforeStart, whyNotEnded, whyNotStarted } from "./stuck-run.ts";

/** The resource of k6-operator, with its group: others define a TestRun too. */
export const TEST_RUN = "testruns.k6.io";

/** Times of a watch, in milliseconds. */
export interface WatchTimes {
  /** Between two looks at the cluster. */
  readonly pollMs: number;
  /** A pod that waits for a reason that rarely passes gets this long; after it, the user is told what else keeps the run. */
  readonly soonMs: number;
  /** From now to the start of the runners. */
  readonly startMs: number;
  /** From that, or from now for a run that has started, to the end of all of them. */
  readonly endMs: number;
}

/** How a watch ended. */
export type Watched =
  /** All runners have ended, or were deleted. */
  | { readonly how: "ended" }
  /** No runner started. `lastWords`: what the cluster says of its pods; `look`: the command that shows more while they are there. */
  | { readonly how: "stuck"; readonly why: string; readonly look?: string; readonly lastWords: readonly string[] }
  /** Not all runners ended in their time. */
  | { readonly how: "overdue"; readonly why: string }
  /** A condition on the load holds. */
  | { readonly how: "stopped"; readonly stop: Stop }
  /** By its user. `hadStarted`: runners were at work, or about to be. */
  | { readonly how: "interrupted"; readonly hadStarted: boolean };

export interface WatchOptions {
  readonly kubectl: Kubectl;
  readonly name: string;
  /** Of `kubectl`, for hints. */
  readonly place: Place;
  /** Of the results; absent: each runner has its own. */
  readonly claimName?: string;
  readonly times: WatchTimes;
  /** The option that limits the time to the start of the runners. */
  readonly startOption: "--start-timeout" | "--end-timeout";
  /** Follows the conditions that end the load; absent: it has none. */
  readonly follower?: Pick<RunnerFollower, "look"> | undefined;
  /** Is told of each change. */
  readonly say: (line: string) => void;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** Watches a run that was applied. It concludes nothing from exit codes of runners, which k6-operator ignores too. */
export async function watchRun(options: WatchOptions): Promise<Watched> {
  const { kubectl, name, place, times, follower, say, signal } = options;
  const startedMs = performance.now();
  const passed = (): number => performance.now() - startedMs;
  let before: ClusterState | undefined;
  let runningSinceMs: number | undefined;
  let blockedSinceMs: number | undefined;
  let isExplained = false;
  while (!signal.aborted) {
    const state = await lookAt(endedBy(signal, kubectl), name, say).catch(unlessAborted(signal));
    if (state !== undefined) {
      for (const line of changesBetween(before, state)) say(line);
      before = state;
      if (hasStarted(state)) runningSinceMs ??= passed();
      if (hasEnded(state, runningSinceMs !== undefined)) return { how: "ended" };
    }
    if (runningSinceMs === undefined) {
      const stuck = state && stuckBeforeStart(state, name, place);
      blockedSinceMs = stuck === undefined ? undefined : (blockedSinceMs ?? passed());
      const blockedMs = passed() - (blockedSinceMs ?? passed());
      if (stuck?.when === "now" || (stuck && blockedMs >= Math.min(times.soonMs, times.startMs))) {
        return stuckBy(stuck, before, options);
      }
      if (passed() >= times.startMs) return stuckBy(await tooLate(before, options), before, options);
      if (passed() >= times.soonMs && stuck === undefined && !isExplained) {
        isExplained = true;
        for (const line of await whatKeepsIt(before, options)) say(line);
      }
    } else {
      const stop = state && (await follower?.look(state).catch(unlessAborted(signal)));
      if (stop !== undefined) return { how: "stopped", stop };
    }
    if (runningSinceMs !== undefined && passed() - runningSinceMs >= times.endMs) {
      return { how: "overdue", why: before === undefined ? "kubectl does not list it" : whyNotEnded(before) };
    }
    await setTimeout(times.pollMs, undefined, { signal }).catch(() => undefined);
  }
  // They may have started since the last look.
  const last = (await lookAt(kubectl, name, say)) ?? before;
  return {
    how: "interrupted",
    hadStarted: last !== undefined && (hasStarted(last) || (last.stage === "deleted" && runningSinceMs !== undefined)),
  };
}

const unlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted) throw error;
  };

async function stuckBy(
  { sentence, look }: Explained,
  state: ClusterState | undefined,
  { kubectl, name }: WatchOptions,
): Promise<Watched> {
  const lastWords = await lastWordsOf(kubectl, name, state);
  return { how: "stuck", why: sentence, ...(look !== undefined && { look }), lastWords };
}

async function notStarted(state: ClusterState | undefined, options: WatchOptions): Promise<Explained> {
  const { name, place } = options;
  if (state === undefined) return { sentence: "kubectl does not list it" };
  return whyNotStarted(state, name, place, await claimOf(options));
}

async function tooLate(state: ClusterState | undefined, options: WatchOptions): Promise<Explained> {
  const { times, startOption } = options;
  const waited = ` (waited ${formatDuration(Math.round(times.startMs))}, ${startOption})`;
  const { sentence, ...rest } = await notStarted(state, options);
  return { ...rest, sentence: `${sentence}${waited}` };
}

async function whatKeepsIt(state: ClusterState | undefined, options: WatchOptions): Promise<readonly string[]> {
  const { times, startOption, kubectl, name } = options;
  const { sentence } = await notStarted(state, options);
  const until = `Waiting up to ${formatDuration(Math.round(times.startMs))} (${startOption})`;
  return [`Not started yet: ${sentence}. ${until}.`, ...(await lastWordsOf(kubectl, name, state))];
}

const foundClaim = z.object({ status: z.object({ phase: z.string().default("") }).prefault({}) });

/** The claim of the results; undefined where kubectl does not tell. */
async function claimOf({ kubectl, claimName }: WatchOptions): Promise<FoundClaim | undefined> {
  if (claimName === undefined) return undefined;
  const { code, stdout } = await kubectl(["get", "pvc", claimName, "--ignore-not-found", "--output", "json"]);
  if (code !== 0) return undefined;
  if (stdout.trim() === "") return { name: claimName, phase: "" };
  const read = foundClaim.safeParse(parseJson(stdout));
  return read.success ? { name: claimName, phase: read.data.status.phase } : undefined;
}

/** The starter may be at work before k6-operator says `started`. */
const hasStarted = (state: ClusterState): boolean =>
  state.stage === "created"
    ? starterWorks(state)
    : ["started", "stopped", "finished"].includes(state.stage) && unstartedBy(state).length === 0;

/** k6-operator looks only every 15 s whether the runners have ended, and the TestRun may be deleted while they are at work. */
function hasEnded({ stage, parts, parallelism }: ClusterState, hadStarted: boolean): boolean {
  const runners = parts.filter(isRunner);
  const ended = runners.filter(({ state }) => state === "ended").length;
  if (stage === "stopped" || stage === "finished") return true;
  if (stage === "deleted") return hadStarted && ended === runners.length;
  return stage === "started" && ended >= parallelism;
}

/** The state of the run; undefined when kubectl fails, as it does while the cluster is busy. */
export async function lookAt(
  kubectl: Kubectl,
  name: string,
  say: WatchOptions["say"],
): Promise<ClusterState | undefined> {
  const [testRun, items] = await Promise.all([
    kubectl(["get", TEST_RUN, name, "--ignore-not-found", "--output", "json"]),
    kubectl(["get", "jobs,pods", "--selector", `k6_cr=${name}`, "--output", "json"]),
  ]);
  const failed = [testRun, items].find(({ code }) => code !== 0);
  if (failed !== undefined) {
    say(`kubectl get failed, and is tried again: ${reasonIn(failed.stderr)}`);
    return undefined;
  }
  const found = foundItems.safeParse(parseJson(items.stdout));
  const run = testRunIn(testRun.stdout);
  if (found.success && run.success) return stateOf(name, run.data, found.data.items);
  const odd = run.success ? items.stdout : testRun.stdout;
  say(`kubectl get printed something else than was asked for, and is tried again: ${shorten(odd.trim(), 120)}`);
  return undefined;
}

/** What kubectl printed of a TestRun. @param text empty when there is none */
export const testRunIn = (text: string): z.ZodSafeParseResult<FoundTestRun | undefined> =>
  foundTestRun.optional().safeParse(text.trim() === "" ? undefined : (parseJson(text) ?? null));
