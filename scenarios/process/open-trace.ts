/** The trace of a run, read inside k6, so that k6 archives include it. */

import type { Trace } from "k6/x/assay";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { readTrace } from "../../load/shape/traces.ts";

/** Reads what the run replays of its trace; only for a run that has one. */
export function openTrace({ arrival }: LoadSettings): Trace {
  if (arrival.process !== "trace") throw new Error("Cannot replay a trace: the run does not have one.");
  return readTrace(openFile(arrival.file), arrival).trace;
}

function openFile(file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open the trace ${file}: ${error}. arrival in load.json names it.`);
  }
}
