/** The parts of the mixed scenario by weight. Pure: runs in Node and inside k6. */

import { parseCount } from "../units.ts";

export interface WeightedPart<P extends string = string> {
  /** Name of a scenario. */
  readonly part: P;
  readonly weight: number;
}

/**
 * Reads `chat-stream=6,embeddings=1`. Whether there are such scenarios is for the reader of all settings to check.
 * @throws UsageError for a weight that is not a whole number above zero
 */
export const parseMix = (text: string): readonly WeightedPart[] =>
  text.split(",").map((entry) => {
    const [part = "", weight = ""] = entry.split("=");
    return { part: part.trim(), weight: parseCount(weight) };
  });

/** Writes parts and weights the way `parseMix` reads them. */
export const formatMix = (mix: readonly WeightedPart[]): string =>
  mix.map(({ part, weight }) => `${part}=${weight}`).join(",");
