/** The capacity model of the mock: how many chats run at once, how their number slows them, and the saturation rate. */

import { CAPACITY_DEFAULTS, type Capacity } from "../../settings/mock-slots.ts";
import { UsageError } from "../../settings/usage-error.ts";

export type { Capacity };

/** Parts of a capacity; without slots there is no capacity. */
export type CapacityOptions = Partial<Capacity>;

/**
 * Completes a capacity; undefined without slots.
 * @throws UsageError for parts without slots, and for invalid numbers
 */
export function capacityOf(options: CapacityOptions): Capacity | undefined {
  const { slots, ...rest } = options;
  if (slots === undefined) {
    const [lone] = Object.entries(rest).find(([, value]) => value !== undefined) ?? [];
    if (lone === undefined) return undefined;
    throw new UsageError(
      "Cannot start the mock: it has options of a capacity, but no number of slots. Give --slots too.",
    );
  }
  const capacity = { ...CAPACITY_DEFAULTS, ...rest, slots };
  const { prefillMs, stepMs, growthMs, queue, busyStatus, leftMs } = capacity;
  if (!(slots >= 1)) throw new UsageError(`Cannot start the mock: --slots is ${slots}. Give 1 or more.`);
  if ([prefillMs, stepMs, growthMs, queue, leftMs].some((value) => !(value >= 0)) || stepMs === 0) {
    throw new UsageError("Cannot start the mock: its capacity has a negative number, or a step of 0.");
  }
  if (busyStatus === 429 || busyStatus === 503) return capacity;
  throw new UsageError(`Cannot start the mock: busy is ${busyStatus}. Choose 429 or 503.`);
}

/** Milliseconds between two tokens when `running` chats run: step + growth · (running − 1). */
export const stepAt = ({ stepMs, growthMs }: Capacity, running: number): number =>
  stepMs + growthMs * (Math.max(1, running) - 1);

/**
 * Milliseconds that a chat holds its slot when all slots are taken: prefill · prompt tokens, then a step for each
 * output token but the first, which the prefill yields.
 */
export const serviceMs = (capacity: Capacity, promptTokens: number, outputTokens: number): number =>
  capacity.prefillMs * promptTokens + (outputTokens - 1) * stepAt(capacity, capacity.slots);

/** Chats per second above which the queue grows: slots / service time. Mean token counts give the mean rate. */
export const saturationPerS = (capacity: Capacity, promptTokens: number, outputTokens: number): number =>
  (1000 * capacity.slots) / serviceMs(capacity, promptTokens, outputTokens);

/** The saturation rate and its formula in one line, for prompts and replies of these mean lengths. */
export function saturationLine(capacity: Capacity, promptTokens: number, outputTokens: number): string {
  const { slots, prefillMs } = capacity;
  const step = stepAt(capacity, slots);
  const rate = saturationPerS(capacity, promptTokens, outputTokens);
  return (
    `capacity: ${slots} slots saturate at ${rate.toPrecision(4)} chats/s with prompts of ${promptTokens} tokens and ` +
    `replies of ${outputTokens}: ${slots} / (${promptTokens} · ${prefillMs} ms + ${outputTokens - 1} · ${step} ms)`
  );
}
