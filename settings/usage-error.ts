/**
 * Something the user asked for that cannot be done as asked; ends a command with exit code 3. The message says what was
 * attempted, what was seen and what to do.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The code of anything thrown, such as ECONNRESET; empty when it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The message of anything thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
