/** Interrupts such as Ctrl-C: the first asks for a clean end, the second for an immediate one. */

import type { Progress } from "./console.mjs";

/** Variable of a child process whose standard input closes when its parent is gone: it ends then. */
export const PARENT_PIPE = "ASSAY_PARENT_PIPE";

/** Its value for a k6 that is told over the pipe how its target is reached (`extension/parentpipe/`). */
export const TELLING = "telling";

export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How soon the user wants to stop. */
export type Urgency = "gently" | "now";

/**
 * Watches for interrupts while `work` runs; the process is not ended by them.
 * @param onInterrupt called with "gently" at the first signal and "now" at each later one
 */
export async function whileInterruptible<T>(
  onInterrupt: (urgency: Urgency) => void,
  work: () => Promise<T>,
): Promise<T> {
  let signals = 0;
  const listen = (): void => onInterrupt(signals++ === 0 ? "gently" : "now");
  for (const signal of SIGNALS) process.on(signal, listen);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, listen);
  }
}

/**
 * Carries out work of several runs; an interrupt does not end the process between two of them either.
 * @param work is given a signal that aborts when no further run is to start
 */
export async function untilInterrupted<T>(progress: Progress, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leave = new AbortController();
  const stop = (): void => {
    if (!leave.signal.aborted) progress.say("Stopping: no further run is started.");
    leave.abort();
  };
  return whileInterruptible(stop, () => work(leave.signal));
}

/** Calls `end` at an interrupt that nothing else watches for: without it, the process would end by the signal, with no exit code. */
export function onUnwatchedInterrupt(end: () => void): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) end();
    });
  }
}

/**
 * Takes the end of standard input for an interrupt, where the parent set the variable for that: it has ended, or wants an end.
 * A child in a group of its own gets no signal of the terminal, and on Windows there is no other way to end it in good order.
 */
export function interruptWithParent(): void {
  if (process.env[PARENT_PIPE] !== "1") return;
  // What this process starts has a parent of its own.
  delete process.env[PARENT_PIPE];
  const { stdin } = process;
  const end = (): void => void process.emit("SIGTERM");
  stdin.once("end", end).once("error", end).resume();
  // The pipe does not keep the process alive.
  stdin.unref();
}
