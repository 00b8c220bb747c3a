/** How the arrivals of an open loop follow each other. Pure: runs in Node and inside k6. */

import { isObject } from "../../lib/json.ts";
import { meantHint } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";

export type ArrivalProcess =
  | { readonly process: "constant" | "poisson" }
  /** `cv` is the coefficient of variation of the gaps. */
  | { readonly process: "gamma"; readonly cv: number }
  /** `speed` is how many times as fast the trace is replayed; absent: as it was recorded. */
  | { readonly process: "trace"; readonly file: string; readonly speed?: number };

/**
 * Reads `constant`, `poisson`, `gamma:CV`, `trace:FILE` or `trace:FILE@SPEED`.
 * @throws UsageError for any other text
 */
export function parseArrivalProcess(text: string): ArrivalProcess {
  if (text === "constant" || text === "poisson") return { process: text };
  const cv = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (cv > 0) return { process: "gamma", cv };
  const [, file, speed] = /^trace:(.+?)(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (file !== undefined) {
    if (speed === undefined) return { process: "trace", file };
    if (Number(speed) > 0) return { process: "trace", file, speed: Number(speed) };
    throw new UsageError(`"${text}" replays a trace at the speed 0; write trace:FILE@2 for twice as fast`);
  }
  const hint = meantHint(text, ["constant", "poisson"]);
  throw new UsageError(
    `"${text}" is not an arrival process; write constant, poisson, gamma:CV such as gamma:2, trace:FILE, or trace:FILE@2 for twice as fast${hint === "" ? "" : `.${hint}`}`,
  );
}

/** Reads one from JSON, with the members of the type. @throws UsageError for anything else */
export function readArrivalProcess(json: unknown): ArrivalProcess {
  const { process, cv, file, speed = 1 } = isObject(json) ? json : {};
  if (process === "trace" && typeof file === "string" && typeof speed === "number" && speed > 0) {
    return speed === 1 ? { process, file } : { process, file, speed };
  }
  return parseArrivalProcess(cv === undefined ? String(process) : `${process}:${cv}`);
}

/** Writes an arrival process the way `parseArrivalProcess` reads it. */
export function formatArrivalProcess(arrival: ArrivalProcess): string {
  if (arrival.process === "gamma") return `gamma:${arrival.cv}`;
  if (arrival.process !== "trace") return arrival.process;
  return `trace:${arrival.file}${arrival.speed === undefined ? "" : `@${arrival.speed}`}`;
}
