/** How chats share the capacity of the mock: `8`, or `8,queue=400,step=16ms` (`--slots`). Pure. */

import { formatDuration, parseCount, parseDuration } from "./units.ts";
import { UsageError } from "./usage-error.ts";

export interface Capacity {
  /** Chats that run at once. */
  readonly slots: number;
  /** Milliseconds from slot to first token, per token of the prompt. */
  readonly prefillMs: number;
  /** Milliseconds between two tokens of a chat that runs alone. */
  readonly stepMs: number;
  /** Milliseconds that each further chat adds to the step of all. */
  readonly growthMs: number;
  /** Chats that may wait for a slot; further ones are refused. */
  readonly queue: number;
  /** Status of that refusal, 429 or 503. */
  readonly busyStatus: number;
  /** Milliseconds that a chat keeps its slot after its client left, as a service does that does not notice. */
  readonly leftMs: number;
}

/** A capacity as it is written: what it leaves out has its default. */
export type GivenCapacity = Pick<Capacity, "slots"> & Partial<Capacity>;

const REJECTIONS: readonly number[] = [429, 503];

const MEMBERS: Readonly<Record<string, (text: string) => Partial<Capacity>>> = {
  prefill: (text) => ({ prefillMs: parseDuration(text) }),
  step: (text) => ({ stepMs: parseDuration(text) }),
  growth: (text) => ({ growthMs: parseDuration(text) }),
  queue: (text) => ({ queue: parseCount(text, 0) }),
  busy: (text) => ({ busyStatus: rejectionOf(text) }),
  left: (text) => ({ leftMs: parseDuration(text) }),
};

export const CAPACITY_DEFAULTS: Omit<Capacity, "slots"> = {
  prefillMs: 0.2,
  stepMs: 20,
  growthMs: 1,
  queue: 64,
  busyStatus: 429,
  leftMs: 0,
};

/** What `--slots` takes, for the help. */
export const CAPACITY_IN_WORDS = [
  "chats served at once, such as 8 or 8,queue=400,step=16ms",
  `queue: more chats that wait (${CAPACITY_DEFAULTS.queue}), then they are rejected with busy (${CAPACITY_DEFAULTS.busyStatus})`,
  `prefill: time per prompt token (${formatDuration(CAPACITY_DEFAULTS.prefillMs)})`,
  `step: time between the tokens of a single chat (${formatDuration(CAPACITY_DEFAULTS.stepMs)})`,
  `growth: what each further chat adds to step (${formatDuration(CAPACITY_DEFAULTS.growthMs)})`,
  `left: how long a chat keeps its slot after its client left (${formatDuration(CAPACITY_DEFAULTS.leftMs)})`,
].join("; ");

/**
 * Reads a capacity.
 * @throws UsageError for any other text
 */
export function parseCapacity(text: string): GivenCapacity {
  const [slots = "", ...members] = text.split(",");
  const read = members.map((member): Partial<Capacity> => {
    const [name = "", value = ""] = member.split("=").map((part) => part.trim());
    const reader = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    if (reader !== undefined) return reader(value);
    throw new UsageError(
      `"${member.trim()}" is no part of a capacity; write it like 8,queue=400, with ${Object.keys(MEMBERS).join(", ")}`,
    );
  });
  return Object.assign({ slots: parseCount(slots.trim()) }, ...read);
}

/** Writes a capacity the way `parseCapacity` reads it. */
export function formatCapacity(capacity: GivenCapacity): string {
  const { slots, prefillMs, stepMs, growthMs, queue, busyStatus, leftMs } = capacity;
  const times = Object.entries({ prefill: prefillMs, step: stepMs, growth: growthMs, left: leftMs });
  return [
    String(slots),
    ...times.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name}=${formatDuration(ms)}`])),
    ...(queue === undefined ? [] : [`queue=${queue}`]),
    ...(busyStatus === undefined ? [] : [`busy=${busyStatus}`]),
  ].join(",");
}

function rejectionOf(text: string): number {
  const status = parseCount(text);
  if (REJECTIONS.includes(status)) return status;
  throw new UsageError(`"${text}" is not the status of a rejection; choose ${REJECTIONS.join(" or ")}`);
}
