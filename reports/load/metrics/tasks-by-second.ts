/** How many video tasks were open at once, second by second. Pure. */

/** Instants in milliseconds since 1970. */
export interface OpenTask {
  readonly submittedAt: number;
  /** When it was seen to be over; undefined where it was not. */
  readonly overAt: number | undefined;
}

/**
 * The mean number of open tasks in each second.
 * @param from instant at which the first second begins
 * @param to instant at which the last one ends; it may be shorter
 */
export function openBySecond(tasks: Iterable<OpenTask>, from: number, to: number): Float64Array {
  const length = Math.max(0, (to - from) / 1_000);
  const seconds = Math.ceil(length);
  /** Tasks that are open from a second on, and their share of the second in which they begin. */
  const since = new Float64Array(seconds + 2);
  const share = new Float64Array(seconds + 2);
  const add = (instant: number, sign: 1 | -1): void => {
    const at = Math.min(length, Math.max(0, (instant - from) / 1_000));
    const second = Math.floor(at);
    const end = Math.min(second + 1, length);
    share[second] = (share[second] ?? 0) + sign * Math.max(0, end - at);
    since[second + 1] = (since[second + 1] ?? 0) + sign;
  };
  for (const { submittedAt, overAt = to } of tasks) {
    add(submittedAt, 1);
    add(overAt, -1);
  }
  const open = new Float64Array(seconds);
  let level = 0;
  for (let second = 0; second < seconds; second += 1) {
    level += since[second] ?? 0;
    const width = Math.min(1, length - second);
    open[second] = Math.max(0, level + (share[second] ?? 0) / width);
  }
  return open;
}
