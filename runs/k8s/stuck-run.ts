/**
 * Why a run does not go on, in a sentence that says what to do: k6-operator itself waits for ever, or says it only in its
 * own log. Pure.
 */

import { type ClusterPart, type ClusterState, isRunner, type Stage, unstartedBy } from "./cluster-state.ts";
import { inPlace, type Place } from "./kubectl.ts";
import { inWords, namesOf } from "./state-lines.ts";

/** Why a run does not start. */
export interface Explained {
  /** Without its end. */
  readonly sentence: string;
  /** The command that shows more, of a pod or Job: of no use once the run is deleted. */
  readonly look?: string;
}

/** Why a run is stuck. */
export interface Stuck extends Explained {
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
  ErrImagePull: "Check the name of the image (--image), and that the nodes may pull it (imagePullSecrets in --patch)",
  ImagePullBackOff:
    "Check the name of the image (--image), and that the nodes may pull it (imagePullSecrets in --patch)",
  InvalidImageName: "Correct the name of the image (--image)",
  RunContainerError: "Check that the image (--image) holds k6 and a shell, for the architecture of the nodes",
};

const OTHERWISE: Readonly<Record<string, string>> = {
  Unschedulable:
    "Use fewer runners (--runners) or smaller ones (resources in --patch), let them share nodes (--share-nodes), or add nodes",
  OOMKilled: "Give it more memory (resources in --patch), or use more runners",
  ContainerCreating:
    "Check that the claim of the results is bound (kubectl get pvc{in}), and that all nodes can mount it: one claim of all runners has to be ReadWriteMany; --results-mode ReadWriteOnce gives each its own",
};

const CLAIM_ADVICE =
  "The claim of the results is missing or not bound: it needs a storage class that makes volumes of its access mode, and block storage makes no ReadWriteMany. Name one with --storage-class, or a claim that exists with --results-claim, or give each runner a claim of its own with --results-mode ReadWriteOnce, and see kubectl describe pvc{in}";

/** The claim of the results, as the cluster has it. */
export interface FoundClaim {
  readonly name: string;
  /** `Pending`, `Bound` or `Lost`; empty: there is none. */
  readonly phase: string;
}

/** What to do about a stage that does not pass, where no pod says why. */
const STAGE_ADVICE: Partial<Record<Stage, string>> = {
  "": "k6-operator has not looked at the TestRun. Check that it is installed and runs, and that it watches this namespace: kubectl get deployments -A | grep k6-operator",
  initialization: "the initializer has not ended",
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
  return stuck && { ...stuck, ...placed(stuck, place) };
}

const placed = ({ sentence, look }: Explained, place: Place): Explained => ({
  sentence: sentence.replaceAll(NAMESPACE, inPlace(place)),
  ...(look !== undefined && { look: look + inPlace(place) }),
});

function reasonBeforeStart(state: ClusterState, name: string): Stuck | undefined {
  const { stage, parts } = state;
  const [initializer] = parts.filter(({ role }) => role === "initializer");
  if (stage === "error") return { when: "now", ...refused(initializer, name) };
  if (stage === "deleted") return { when: "now", sentence: "the TestRun was deleted before the runners started" };
  const dead = parts.filter((part) => isRunner(part) && part.state === "ended");
  if (stage === "created" && dead.length > 0) return { when: "now", ...diedEarly(dead) };
  const [starter] = unstartedBy(state);
  if (starter !== undefined) return { when: "soon", ...starterIsStuck(starter) };
  const claimless = parts.find(({ state: is, message }) => is === "waiting" && CLAIM_IS_MISSING.test(message));
  if (claimless !== undefined) return { when: "soon", sentence: withoutClaim(parts, claimless) };
  const blocked = parts.find(({ state: is, reason }) => is === "waiting" && reason in BLOCKING);
  if (blocked !== undefined) {
    return {
      when: "soon",
      sentence: `${namesOf(inSame(parts, blocked))} cannot start (${inWords(blocked)}). ${BLOCKING[blocked.reason]}`,
    };
  }
  return undefined;
}

/** A claim that is not there; one that is not bound may still get its volume, which takes some storage minutes. */
const CLAIM_IS_MISSING = /persistentvolumeclaim "[^"]*" not found/i;
const CLAIM_IS_UNBOUND = /persistentvolumeclaim|volumebinding|binding volumes/i;

const withoutClaim = (parts: readonly ClusterPart[], waiting: ClusterPart): string =>
  `${namesOf(inSame(parts, waiting))} did not start (${inWords(waiting)}). ${CLAIM_ADVICE}`;

/**
 * What keeps a run from starting, once it has taken long.
 * @param place as of `stuckBeforeStart`
 * @param claim of the results; absent: not known
 */
export const whyNotStarted = (state: ClusterState, name: string, place: Place = {}, claim?: FoundClaim): Explained =>
  placed(reasonAfterWait(state, name, claim), place);

function reasonAfterWait(state: ClusterState, name: string, claim: FoundClaim | undefined): Explained {
  const known = reasonBeforeStart(state, name);
  if (known !== undefined) return known;
  const { stage, parts } = state;
  const ofClaim = reasonOfClaim(parts, claim);
  if (ofClaim !== undefined) return { sentence: ofClaim };
  const waiting = parts.find((part) => part.state === "waiting");
  if (waiting !== undefined) {
    const advice = OTHERWISE[waiting.reason];
    return {
      sentence: `${namesOf(inSame(parts, waiting))} did not start (${inWords(waiting)})${advice === undefined ? "" : `. ${advice}`}`,
      look: `kubectl describe pod ${waiting.name}`,
    };
  }
  const absent = parts.find((part) => part.state === "absent");
  if (absent !== undefined) return noPodFor(namesOf(inSame(parts, absent)), absent);
  return {
    sentence: STAGE_ADVICE[stage] ?? `the TestRun stayed in the stage ${stage}`,
    ...(stage === "initialization" && { look: `kubectl logs -l job-name=${name}-initializer` }),
  };
}

/** Also where no pod says so: a volume that is made for its first pod keeps that pod waiting without a word. */
function reasonOfClaim(parts: readonly ClusterPart[], claim: FoundClaim | undefined): string | undefined {
  const unbound = parts.find(({ state, message }) => state === "waiting" && CLAIM_IS_UNBOUND.test(message));
  if (unbound !== undefined) return withoutClaim(parts, unbound);
  const waiting = parts.find((part) => isRunner(part) && part.state === "waiting");
  if (waiting === undefined || claim === undefined || claim.phase === "Bound") return undefined;
  const is = claim.phase === "" ? "is not there" : `is ${claim.phase}`;
  return `${namesOf(inSame(parts, waiting))} did not start, and the claim ${claim.name} ${is}. ${CLAIM_ADVICE}`;
}

const noPodFor = (whom: string, { name }: ClusterPart): Explained => ({
  sentence: `the namespace lets no pod be made for ${whom} (quota, pod security)`,
  look: `kubectl describe job ${name}`,
});

/** Why a run that was to have ended has not. */
export function whyNotEnded({ parts }: ClusterState): string {
  const running = parts.filter((part) => isRunner(part) && part.state !== "ended");
  return running.length === 0
    ? "k6-operator has not ended it"
    : `${namesOf(running)} still ${running.length === 1 ? "runs" : "run"}`;
}

const inSame = (parts: readonly ClusterPart[], { role, reason, state }: ClusterPart): ClusterPart[] =>
  parts.filter(
    (part) =>
      (part.role === role || (isRunner(part) && isRunner({ role }))) && part.reason === reason && part.state === state,
  );

function refused(initializer: ClusterPart | undefined, name: string): Explained {
  if (initializer?.state === "ended" && initializer.exitCode !== 0) {
    return {
      sentence: `k6 in the image cannot read the load: the initializer ${inWords(initializer)}. Check that the image (--image) holds k6 with the extension of this version of Assay`,
      look: `kubectl logs ${initializer.name}`,
    };
  }
  return {
    sentence: `k6-operator refused the TestRun and says why in its own log only: kubectl logs -n k6-operator-system -l control-plane=controller-manager | grep ${name}`,
  };
}

function starterIsStuck(starter: ClusterPart): Explained {
  const { state, reason, name } = starter;
  if (state === "absent") return noPodFor("the starter, which starts the runners", starter);
  if (state === "ended") {
    return {
      sentence: `the starter ${inWords(starter)}, and the runners wait for it. Allow port 6565 of the runners in the NetworkPolicy of the namespace`,
      look: `kubectl logs ${name}`,
    };
  }
  const advice = (BLOCKING[reason] ?? OTHERWISE[reason])
    ?.replace("(--image) holds k6 and a shell", "(--image) holds sh and curl")
    .replaceAll("--image", "--starter-image");
  return {
    sentence: `the starter, which starts the runners, did not start (${inWords(starter)})${advice === undefined ? "" : `. ${advice}`}`,
    look: `kubectl describe pod ${name}`,
  };
}

function diedEarly(dead: readonly ClusterPart[]): Explained {
  const [first] = dead;
  const advice = OTHERWISE[first?.reason ?? ""];
  return {
    sentence: `${namesOf(dead)} ${first ? inWords(first) : "ended"} before the start, for which k6-operator waits for ever${advice === undefined ? "" : `. ${advice}`}`,
    ...(first && { look: `kubectl logs ${first.name}` }),
  };
}
