/** A load on Kubernetes from its manifests to the merged report, and the last part of that alone, through `kubectl`. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { type Urgency, whileInterruptible } from "../../cli/interrupt.ts";
import { inResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import type { RunResult } from "../../formats/run.ts";
import type { Stop } from "../../formats/stop.ts";
import { shorten } from "../../lib/text.ts";
import { plural } from "../../reports/numbers.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { latestEndMs } from "../load/end-watchdog.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { type FoundTestRun, foundTestRun, GONE, isRunner } from "./cluster-state.ts";
import { type Claim, collectResults } from "./collect-results.ts";
import { endRun, endRunners } from "./end-run.ts";
import { followerOf } from "./follow-runners.ts";
import { type Kept, keptIn, ownClaimOf } from "./kept-results.ts";
import { endedBy, inPlace, type Kubectl, type Place, printedBy } from "./kubectl.ts";
import { manifestFiles } from "./manifest-files.ts";
import { type ClaimSpec, foundLikeRunners, type LikeRunners } from "./operator-types.ts";
import { likeRunnersIn, readPatch } from "./patch.ts";
import type { K8sPlan } from "./plan-k8s.ts";
import { reportRunners, runnersIn, troublesOf } from "./report-runners.ts";
import { lookAt, TEST_RUN, testRunIn, type Watched, type WatchOptions, watchRun } from "./watch-run.ts";

/** Between two looks at the cluster, and until what keeps it from starting is said. */
const POLLS = { pollMs: 2_000, soonMs: 60_000 };

/** Folder in the result folder. */
const MANIFESTS = "manifests";

/** What is run or collected, and where to. */
interface Task {
  readonly kubectl: Kubectl;
  readonly name: string;
  /** Of `kubectl`, for hints. */
  readonly place: Place;
  /** What a TestRun that was deleted does not say of itself, for hints: the image of the runners and where the results are. */
  readonly runs?: { readonly image: string; readonly kept: Kept };
  /** New result folder. */
  readonly folder: string;
  readonly progress: Progress;
}

/** Times that the user allows, in milliseconds. */
interface Allowed {
  readonly startTimeout: number;
  readonly endTimeout: number;
}

/** Aborted by the first Ctrl-C while runners are at work, and by the one after it. */
interface Interrupts {
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

/** How far a command is with its run: what is left when the user leaves depends on it. */
type Progressed = "before" | "applied" | "deleted" | "ended";

/**
 * Applies a run, watches it, collects what its runners wrote and reports on it.
 * @returns the merged result
 * @throws UsageError when the cluster refuses it; InconclusiveError when no runner started, or nothing could be collected
 */
export const runOnK8s = (
  given: Task,
  plan: K8sPlan,
  load: Pick<LoadPlan, "scenario" | "settings">,
  allowed: Allowed,
): Promise<RunResult> => {
  const found = foundOf(given.name, foundTestRun.parse(plan.manifests.testRun), {});
  return interruptible({ ...given, runs: found }, async (task, interrupts, isNow) => {
    const { name, folder, progress, kubectl } = task;
    const { follower, notice } = await inResultFolder(folder, async () => {
      await requireNew(task);
      return followerOf(kubectl, load, plan.size.runners);
    });
    if (notice !== undefined) progress.say(`${notice}.`);
    isNow("applied");
    await apply(task, plan);
    progress.say(`Applied ${name}. Ctrl-C ends it and collects what was measured.`);
    const times = {
      ...POLLS,
      startMs: allowed.startTimeout,
      endMs: latestEndMs(load.settings, Date.now()) + allowed.endTimeout,
    };
    const watch = watchOf(task, found.kept, times, "--start-timeout", interrupts.stop);
    const watched = await watchRun({ ...watch, follower });
    const ending = { ...watch, times: { ...times, endMs: allowed.endTimeout }, signal: interrupts.leave };
    if (watched.how === "stuck" || (watched.how === "interrupted" && !watched.hadStarted)) {
      isNow("deleted");
      await endRun(ending);
      progress.say(leftOf(task, plan));
      throw new InconclusiveError(notRun(task, watched.how === "stuck" ? watched : undefined));
    }
    const isDeleted = watched.how !== "ended" && found.kept !== "a claim of each";
    if (watched.how !== "ended") {
      const how = isDeleted ? "deleting the TestRun, so that its runners end and" : "ending its runners, which";
      progress.say(`${whyEnded(watched)}: ${how} complete their records.`);
      isNow("deleted");
      if (!(await (isDeleted ? endRun(ending) : endRunners(ending)))) progress.say("Not all runners have ended.");
    }
    isNow("ended");
    // The pod that reads the results is removed even after the user left: not by a kubectl that ends then.
    const stop = watched.how === "stopped" ? watched.stop : undefined;
    const result = await collectAndReport(given, interrupts.leave, {
      ...{ ...found, isDeleted },
      ...(stop && { stop }),
    });
    progress.say(leftOf(task, plan));
    return result;
  });
};

function whyEnded(watched: Exclude<Watched, { readonly how: "ended" | "stuck" }>): string {
  if (watched.how === "interrupted") return "Interrupted";
  if (watched.how === "overdue") return `${watched.why} after the planned end and --end-timeout`;
  const { expr, reason } = watched.stop;
  return expr === undefined ? `The target does not respond: ${reason}` : `"${expr}" holds: ${reason}`;
}

/** Why a run did not start, with what the cluster said of it before it was deleted. @param stuck absent: it was interrupted */
function notRun(
  { name, folder }: Task,
  stuck: { readonly why: string; readonly lastWords: readonly string[] } | undefined,
): string {
  const why = stuck?.why ?? "it was interrupted before the runners started";
  const sentences = `Cannot run ${name}: ${why.replace(/\.$/, "")}. The TestRun was deleted, so that it does not start later; its manifests are in ${join(folder, MANIFESTS)}.`;
  const { lastWords = [] } = stuck ?? {};
  if (lastWords.length === 0) return sentences;
  return [`${sentences} Before that, the cluster said:`, ...lastWords].join("\n  ");
}

/** What a run leaves in the cluster, and the command that removes it. */
function leftOf({ name, place, folder }: Task, { manifests: { claim, testRun } }: K8sPlan): string {
  const own = testRun.spec.runner.volumes?.flatMap((volume) =>
    "ephemeral" in volume ? volume.ephemeral.volumeClaimTemplate.spec : [],
  )[0];
  const claims = claim
    ? [`claim of ${bytesInWords(claim.spec)}`]
    : own
      ? [`TestRun with ${plural(testRun.spec.parallelism, "claim")} of ${bytesInWords(own)}`]
      : [];
  const left = ["ConfigMap", ...claims].join(" and ");
  return `In the cluster: ${left} ${name}. Remove: kubectl delete --ignore-not-found -k ${join(folder, MANIFESTS)}${inPlace(place)}`;
}

const bytesInWords = ({ resources }: ClaimSpec): string =>
  `${(Number(resources.requests.storage) / 2 ** 30).toFixed(1)} GiB`;

const watchOf = (
  { kubectl, name, place, progress }: Task,
  kept: Kept,
  times: WatchOptions["times"],
  startOption: WatchOptions["startOption"],
  signal: AbortSignal,
): WatchOptions => ({
  ...{ kubectl, name, place, times, startOption, say: progress.say, signal },
  ...(kept !== "a claim of each" && { claimName: kept.claim }),
});

/** What names the results of a run in a cluster. */
interface Found {
  readonly image: string;
  readonly kept: Kept;
  /** Absent: the TestRun that says it was deleted. */
  readonly parallelism?: number;
  /** What the cluster asks of the pods of the run. */
  readonly like: LikeRunners;
  /** The TestRun was deleted, and its pods with it. */
  readonly isDeleted: boolean;
  /** Why it was ended before its time. */
  readonly stop?: Stop;
}

/** What the user says of a run. */
interface Given {
  readonly image?: string;
  readonly resultsClaim?: string;
  /** File of the patch that the run had. */
  readonly patch?: string;
}

/**
 * Collects a run that was applied before, once its runners have ended, and reports on it.
 * @param given what the user says, for a TestRun that was deleted
 */
export const collectFromK8s = (
  of: Task,
  given: Given,
  { endTimeout }: Pick<Allowed, "endTimeout">,
): Promise<RunResult> =>
  interruptible(of, async (task, interrupts, isNow) => {
    const { name, progress } = task;
    isNow("applied");
    const testRun = await testRunOf(task);
    const found = foundOf(name, testRun, given);
    const times = { ...POLLS, startMs: endTimeout, endMs: endTimeout };
    const watched =
      testRun === undefined
        ? { how: "ended" as const }
        : await watchRun(watchOf(task, found.kept, times, "--end-timeout", interrupts.stop));
    if (watched.how === "overdue" || watched.how === "interrupted") {
      const why = watched.how === "overdue" ? watched.why : "interrupted while its runners were at work";
      const end =
        found.kept === "a claim of each"
          ? "kubectl exec POD --container k6 -- kill -TERM 1, for each of its runners"
          : `kubectl delete ${TEST_RUN} ${name}`;
      throw new InconclusiveError(
        `Cannot collect ${name} yet: ${why}. Wait for its end, or end it: ${end}${inPlace(task.place)}`,
      );
    }
    if (watched.how === "stuck") {
      const see = watched.look === undefined ? "" : ` See ${watched.look}`;
      progress.say(`The run did not start: ${watched.why}.${see}`);
      for (const line of watched.lastWords) progress.say(line);
    }
    isNow("ended");
    return collectAndReport(of, interrupts.leave, found);
  });

/**
 * Runs `work` with the interrupts of the user: the first ends the run, unless it has ended, and the next leaves at once. It gets
 * the task with a `kubectl` whose calls end then; what cleans up after that uses that of `task` itself.
 */
async function interruptible<T>(
  task: Task,
  work: (task: Task, interrupts: Interrupts, isNow: (how: Progressed) => void) => Promise<T>,
): Promise<T> {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let far: Progressed = "before";
  const onInterrupt = (urgency: Urgency): void => {
    if (urgency === "gently" && far !== "ended") stop.abort();
    else leave.abort();
  };
  try {
    return await whileInterruptible(onInterrupt, () =>
      work(
        { ...task, kubectl: endedBy(leave.signal, task.kubectl) },
        { stop: stop.signal, leave: leave.signal },
        (how) => {
          far = how;
        },
      ),
    );
  } catch (error) {
    if (!leave.signal.aborted) throw error;
    throw new InconclusiveError(leftBehind(task, far));
  }
}

/** What goes on after the user left, and the command that fetches the results. */
function leftBehind({ name, place, runs }: Task, far: Progressed): string {
  const at = `${name}${inPlace(place)}`;
  if (far === "before") return `Left ${name} before it was applied.`;
  if (runs?.kept === "a claim of each") {
    return `Left ${name} before its results were collected.${far === "applied" ? " Its runners may go on." : ""} What they write stays in the claims of their pods until its TestRun is deleted: assay k8s collect ${at} fetches it.`;
  }
  const more = runs === undefined ? "" : ` --image ${runs.image}${claimOption(name, runs.kept.claim)}`;
  const goesOn = {
    applied: ` Its runners may go on: kubectl delete ${TEST_RUN} ${at} ends them.`,
    deleted: " Its TestRun is deleted, and its runners end.",
    ended: "",
  }[far];
  return `Left ${name} before its results were collected.${goesOn} What they write stays in the claim: assay k8s collect ${at}${more} fetches it.`;
}

const claimOption = (name: string, claimName: string): string =>
  claimName === name ? "" : ` --results-claim ${claimName}`;

/** @throws UsageError when a run of this name is in the cluster */
async function requireNew(task: Task): Promise<void> {
  if ((await testRunOf(task)) === undefined) return;
  throw new UsageError(
    `Cannot run ${task.name}: the cluster has a TestRun of this name, and k6-operator does nothing when it is applied again. Give another --run-name, or collect that one: assay k8s collect ${task.name}${inPlace(task.place)}`,
  );
}

async function testRunOf({ kubectl, name }: Task): Promise<FoundTestRun | undefined> {
  const call = kubectl(["get", TEST_RUN, name, "--ignore-not-found", "--output", "json"]);
  const advice =
    "Check the context of kubectl, and that k6-operator is installed (https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/install-k6-operator/).";
  const attempt = `look for the run ${name}`;
  const text = await printedBy(call, attempt, advice);
  const { success, data } = testRunIn(text);
  if (success) return data;
  throw new UsageError(
    `Cannot ${attempt}: kubectl printed something else than was asked for: ${shorten(text.trim(), 120)}. ${advice}`,
  );
}

async function apply({ kubectl, name, place, folder }: Task, plan: K8sPlan): Promise<void> {
  for (const [file, content] of Object.entries(manifestFiles(plan))) writeWhole(folder, join(MANIFESTS, file), content);
  const manifests = join(folder, MANIFESTS);
  // A ConfigMap of more than 262,144 bytes cannot be applied by the client.
  const call = kubectl(["apply", "--server-side", "--kustomize", manifests]);
  await printedBy(call, `apply ${name}`, `Remove what it made: kubectl delete -k ${manifests}${inPlace(place)}`);
}

function foundOf(name: string, testRun: FoundTestRun | undefined, given: Given): Found {
  const image = given.image ?? testRun?.spec.runner.image;
  if (image === undefined) {
    throw new UsageError(
      `Cannot collect ${name}: its TestRun was deleted, and nothing says which image can read the claim. Name that of the runners with --image.`,
    );
  }
  return {
    image,
    kept:
      given.resultsClaim === undefined
        ? ((testRun && keptIn(testRun.spec.runner.volumes)) ?? { claim: name })
        : { claim: given.resultsClaim },
    ...(testRun && { parallelism: testRun.spec.parallelism }),
    like:
      given.patch === undefined
        ? foundLikeRunners.parse(testRun?.spec.runner ?? {})
        : likeRunnersIn(readPatch(given.patch)),
    isDeleted: testRun === undefined,
  };
}

/** The claims that hold the results of a run. @throws UsageError where the cluster does not list its pods */
async function claimsOf({ kubectl, name, place, progress }: Task, kept: Kept): Promise<readonly Claim[]> {
  if (kept !== "a claim of each") return [{ name: kept.claim, of: name }];
  const state = await lookAt(kubectl, name, progress.say);
  if (state === undefined) {
    throw new UsageError(
      `Cannot list the runners of ${name}. Try again with assay k8s collect ${name}${inPlace(place)}.`,
    );
  }
  const runners = state.parts.filter((part) => isRunner(part) && part.reason !== GONE);
  // One node at a time can mount the claim of a pod.
  return runners.flatMap(({ role, name: pod, state: is }) =>
    is === "ended" ? [{ name: ownClaimOf(pod), of: `${name}-${role}` }] : [],
  );
}

async function collectAndReport(
  task: Task,
  signal: AbortSignal,
  { image, kept, like, parallelism, isDeleted, stop }: Found,
): Promise<RunResult> {
  const { kubectl, name, place, folder, progress } = task;
  const runners = join(folder, FILES.runners);
  mkdirSync(runners, { recursive: true });
  const claims = await claimsOf(task, kept);
  const from = kept === "a claim of each" ? `${plural(claims.length, "claim")} of runners` : `the claim ${kept.claim}`;
  progress.say(`Collecting the results from ${from} …`);
  const { say } = progress;
  const run = { name, place };
  const folders = await collectResults({ ...run, kubectl, image, claims, like, folder: runners, say, signal });
  // Each folder says it: they can be reported again without this command.
  for (const own of stop === undefined ? [] : folders.values())
    writeWhole(own, FILES.stop, `${JSON.stringify(stop)}\n`);
  const hadOwnClaims = kept === "a claim of each";
  const collected = { ...run, folders, hadOwnClaims, parallelism: parallelism ?? (await runnersIn(name, folders)) };
  progress.say(`Collected ${folders.size} of ${plural(collected.parallelism, "runner")} into ${runners}.`);
  for (const trouble of await troublesOf(collected)) progress.say(`${trouble}.`);
  return reportRunners(collected, folder, !isDeleted);
}
