/** How the arrivals of an open loop follow each other. Pure: runs in Node and inside k6. */

import { isObject } from "../../lib/json.ts";
import { meantHint, notOneOf } from "../nearest.ts";
import { formatDuration, parseDuration } from "../units.ts";
import { UsageError } from "../usage-error.ts";

/** Milliseconds of each unit that the times of a trace can be in. */
export const UNIT_MS = { s: 1_000, ms: 1, us: 1e-3, ns: 1e-6 } as const;
export type TimeUnit = keyof typeof UNIT_MS;

/** A trace, and what of it is replayed how. */
export interface TraceProcess {
  readonly process: "trace";
  readonly file: string;
  /** How many times as fast the trace is replayed; absent: as it was recorded. */
  readonly speed?: number;
  /** The unit of its times, where they are numbers; absent: found by what is plausible. */
  readonly unit?: TimeUnit;
  /** The part that is replayed, in milliseconds of the trace since its first arrival: the first included, the last not. */
  readonly from?: number;
  readonly to?: number;
  /** Only the entries of this operation, tenant or model, where they state one. */
  readonly operation?: string;
  readonly tenant?: string;
  readonly model?: string;
}

export type ArrivalProcess =
  | { readonly process: "constant" | "poisson" }
  /** `cv` is the coefficient of variation of the gaps. */
  | { readonly process: "gamma"; readonly cv: number }
  | TraceProcess;

/**
 * Reads `constant`, `poisson`, `gamma:CV`, or `trace:FILE` with options such as `trace:FILE@2,unit=s,from=10m,to=20m`; `speed=2x` is
 * the same as `@2`.
 * @throws UsageError for any other text
 */
export function parseArrivalProcess(text: string): ArrivalProcess {
  if (text === "constant" || text === "poisson") return { process: text };
  const cv = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (cv > 0) return { process: "gamma", cv };
  const [, file, speed, options = ""] = TRACE.exec(text) ?? [];
  if (file !== undefined) {
    const given = [...(speed === undefined ? [] : [["speed", speed]]), ...optionsIn(options)];
    return checkedTrace(
      { process: "trace", file, ...Object.assign({}, ...given.map(([name, value]) => optionOf(name, value, text))) },
      text,
    );
  }
  const hint = meantHint(text, ["constant", "poisson"]);
  throw new UsageError(
    `"${text}" is not an arrival process; write constant, poisson, gamma:CV such as gamma:2, trace:FILE, or trace:FILE@2 for twice as fast${hint === "" ? "" : `.${hint}`}`,
  );
}

/** Options are at the end: the name of a file may have commas and more. */
const TRACE = /^trace:(.+?)(?:@(\d+(?:\.\d+)?))?((?:,(?:speed|unit|from|to|operation|tenant|model)=[^,]*)*)$/;

/** The trace that `trace:FILE` with options names; undefined for any other text, such as a path. */
export function namedTrace(text: string): TraceProcess | undefined {
  const process = text.startsWith("trace:") ? parseArrivalProcess(text) : undefined;
  return process?.process === "trace" ? process : undefined;
}

const optionsIn = (options: string): string[][] =>
  options
    .split(",")
    .filter((option) => option !== "")
    .map((option) => option.split("="));

function optionOf(name = "", value = "", text = ""): Partial<TraceProcess> {
  if (name === "unit") {
    if (isUnit(value)) return { unit: value };
    throw new UsageError(`Cannot read the unit in "${text}": ${notOneOf(value, Object.keys(UNIT_MS))}`);
  }
  if (name === "operation" || name === "tenant" || name === "model") return { [name]: value };
  if (name === "speed") return { speed: Number(/^(\d+(?:\.\d+)?)x?$/.exec(value)?.[1] ?? 0) };
  return { [name]: parseDuration(value) };
}

const isUnit = (value: unknown): value is TimeUnit => typeof value === "string" && Object.hasOwn(UNIT_MS, value);

function checkedTrace(trace: TraceProcess, text: string): TraceProcess {
  const { speed = 1, from = 0, to = Number.POSITIVE_INFINITY } = trace;
  if (!(speed > 0)) {
    throw new UsageError(`"${text}" replays a trace at the speed 0; write trace:FILE@2 for twice as fast`);
  }
  if (from >= to) {
    throw new UsageError(`"${text}" replays nothing: it ends (to) before it starts (from)`);
  }
  return trace;
}

/** Reads one from JSON, with the members of the type. @throws UsageError for anything else */
export function readArrivalProcess(json: unknown): ArrivalProcess {
  const { process, cv, file, speed = 1, unit, from, to, operation, tenant, model } = isObject(json) ? json : {};
  if (process === "trace" && typeof file === "string" && typeof speed === "number" && speed > 0) {
    return {
      process,
      file,
      ...(speed !== 1 && { speed }),
      ...(isUnit(unit) && { unit }),
      ...(typeof from === "number" && { from }),
      ...(typeof to === "number" && { to }),
      ...(typeof operation === "string" && { operation }),
      ...(typeof tenant === "string" && { tenant }),
      ...(typeof model === "string" && { model }),
    };
  }
  return parseArrivalProcess(cv === undefined ? String(process) : `${process}:${cv}`);
}

/** Writes an arrival process the way `parseArrivalProcess` reads it. */
export function formatArrivalProcess(arrival: ArrivalProcess): string {
  if (arrival.process === "gamma") return `gamma:${arrival.cv}`;
  if (arrival.process !== "trace") return arrival.process;
  const { file, speed, unit, from, to, operation, tenant, model } = arrival;
  return [
    `trace:${file}${speed === undefined ? "" : `@${speed}`}`,
    ...(unit === undefined ? [] : [`unit=${unit}`]),
    ...(from === undefined ? [] : [`from=${formatDuration(from)}`]),
    ...(to === undefined ? [] : [`to=${formatDuration(to)}`]),
    ...(operation === undefined ? [] : [`operation=${operation}`]),
    ...(tenant === undefined ? [] : [`tenant=${tenant}`]),
    ...(model === undefined ? [] : [`model=${model}`]),
  ].join(",");
}

/** Names of the columns of a trace, in lower case and letters only. */
export const TRACE_COLUMNS = {
  time: ["timestamp"],
  input: ["contexttokens", "requesttokens", "inputlength", "inputtokens"],
  session: ["sessionid"],
  output: ["generatedtokens", "responsetokens", "outputlength", "outputtokens"],
} as const;

/** A name as these are written. */
export const columnName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** Whether these names are those of a trace: of a time, and of a length in tokens. */
export const isTraceHeader = (names: readonly string[]): boolean =>
  [[...TRACE_COLUMNS.time], [...TRACE_COLUMNS.input, ...TRACE_COLUMNS.output]].every((known: readonly string[]) =>
    names.some((name) => known.includes(columnName(name))),
  );
