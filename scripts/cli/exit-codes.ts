/** Exit codes of every command. */
export const EXIT = {
  /** All that was asked holds. */
  holds: 0,
  /** The target fell short. */
  fellShort: 1,
  /** No conclusion: unreachable, blocked, not verified, invalid or interrupted. */
  noConclusion: 2,
  /** Usage or configuration error, or a fault of Assay's own. */
  usage: 3,
} as const;

/** The exit code of several results together: the higher the number, the less was concluded. */
export const worst = (codes: readonly number[]): number => Math.max(EXIT.holds, ...codes);

/** Why a command ends without a conclusion, in a sentence; ends it with exit code 2. */
export class NoConclusion extends Error {
  override readonly name = "NoConclusion";
}
