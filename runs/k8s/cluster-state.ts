/** What a cluster says of a run: its TestRun, Jobs and pods, read from the JSON of kubectl. Pure. */

import { z } from "zod";
import { foundLikeRunners } from "./operator-types.ts";

/** Stages of a TestRun, as k6-operator 1.6.0 goes through them; empty: it has not looked at it. */
const STAGES = ["", "initialization", "initialized", "created", "started", "stopped", "finished", "error"] as const;
export type Stage = (typeof STAGES)[number] | "deleted";

/** What collecting needs to know of a TestRun, whoever wrote it. */
export const foundTestRun = z.object({
  spec: z.object({
    parallelism: z.number(),
    runner: foundLikeRunners.extend({
      image: z.string().optional(),
      volumes: z
        .array(
          z.object({
            name: z.string(),
            persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
            ephemeral: z.unknown().optional(),
          }),
        )
        .default([]),
    }),
  }),
  status: z.object({ stage: z.enum(STAGES).catch("").default("") }).default({ stage: "" }),
});
export type FoundTestRun = z.infer<typeof foundTestRun>;

const containerState = z.object({
  waiting: z.object({ reason: z.string().default("Waiting"), message: z.string().default("") }).optional(),
  terminated: z.object({ exitCode: z.number(), reason: z.string().default("") }).optional(),
});
const item = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  status: z
    .object({
      phase: z.string().default(""),
      reason: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(""),
            message: z.string().default(""),
          }),
        )
        .default([]),
      containerStatuses: z.array(z.object({ state: containerState.default({}) })).default([]),
    })
    .default({ phase: "", conditions: [], containerStatuses: [] }),
});
type Item = z.infer<typeof item>;

/** Jobs and pods of a run, as `kubectl get jobs,pods -o json` prints them. */
export const foundItems = z.object({ items: z.array(item) });

/** A pod that the operator makes, or will make of a Job. */
export interface ClusterPart {
  /** `initializer`, `starter`, or the number of a runner. */
  readonly role: string;
  /** Of the pod, or of the Job that has none. */
  readonly name: string;
  readonly state: "absent" | "waiting" | "running" | "ended";
  /** Why it waits, or how it ended, by the name that Kubernetes gives it; may be empty. */
  readonly reason: string;
  /** What Kubernetes says about that; may be empty. */
  readonly message: string;
  /** Of one that ended. */
  readonly exitCode?: number;
}

export interface ClusterState {
  readonly stage: Stage;
  readonly parallelism: number;
  readonly parts: readonly ClusterPart[];
}

/** The state of a run, by what was found. @param testRun absent: it was deleted */
export function stateOf(name: string, testRun: FoundTestRun | undefined, items: readonly Item[]): ClusterState {
  const of = (kind: string) => items.filter((each) => each.kind === kind);
  const pods = of("Pod").map((pod) => partOfPod(name, pod));
  const podless = of("Job")
    .filter(({ metadata }) => !pods.some(({ role }) => role === roleOf(name, metadata.name)))
    .map((job) => partOfJob(name, job));
  return {
    stage: testRun === undefined ? "deleted" : testRun.status.stage,
    parallelism: testRun?.spec.parallelism ?? pods.filter(isRunner).length,
    parts: [...pods, ...podless].sort((a, b) => a.role.localeCompare(b.role, "en", { numeric: true })),
  };
}

/** Whether a part is a runner. */
export const isRunner = ({ role }: Pick<ClusterPart, "role">): boolean => /^\d+$/.test(role);

/** Whether the starter of k6-operator is at work, or was: runners wait for it before they begin. */
export const starterWorks = ({ parts }: ClusterState): boolean =>
  startersOf(parts).some(({ state, exitCode }) => state === "running" || (state === "ended" && exitCode === 0));

/** The starter's parts while no runner was started: k6-operator says `started` as soon as it has made the starter's Job. */
export const unstartedBy = (state: ClusterState): readonly ClusterPart[] =>
  state.stage === "started" && !starterWorks(state) ? startersOf(state.parts) : [];

const startersOf = (parts: readonly ClusterPart[]): readonly ClusterPart[] =>
  parts.filter(({ role }) => role === "starter");

/** `NAME-3` → `3`, `NAME-initializer` → `initializer`. */
const roleOf = (name: string, job: string): string => (job.startsWith(`${name}-`) ? job.slice(name.length + 1) : job);

/** Of a pod that was deleted, as when its node was drained: the Jobs of the operator do not make another one. */
export const GONE = "its pod was deleted";

function partOfJob(run: string, { metadata: { name }, status }: Item): ClusterPart {
  const hasEnded = status.conditions.some(({ type, status: is }) => type === "Failed" && is === "True");
  const part = { role: roleOf(run, name), name, message: "" };
  return hasEnded ? { ...part, state: "ended", reason: GONE } : { ...part, state: "absent", reason: "" };
}

function partOfPod(run: string, { metadata: { name, labels }, status }: Item): ClusterPart {
  const role = roleOf(run, labels["job-name"] ?? labels["batch.kubernetes.io/job-name"] ?? name);
  const states = status.containerStatuses.map(({ state }) => state);
  const terminated = states.flatMap((state) => state.terminated ?? [])[0];
  if (status.phase === "Succeeded" || status.phase === "Failed") {
    return {
      ...{ role, name, state: "ended", message: "" },
      reason: status.reason ?? terminated?.reason ?? "",
      ...(terminated && { exitCode: terminated.exitCode }),
    };
  }
  const waiting = states.flatMap((state) => state.waiting ?? [])[0];
  if (waiting === undefined && status.phase === "Running")
    return { role, name, state: "running", reason: "", message: "" };
  const unscheduled = status.conditions.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  const { reason = "", message = "" } = waiting ?? unscheduled ?? {};
  return { role, name, state: "waiting", reason, message };
}
