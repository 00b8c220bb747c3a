/**
 * Milliseconds since 1970 by a clock that runs evenly: it is set once, when the process starts, and does not follow the clock
 * of the machine when that is set. Differences are elapsed times.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now();
