/** How the arrivals of an open loop follow each other. Pure: runs in Node and inside k6. */

import { meantHint } from "./nearest.ts";
import { UsageError } from "./usage-error.ts";

export type ArrivalProcess =
  | { readonly process: "constant" | "poisson" }
  /** `cv` is the coefficient of variation of the gaps. */
  | { readonly process: "gamma"; readonly cv: number }
  | { readonly process: "trace"; readonly file: string };

/**
 * Reads `constant`, `poisson`, `gamma:CV` or `trace:FILE`.
 * @throws UsageError for any other text
 */
export function parseArrivalProcess(text: string): ArrivalProcess {
  if (text === "constant" || text === "poisson") return { process: text };
  const cv = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (cv > 0) return { process: "gamma", cv };
  const file = /^trace:(.+)$/.exec(text)?.[1];
  if (file !== undefined) return { process: "trace", file };
  const hint = meantHint(text, ["constant", "poisson"]);
  throw new UsageError(
    `"${text}" is not an arrival process; write constant, poisson, gamma:CV such as gamma:2, or trace:FILE${hint === "" ? "" : `.${hint}`}`,
  );
}

/** Writes an arrival process the way `parseArrivalProcess` reads it. */
export function formatArrivalProcess(arrival: ArrivalProcess): string {
  if (arrival.process === "gamma") return `gamma:${arrival.cv}`;
  return arrival.process === "trace" ? `trace:${arrival.file}` : arrival.process;
}
