/** Bounds of time that hold. */

/** Longest time that a timer of Node takes; a longer one would end at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/**
 * A signal that aborts after a time, with a `TimeoutError`, or with one of the others. It is in place of `AbortSignal.any` with a
 * signal of `AbortSignal.timeout`: Node 20 holds that one weakly there, and once it is collected as garbage, it never aborts.
 * `clear` ends the time before; until then, the time does not keep the process from ending.
 */
export function timeLimit(
  ms: number,
  ...others: readonly AbortSignal[]
): { readonly signal: AbortSignal; readonly clear: () => void } {
  const limit = new AbortController();
  const late = (): void => limit.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  const timer = setTimeout(late, Math.min(ms, LONGEST_MS)).unref();
  return { signal: AbortSignal.any([limit.signal, ...others]), clear: () => clearTimeout(timer) };
}
