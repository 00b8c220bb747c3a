/** Exit codes of every command. */
export const EXIT = {
  /** All objectives met. */
  passed: 0,
  /** The target failed: a required clause, an objective, a regression. */
  failed: 1,
  /** Inconclusive: unreachable, blocked, not verified, invalid or interrupted. */
  inconclusive: 2,
  /** Usage or configuration error, or an internal error. */
  usage: 3,
} as const;

/** The exit code of several results together: the higher the number, the less was concluded. */
export const worst = (codes: readonly number[]): number => Math.max(EXIT.passed, ...codes);

/** Why a command ends without a conclusion, in a sentence; ends it with exit code 2. */
export class InconclusiveError extends Error {
  override readonly name = "InconclusiveError";
}
