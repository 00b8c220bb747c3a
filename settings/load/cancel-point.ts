/** When a video task that is to be cancelled is cancelled (`--set cancel-at`). Pure: runs in Node and inside k6. */

import { formatDuration, parseDuration } from "../units.ts";
import { UsageError } from "../usage-error.ts";

/**
 * `at-once`: after the response to its submission, before any poll. `processing`: after the first poll that shows it so.
 * `progress`: after the first poll that shows at least so much. `time`: so long after its submission, whatever polls show.
 */
export type CancelPoint =
  | { readonly kind: "at-once" | "processing" }
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "time"; readonly afterMs: number };

/**
 * Reads `at-once`, `processing`, a progress such as `50%`, or a time such as `20s`.
 * @throws UsageError for another text
 */
export function parseCancelPoint(text: string): CancelPoint {
  const point = text.trim();
  if (point === "at-once" || point === "processing") return { kind: point };
  const [, percent] = /^(\d{1,3})%$/.exec(point) ?? [];
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100) {
    return { kind: "progress", progress: Number(percent) };
  }
  const afterMs = percent === undefined && /^\d/.test(point) ? parseDuration(point) : 0;
  if (afterMs > 0) return { kind: "time", afterMs };
  throw new UsageError(
    `"${point}" is not a valid point; write at-once, processing, a progress such as 50%, or a time such as 20s`,
  );
}

/** Writes a point the way `parseCancelPoint` reads it. */
export function formatCancelPoint(point: CancelPoint): string {
  if (point.kind === "progress") return `${point.progress}%`;
  return point.kind === "time" ? formatDuration(point.afterMs) : point.kind;
}
