/** How a request, a task or a unit of work compares with the bounds that hold for each request. */

/** A bit per bound, by its number. */
export interface BoundCheck {
  /** Bounds whose metric it has, and does not exceed. */
  readonly met: number;
  readonly broken: number;
  /** Those of the broken that it exceeds even if the load generator was as late as it can have been. */
  readonly surely: number;
  /** Bounds that are so near that the lateness of the load generator decides: met or broken as measured. */
  readonly near: number;
  /** Bounds for which its record does not contain enough to decide. */
  readonly unknown: number;
}

/** Of a request that has none of the metrics. */
export const NO_BOUNDS: BoundCheck = { met: 0, broken: 0, surely: 0, near: 0, unknown: 0 };
