/** How much worse a metric may become in a comparison, as users write it. Pure. */

import { UsageError } from "./usage-error.ts";

/** A limit: of one metric, or of all that have none of their own. */
export interface RegressionLimit {
  /** Such as `ttft_p99`; absent: all. */
  readonly metric?: string;
  /** A share of the base; of a metric that is a share itself, a difference of shares: 0.01 is one percentage point. */
  readonly share: number;
}

/**
 * Reads `5%` or `ttft_p99=10%`, several joined by commas.
 * @throws UsageError
 */
export const parseRegressionLimits = (text: string): readonly RegressionLimit[] =>
  text.split(",").map((given) => {
    const [, metric, percent] = /^\s*(?:([a-z][\w.]*)\s*=)?\s*(\d+(?:\.\d+)?)\s*%\s*$/i.exec(given) ?? [];
    if (percent === undefined) {
      throw new UsageError(`"${given.trim()}" is not a limit; write one such as 5% or ttft_p99=10%`);
    }
    const share = Number(percent) / 100;
    if (share === 0) {
      throw new UsageError(
        `"${given.trim()}" allows no change at all, and no amount of data shows that there is none; write the smallest change that matters, such as 1%`,
      );
    }
    return { ...(metric && { metric: metric.toLowerCase() }), share };
  });

/** Writes limits the way `parseRegressionLimits` reads them. */
export const formatRegressionLimits = (limits: readonly RegressionLimit[]): string =>
  limits.map(({ metric, share }) => `${metric === undefined ? "" : `${metric}=`}${percentOf(share)}%`).join(",");

const percentOf = (share: number): number => Number((share * 100).toPrecision(12));
