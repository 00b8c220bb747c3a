/** The traces of a run, read inside k6, so that k6 archives include them. */

import type { Trace } from "k6/x/assay";
import { hasStreams, streamsOf } from "../../load/shape/streams.ts";
import { readTraces } from "../../load/shape/traces.ts";
import { openLoad } from "./open-load.ts";

/**
 * @returns reads what the stream at a position replays, each file once; only for streams that replay a trace. It holds what it read: let
 * it go when the extension has all.
 */
export function traceOpener(): (position: number) => Trace {
  const settings = openLoad();
  const processes = streamsOf("", settings).map(({ arrival }) => arrival);
  const read = readTraces(
    processes.filter((arrival) => arrival.process === "trace"),
    hasStreams(settings),
    openFile,
  );
  return (position) => {
    const process = processes[position];
    if (process?.process !== "trace") throw new Error("Cannot replay a trace: the run does not have one.");
    return read(process).trace;
  };
}

function openFile(file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open the trace ${file}: ${error}. arrival in load.json names it.`);
  }
}
