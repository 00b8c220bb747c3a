/** The error of a caller who asked for something that the mock cannot do: the command line prints it and exits with 3. */

/** A wrong option of the mock. Its message says what was attempted, what was seen and what to do. */
export class MockUsageError extends Error {
  override readonly name = "MockUsageError";
}

/** Makes the error of an unknown name, with the nearest known one as a hint. */
export function unknownName(kind: string, name: string, known: readonly string[]): MockUsageError {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const shown = known.length > 12 ? `${known.slice(0, 12).join(", ")}, … (${known.length} in all)` : known.join(", ");
  return new MockUsageError(`Cannot find the ${kind} "${name}".${hint} Known: ${shown}.`);
}

/** The known name with the fewest edits from `name`, when it is near enough to be meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(name, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(2, Math.floor(name.length / 2)) ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
