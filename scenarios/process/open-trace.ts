/** The traces of a run, read inside k6, so that k6 archives include them. */

import type { Trace } from "k6/x/assay";
import { hasStreams, streamsOf } from "../../load/shape/streams.ts";
import { readTrace } from "../../load/shape/traces.ts";
import { openLoad } from "./open-load.ts";

/** Reads what the run replays of a trace; only for arrivals that have one. @param position of the workload, where each has its own */
export function openTrace(position: number): Trace {
  const settings = openLoad();
  const arrival = streamsOf("", settings)[position]?.arrival;
  if (arrival?.process !== "trace") throw new Error("Cannot replay a trace: the run does not have one.");
  return readTrace(openFile(arrival.file), arrival, hasStreams(settings)).trace;
}

function openFile(file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open the trace ${file}: ${error}. arrival in load.json names it.`);
  }
}
