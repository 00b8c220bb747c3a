/** Whether a published result follows from the evidence beside it: what both kinds of results have in common. Pure. */

import type { EvidenceFile } from "../formats/conformance.ts";
import { canonical, type Json } from "../lib/json.ts";

export interface Verification {
  /** A sentence for each way in which the published result does not follow from the evidence; none when it does. */
  readonly differences: readonly string[];
  /** Verdicts or values that were made of the evidence again, and are the published ones. */
  readonly reproduced: number;
  /** Those that stand as they were recorded, since they could not be made again. */
  readonly standing: number;
  /** Whether the result names hashes of its evidence, so that a change of it is seen. */
  readonly hashed: boolean;
}

/**
 * Files that are not those whose hashes a result names, a sentence each.
 * @param result name of its file
 */
export function changedFiles(
  result: string,
  published: readonly EvidenceFile[],
  now: readonly EvidenceFile[],
): string[] {
  const byName = new Map(now.map((file) => [file.file, file]));
  return published.flatMap(({ file, sha256 }) => {
    const found = byName.get(file);
    if (found === undefined) return [`${file} is missing; ${result} gives its SHA-256, ${sha256}`];
    if (found.sha256 === sha256) return [];
    return [`${file} was changed: its SHA-256 is ${found.sha256}, and ${result} gives ${sha256}`];
  });
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** A value as the text of a message; equal values have equal texts. */
export const textOf = (value: unknown): string => (value === undefined ? "absent" : canonical(asJson(value)));
