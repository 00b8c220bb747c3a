/**
 * Something the user asked for that cannot be done as asked; ends a command with exit code 3. The message says what was
 * attempted, what was seen and what to do.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The message of anything thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
