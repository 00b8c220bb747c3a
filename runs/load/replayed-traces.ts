/** The traces that a load replays: that of the whole load, or those of its workloads. */

import { isWorkloadKind } from "../../contract/operations.ts";
import { hasTurns, LINES_OF_TEXT, promptEntries, type ReadPrompt } from "../../load/inputs/prompts.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { streamsOf } from "../../load/shape/streams.ts";
import { arrivalsOfTrace, lengthOfTrace } from "../../load/shape/trace-counts.ts";
import { type TraceFacts, traceFacts } from "../../load/shape/trace-facts.ts";
import { SESSION_MEMBERS } from "../../load/shape/trace-rows.ts";
import { type ReadTrace, readTraces, type Trace } from "../../load/shape/traces.ts";
import type { ArrivalProcess, TraceProcess } from "../../settings/load/arrival-process.ts";
import { CHATS } from "../../settings/load/load-table.ts";
import { hasArrivals, type Workloads } from "../../settings/load/workload.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** A trace, and how it is replayed. */
export interface NamedTrace extends ReadTrace {
  readonly process: TraceProcess;
}

/** Traces by the name of the workload that replays each; that of a whole load by its scenario. */
export type ReadTraces = Readonly<Record<string, NamedTrace>>;

/** What replays a trace, as far as it is known before its settings are checked. */
interface Replaying {
  readonly name: string;
  /** What it sends; absent: a scenario of the user's own does. */
  readonly operation: string | undefined;
  readonly arrival?: ArrivalProcess | undefined;
}

/**
 * @param readFile the text of a file
 * @throws UsageError when a file cannot be read, or has requests of another kind than are sent
 */
export function tracesOf(
  scenario: string,
  { arrival, workload }: { readonly arrival: ArrivalProcess; readonly workload: Workloads | undefined },
  readFile: (file: string) => string,
): ReadTraces {
  const own = workload?.workloads.every(hasArrivals) ? workload.workloads : undefined;
  const all: readonly Replaying[] = own?.map(({ name, operation, settings }) => ({ name, operation, ...settings })) ?? [
    { name: scenario, operation: scenario, arrival },
  ];
  const replaying = all.flatMap(({ name, operation, arrival: process }) =>
    process?.process === "trace" ? [{ name, operation, process }] : [],
  );
  const processes = replaying.map(({ process }) => process);
  const read = readTraces(processes, own !== undefined, (file) => textOfTrace(file, readFile(file)));
  return Object.fromEntries(
    replaying.map(({ name, operation, process }) => [name, { process, ...ofOperation(operation, read(process)) }]),
  );
}

/** @throws UsageError where the text of a file is that of a data set */
function textOfTrace(file: string, text: string): string {
  const prompts = dataSetIn(text);
  if (prompts === undefined) return text;
  const turns = hasTurns(prompts.prompt) ? " --turns 20" : "";
  throw new UsageError(
    `Cannot read arrivals from ${file}: it is a data set (layout: ${prompts.layout}), whose entries have no timestamp. Send its prompts at a rate: --prompts ${file}${turns} --rate 1.`,
  );
}

/** @throws UsageError where a trace is of other requests than those that are sent; a chat may be streamed or not */
function ofOperation(sent: string | undefined, read: ReadTrace): ReadTrace {
  const { operation: own } = read.source;
  if (own === undefined || sent === undefined || own === sent || !isWorkloadKind(sent)) return read;
  if ([own, sent].every((each) => CHATS.some((chat) => chat === each))) return read;
  throw new UsageError(
    `Cannot replay the trace with ${sent}: its requests are of ${own}. Run assay load ${own}, or choose others of it, such as trace:FILE,operation=${sent}.`,
  );
}

/** Members that say when an entry was sent, in a trace and in a log. */
const TIMES: readonly string[] = ["timestamp", "startTime"];

/** The first prompt of a file whose entries are prompts without a time; undefined for any other. */
function dataSetIn(text: string): ReadPrompt | undefined {
  try {
    const value: ReadPrompt | undefined = promptEntries([text], "").next().value;
    if (!value || value.layout === LINES_OF_TEXT) return undefined;
    return value.unused.some((member) => TIMES.includes(member)) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A trace that holds its prompts is the file of prompts, in its order, unless others were given. */
export function textsOf(
  read: NamedTrace | undefined,
  { prompts, inputTokens }: Partial<Pick<Workload, "prompts" | "inputTokens">>,
): Partial<Pick<Workload, "prompts" | "promptsOrder">> {
  const isTaken = read?.source.hasTexts && prompts === undefined && inputTokens === undefined;
  return isTaken ? { prompts: read.process.file, promptsOrder: "sequential" } : {};
}

/** The traces of a plan. */
interface Replays {
  readonly traces: Readonly<Record<string, Trace>>;
  /** What is said of them, as much as the settings replay. */
  readonly replayed: TraceFacts;
}

/** Undefined for a load without a trace. */
export function replaysOf(all: ReadTraces, scenario: string, settings: LoadSettings): Replays | undefined {
  const { warmup, duration, sessionHeader } = settings;
  const replayed = streamsOf(scenario, settings).flatMap(({ name, maxRequests }) => {
    const read = all[name];
    if (read === undefined) return [];
    const arrivals = arrivalsOfTrace(read.trace, { warmup, duration, maxRequests });
    return [{ ...read, speed: read.process.speed ?? 1, arrivals }];
  });
  if (replayed.length === 0) return undefined;
  const facts = traceFacts(replayed);
  // Conversations are sessions, with or without a header that says so.
  const usesSessions = sessionHeader !== undefined || facts.requests !== undefined;
  const unused = facts.unused?.filter((name) => !usesSessions || !SESSION_MEMBERS.includes(name)) ?? [];
  return {
    traces: Object.fromEntries(Object.entries(all).map(([name, { trace }]) => [name, trace])),
    replayed: { ...facts, unused: unused.length === 0 ? undefined : unused },
  };
}

/**
 * How long traces are replayed: whole and without a warm-up, unless these were given. A warm-up leaves out that much of
 * their beginning, a duration limits what is measured.
 * @throws UsageError when the warm-up is as long as the longest
 */
export function replayShape(
  all: ReadTraces,
  { warmup, duration, workloads }: LoadSettings,
  given: ReadonlySet<string>,
): Pick<LoadSettings, "warmup" | "duration"> {
  const wholeMs = Math.max(...Object.values(all).map(({ trace }) => lengthOfTrace(trace)));
  const warmupMs = given.has("warmup") ? warmup : 0;
  if (warmupMs >= wholeMs) {
    throw new UsageError(
      `Cannot replay the trace: it takes ${formatDuration(wholeMs)}, and the warm-up of ${formatDuration(warmupMs)} leaves nothing of it. Shorten --warmup.`,
    );
  }
  const restMs = wholeMs - warmupMs;
  const isAll = workloads.every(({ arrival }) => arrival.process === "trace");
  return {
    warmup: warmupMs,
    duration: given.has("duration") ? (isAll ? Math.min(duration, restMs) : duration) : restMs,
  };
}
