/**
 * The position of the first of ascending numbers that is not below a value; their number when all are.
 * @param from a position that it is not before
 * @param to a position that it is not after
 */
export function firstFrom(ascending: Float64Array, value: number, from = 0, to = ascending.length): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
