/** Values by rank without a sort of all of them: Hoare's Find (Communications of the ACM 4, 1961) for many ranks at once. Pure. */

/** A part with no more values is sorted. */
const FEW = 600;
/** Values that are looked at to find one near a rank. */
const PROBES = 64;

/**
 * Puts the values of these ranks, from 1, into the places that they have in ascending order. Ranks that no value has are left out.
 * @param rounds the limit of divisions, after which the rest is sorted: values can be arranged so that no division helps
 */
export function selectRanks(values: Float64Array, ranks: readonly number[], rounds = 64): void {
  const { length } = values;
  const wanted = ranks.filter((rank) => rank >= 1 && rank <= length);
  if (wanted.length === 0) return;
  if (length <= FEW || rounds === 0) {
    values.sort();
    return;
  }
  const pivot = valueNear(values, wanted[wanted.length >> 1] ?? 1);
  let [from, to] = [0, length - 1];
  while (from <= to) {
    while ((values[from] ?? pivot) < pivot) from += 1;
    while ((values[to] ?? pivot) > pivot) to -= 1;
    if (from > to) break;
    const value = values[from] ?? 0;
    values[from] = values[to] ?? 0;
    values[to] = value;
    from += 1;
    to -= 1;
  }
  // Up to `to` none is larger, from `from` on none is less, and one between is equal.
  const [below, above] = [to + 1, from];
  selectRanks(values.subarray(0, below), wanted, rounds - 1);
  selectRanks(
    values.subarray(above),
    wanted.map((rank) => rank - above),
    rounds - 1,
  );
}

function valueNear(values: Float64Array, rank: number): number {
  const probes = Float64Array.from(
    { length: PROBES },
    (_, at) => values[Math.floor((at * values.length) / PROBES)] ?? 0,
  );
  return probes.sort()[Math.floor(((rank - 1) * PROBES) / values.length)] ?? 0;
}
