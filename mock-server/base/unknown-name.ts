/** The error for an unknown name of a timing, a behaviour or a fault. */

import { meantHint } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";

const SHOWN = 12;

/** Makes the error, with the nearest known name as a hint. */
export function unknownName(kind: string, name: string, known: readonly string[]): UsageError {
  const shown = known.slice(0, SHOWN).join(", ");
  const all = known.length > SHOWN ? `${shown}, … (${known.length} in all)` : shown;
  return new UsageError(`Cannot find the ${kind} "${name}".${meantHint(name, known)} Known: ${all}.`);
}
