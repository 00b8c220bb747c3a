/** Quantiles of Student's t. */

import { normalQuantile } from "../../../lib/normal-quantile.ts";

/**
 * Quantile of Student's t: exact for 1 and 2 degrees of freedom, else G. W. Hill's expansion (Communications of the ACM 13,
 * 1970, algorithm 396), whose error is below 0.1% from 3 degrees of freedom on at the levels that intervals use.
 * @param p from 0 to 1, both excluded
 * @param df degrees of freedom, 1 or more
 */
export function tQuantile(p: number, df: number): number {
  if (p < 0.5) return -tQuantile(1 - p, df);
  if (df === 1) return Math.tan(Math.PI * (p - 0.5));
  const twoTails = 2 * (1 - p);
  if (df === 2) return Math.sqrt(2 / (twoTails * (2 - twoTails)) - 2);
  return hill(twoTails, df);
}

function hill(twoTails: number, df: number): number {
  const a = 1 / (df - 0.5);
  const b = (48 / a) * (1 / a);
  let c = ((20_700 * a) / b - 98) * a - 16;
  c = c * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * df;
  let y = (d * twoTails) ** (2 / df);
  if (y > 0.05 + a) {
    const x = normalQuantile(twoTails / 2);
    y = x * x;
    if (df < 5) c += 0.3 * (df - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    const near = 1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4);
    y = ((near * y - 1) * (df + 1)) / (df + 2) + 1 / y;
  }
  return Math.sqrt(df * y);
}
