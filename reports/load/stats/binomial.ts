/** Exact tails of the binomial distribution. Pure. */

/** Coefficients of Lanczos' approximation of the gamma function, g = 7, n = 9 (Godfrey). */
const [FIRST, ...LANCZOS] = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;
const G = 7.5;

/** The logarithm of the gamma function, of a number of 1 or more. */
function logGamma(x: number): number {
  const sum = LANCZOS.reduce<number>((total, coefficient, at) => total + coefficient / (x + at), FIRST);
  const t = x - 1 + G;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const PRECISION = 1e-14;
const MOST_STEPS = 100_000;

/** The continued fraction of the incomplete beta function, by Lentz' method (Numerical Recipes, 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < MOST_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return fraction;
}

/** The regularized incomplete beta function, of a and b of 1 or more. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const factor = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (factor * betaFraction(x, a, b)) / a
    : 1 - (factor * betaFraction(1 - x, b, a)) / b;
}

/** The probability that at least `k` of `n` trials succeed, each of which does with the probability `p`. */
export const atLeast = (k: number, n: number, p: number): number =>
  k <= 0 ? 1 : k > n ? 0 : incompleteBeta(p, k, n - k + 1);

/** The probability that at most `k` of `n` trials succeed, each of which does with the probability `p`. */
export const atMost = (k: number, n: number, p: number): number =>
  k >= n ? 1 : k < 0 ? 0 : incompleteBeta(1 - p, n - k, k + 1);
