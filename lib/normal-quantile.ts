/** Quantile of the standard normal distribution by P. J. Acklam's rational approximations. */

const TAIL = 0.02425;

/** Coefficients of the highest power first. */
const MIDDLE = {
  above: [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
  ],
  below: [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
};
const TAILS = {
  above: [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  below: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
};

/**
 * With a relative error below 1.2e-9.
 * @param p from 0 to 1, both excluded
 */
export function normalQuantile(p: number): number {
  if (p > 1 - TAIL) return -inTail(1 - p);
  if (p < TAIL) return inTail(p);
  const centred = p - 0.5;
  return centred * ratio(MIDDLE, centred * centred);
}

const inTail = (p: number): number => ratio(TAILS, Math.sqrt(-2 * Math.log(p)));

const ratio = ({ above, below }: typeof MIDDLE, x: number): number => polynomial(above, x) / polynomial(below, x);

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
