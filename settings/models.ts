/** Models of requests, several by weight. Pure: runs in Node and inside k6. */

import { parseCount } from "./units.ts";

/** A model, and how often it is asked for relative to the others. */
export interface WeightedModel {
  readonly model: string;
  readonly weight: number;
}

/**
 * Reads one model, such as `assay-chat`, or several with weights, such as `base=3,lora-a=1`.
 * @throws UsageError for a weight that is not a whole number above zero
 */
export function parseModels(text: string): readonly WeightedModel[] {
  const entries = text.split(",").map((entry) => /^\s*([^=]+?)\s*=\s*(\d+)\s*$/.exec(entry));
  if (!entries.every((entry) => entry !== null)) return [{ model: text, weight: 1 }];
  return entries.map(([, model = "", weight = ""]) => ({ model, weight: parseCount(weight) }));
}
