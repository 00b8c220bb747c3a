/** Apart from the other metrics, so that k6 need not hold all of them in each virtual user. */

/** A gap between two chunks that is longer than this counts as a stall, in milliseconds. */
export const STALL_MS = 1_000;
