/** Bounds as users write them, such as `icl_p99<50ms`, in parts. Pure: runs in Node and inside k6. */

import { modelOfPart } from "../../settings/load/models.ts";

export type Comparison = "<" | "<=" | ">" | ">=";

/** The parts of a bound. The name, which may end in a fraction as `ttft_p99.9` does, and the unit are in lower case; the unit may be empty. */
export interface Bound {
  /** What stands before a dot: the name of a workload, in lower case, or a model as it is, after `model:`. */
  readonly part?: string;
  readonly name: string;
  readonly comparison: Comparison;
  readonly amount: string;
  readonly unit: string;
}

/** The parts of a bound; undefined for any other text. The caller checks the name and the unit. */
export function readBound(text: string): Bound | undefined {
  const parts =
    /^(?:(model:.+|[a-z][a-z0-9-]*)\.)?([a-z][a-z0-9_]*(?:\.\d+)?)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(ms|s|m|\/s|%)?$/i.exec(
      text.trim(),
    );
  const [, part, name = "", comparison, amount = "", unit = ""] = parts ?? [];
  if (!isComparison(comparison)) return undefined;
  return {
    ...(part && { part: modelOfPart(part) === undefined ? part.toLowerCase() : part }),
    name: name.toLowerCase(),
    comparison,
    amount,
    unit: unit.toLowerCase(),
  };
}

const isComparison = (text: string | undefined): text is Comparison =>
  text === "<" || text === "<=" || text === ">" || text === ">=";

/**
 * The longest gap that an upper bound allows, in whole microseconds: `<50ms` allows 49999, `<=50ms` 50000. Every gap
 * is a whole number of microseconds, so counting the longer ones decides exactly whether a percentile holds.
 */
export function longestAllowedUs(comparison: "<" | "<=", boundMs: number): number {
  const nearby = Math.round(boundMs * 1_000);
  const allowed = (us: number) => (comparison === "<" ? us / 1_000 < boundMs : us / 1_000 <= boundMs);
  return allowed(nearby) ? nearby : nearby - 1;
}
