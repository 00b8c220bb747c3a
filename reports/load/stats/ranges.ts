/** Ranges of time that are looked at one after another, so that no query holds the values of a whole load. Pure. */

/** Values that a query over ranges holds at most, unless one interval alone has more. */
export const MOST_AT_ONCE = 500_000;

/** From an interval on, until before another; the first and the last of several ranges have no bound outside. */
export type Range = readonly [from: number, to: number];

/** Intervals of time that are numbered from an instant on, in microseconds. */
export interface Intervals {
  readonly startUs: number;
  readonly widthUs: number;
}

/**
 * All intervals, in as few ranges that follow one another as hold no more values than `most`.
 * @param counted how many values each interval has, in ascending order of its number
 */
export function rangesOf(counted: readonly { readonly at: number; readonly count: number }[], most: number): Range[] {
  const begins = [Number.NEGATIVE_INFINITY];
  let held = 0;
  for (const [index, { at, count }] of counted.entries()) {
    held += count;
    if (held <= most || index === 0) continue;
    begins.push(at);
    held = count;
  }
  return begins.map((from, index) => [from, begins[index + 1] ?? Number.POSITIVE_INFINITY]);
}

/** Number of the interval of an instant. */
export const intervalSql = ({ startUs, widthUs }: Intervals, instantUs: string): string =>
  `CAST(floor((${instantUs} - ${startUs}) / ${widthUs}) AS BIGINT)`;

/** Conditions that an instant is in a range. They are on the instant as it is stored, so that rows of other times need not be read. */
export const isInRangeSql = ({ startUs, widthUs }: Intervals, instantUs: string, [from, to]: Range): string[] => [
  ...(Number.isFinite(from) ? [`${instantUs} >= ${startUs + from * widthUs}`] : []),
  ...(Number.isFinite(to) ? [`${instantUs} < ${startUs + to * widthUs}`] : []),
];
