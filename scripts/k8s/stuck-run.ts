/**
 * Why a run does not go on, in a sentence that says what to do: k6-operator itself waits for ever, or says it only in its
 * own log. Pure.
 */

import { type ClusterState, isRunner, type Part, type Stage, unstartedBy } from "./cluster-state.ts";
import { inPlace, type Place } from "./kubectl.ts";
import { inWords, namesOf } from "./state-lines.ts";

/** Why a run is stuck. */
export interface Stuck {
  readonly sentence: string;
  /** `now`: waiting is of no use; `soon`: unless it passes within a minute; `late`: the cluster may still need its time. */
  readonly when: "now" | "soon" | "late";
}

/** Stands for the namespace in the commands of an advice. */
const NAMESPACE = "{in}";

/** What to do about a pod that waits for this reason; it rarely passes by itself. */
const BLOCKING: Readonly<Record<string, string>> = {
  CreateContainerConfigError:
    "Create the Secret (--key-secret) or the ConfigMap that it names, in the namespace of the run",
  CreateContainerError: "Check the image (--image) and what the nodes allow a container",
  ErrImageNeverPull: "Put the image (--image) on the nodes",
  ErrImagePull: "Check the name of the image (--image), and that the nodes may pull it",
  ImagePullBackOff: "Check the name of the image (--image), and that the nodes may pull it",
  InvalidImageName: "Correct the name of the image (--image)",
  RunContainerError: "Check that the image (--image) holds k6 and a shell, for the architecture of the nodes",
};

const OTHERWISE: Readonly<Record<string, string>> = {
  Unschedulable:
    "Use fewer or smaller runners (--runners, --runner-cpu, --runner-memory), let them share nodes (--share-nodes), or add nodes",
  OOMKilled: "Give it more memory with --runner-memory, or use more runners",
  ContainerCreating:
    "Check that the claim of the results is bound (kubectl get pvc{in}), and that all nodes can mount it: it has to be ReadWriteMany",
};

const CLAIM_ADVICE =
  "The claim of the results is missing or not bound: it needs a storage class that makes ReadWriteMany volumes. Name one with --storage-class, or a claim that exists with --results-claim, and see kubectl get pvc{in}";

/** What to do about a stage that does not pass, where no pod says why. */
const STAGE_ADVICE: Partial<Record<Stage, string>> = {
  "": "k6-operator has not looked at the TestRun. Check that it is installed and runs, and that it watches this namespace: kubectl get deployments -A | grep k6-operator",
  initialization: "The initializer has not ended. See what it prints: kubectl logs -l job-name={name}-initializer{in}",
  initialized:
    "k6-operator cannot create the runners: a Job of an earlier run has the same name, or the namespace allows no such pods (quota, pod security). Use another --run-name, and see kubectl get events{in}",
  created: "k6-operator does not reach port 6565 of all runners. Allow it in the NetworkPolicy of the namespace",
};

/**
 * Why a run that has not started does not start; undefined when nothing is known to keep it from that.
 * @param place of the run, for commands
 */
export function stuckBeforeStart(state: ClusterState, name: string, place: Place = {}): Stuck | undefined {
  const stuck = reasonBeforeStart(state, name);
  return stuck && { ...stuck, sentence: stuck.sentence.replaceAll(NAMESPACE, inPlace(place)) };
}

function reasonBeforeStart(state: ClusterState, name: string): Stuck | undefined {
  const { stage, parts } = state;
  const [initializer] = parts.filter(({ role }) => role === "initializer");
  if (stage === "error") return { when: "now", sentence: refused(initializer, name) };
  if (stage === "deleted") return { when: "now", sentence: "the TestRun was deleted before the runners started" };
  const dead = parts.filter((part) => isRunner(part) && part.state === "ended");
  if (stage === "created" && dead.length > 0) return { when: "now", sentence: diedEarly(dead) };
  const [starter] = unstartedBy(state);
  if (starter !== undefined) return { when: "soon", sentence: starterIsStuck(starter) };
  const unbound = parts.find(({ state: is, message }) => is === "waiting" && /persistentvolumeclaim/i.test(message));
  if (unbound !== undefined) {
    const names = namesOf(inSame(parts, unbound));
    return { when: "soon", sentence: `${names} did not start (${inWords(unbound)}). ${CLAIM_ADVICE}` };
  }
  const blocked = parts.find(({ state: is, reason }) => is === "waiting" && reason in BLOCKING);
  if (blocked !== undefined) {
    return {
      when: "soon",
      sentence: `${namesOf(inSame(parts, blocked))} cannot start (${inWords(blocked)}). ${BLOCKING[blocked.reason]}`,
    };
  }
  return undefined;
}

/** What keeps a run from starting, once it has taken too long. @param place as of `stuckBeforeStart` */
export const whyNotStarted = (state: ClusterState, name: string, place: Place = {}): string =>
  reasonAfterWait(state, name).replaceAll(NAMESPACE, inPlace(place));

function reasonAfterWait(state: ClusterState, name: string): string {
  const known = reasonBeforeStart(state, name);
  if (known !== undefined) return known.sentence;
  const { stage, parts } = state;
  const waiting = parts.find((part) => part.state === "waiting");
  if (waiting !== undefined) {
    const advice = OTHERWISE[waiting.reason] ?? `See kubectl describe pod ${waiting.name}{in}`;
    return `${namesOf(inSame(parts, waiting))} did not start (${inWords(waiting)}). ${advice}`;
  }
  const absent = parts.find((part) => part.state === "absent");
  if (absent !== undefined) {
    return `the namespace lets no pod be made for ${namesOf(inSame(parts, absent))} (quota, pod security). See kubectl describe job ${absent.name}{in}`;
  }
  return (STAGE_ADVICE[stage] ?? `the TestRun stayed in the stage ${stage}`).replace("{name}", name);
}

/** Why a run that was to have ended has not. */
export function whyNotEnded({ parts }: ClusterState): string {
  const running = parts.filter((part) => isRunner(part) && part.state !== "ended");
  return running.length === 0
    ? "k6-operator has not ended it"
    : `${namesOf(running)} still ${running.length === 1 ? "runs" : "run"}`;
}

const inSame = (parts: readonly Part[], { role, reason, state }: Part): Part[] =>
  parts.filter(
    (part) =>
      (part.role === role || (isRunner(part) && isRunner({ role }))) && part.reason === reason && part.state === state,
  );

function refused(initializer: Part | undefined, name: string): string {
  return initializer?.state === "ended" && initializer.exitCode !== 0
    ? `k6 in the image cannot read the load: the initializer ${inWords(initializer)}. Check that the image (--image) holds k6 with the extension of this version of Assay, and see kubectl logs ${initializer.name}{in}`
    : `k6-operator refused the TestRun and says why in its own log only: kubectl logs -n k6-operator-system -l control-plane=controller-manager | grep ${name}`;
}

function starterIsStuck(starter: Part): string {
  const { state, reason, name } = starter;
  if (state === "absent") {
    return `the namespace lets no pod be made for the starter, which starts the runners (quota, pod security). See kubectl describe job ${name}{in}`;
  }
  if (state === "ended") {
    return `the starter ${inWords(starter)}, and the runners wait for it. Allow port 6565 of the runners in the NetworkPolicy of the namespace, and see kubectl logs ${name}{in}`;
  }
  const advice = (BLOCKING[reason] ?? OTHERWISE[reason])?.replace(
    "(--image) holds k6 and a shell",
    "(--image) holds sh and curl",
  );
  return `the starter, which starts the runners, did not start (${inWords(starter)}). ${advice?.replaceAll("--image", "--starter-image") ?? `See kubectl describe pod ${name}{in}`}`;
}

function diedEarly(dead: readonly Part[]): string {
  const [first] = dead;
  const advice = OTHERWISE[first?.reason ?? ""] ?? `See kubectl logs ${first?.name}{in}`;
  return `${namesOf(dead)} ${first ? inWords(first) : "ended"} before the start, for which k6-operator waits for ever. ${advice}`;
}
