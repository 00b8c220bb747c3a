/** The trace of a run, read inside k6, so that k6 archives include it. */

import type { Trace } from "k6/x/assay";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { atSpeed, parseTrace } from "../../load/shape/traces.ts";

/** Reads the run's trace at its speed; only for a run that has one. */
export function openTrace({ arrival }: LoadSettings): Trace {
  if (arrival.process !== "trace") throw new Error("Cannot replay a trace: the run does not have one.");
  return atSpeed(parseTrace(openFile(arrival.file), arrival.file), arrival.speed ?? 1);
}

function openFile(file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open the trace ${file}: ${error}. arrival in load.json names it.`);
  }
}
