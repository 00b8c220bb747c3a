/** The operations of the service, and the kinds of workloads that send them. Runs in Node and inside k6. */

/** Operations: the kinds of requests. `custom` and `custom.stream` are requests of a user's own scenario. */
export const OPS = [
  "chat.stream",
  "chat",
  "embeddings",
  "video.submit",
  "video.poll",
  "video.cancel",
  "video.fetch",
  "custom",
  "custom.stream",
] as const;

/** The parts that the mixed scenario can have, and the operations of each; no two share one. */
export const WORKLOAD_KINDS = {
  "chat-stream": ["chat.stream"],
  chat: ["chat"],
  embeddings: ["embeddings"],
  video: ["video.submit", "video.poll", "video.cancel", "video.fetch"],
} as const satisfies Readonly<Record<string, readonly (typeof OPS)[number][]>>;
export type WorkloadKind = keyof typeof WORKLOAD_KINDS;

/** Their names. */
export const WORKLOAD_KIND_NAMES = Object.keys(WORKLOAD_KINDS) as [WorkloadKind, ...WorkloadKind[]];

/** Whether it is the name of a part. */
export const isWorkloadKind = (name: unknown): name is WorkloadKind =>
  typeof name === "string" && Object.hasOwn(WORKLOAD_KINDS, name);

/** Requests about a task that was submitted: how the task ends decides about its unit of work, and not how these do. */
export const FOLLOWS_TASK: readonly string[] = ["video.poll", "video.cancel", "video.fetch"];
