/** The segments of a run that several machines share, as k6 writes them: `1/4:1/2` is the second of four. Pure. */

/** A part of the run, from 0 to 1. */
interface Range {
  readonly from: number;
  readonly to: number;
  /** Both as they are written. */
  readonly bounds: readonly [string, string];
}

/** Bounds that differ by less are the same: they are read from fractions. */
const SAME = 1e-9;

function fraction(text: string): number {
  const [, over = "", under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text) ?? [];
  return over === "" ? Number.NaN : Number(over) / Number(under);
}

function partOf(segment: string): Range | undefined {
  const [lower = "", upper = ""] = segment.split(":");
  const [from, to] = [fraction(lower), fraction(upper)];
  return from < to ? { from, to, bounds: [lower, upper] } : undefined;
}

/** `2/4` for the second of four equal segments; another one as k6 writes it. */
export function segmentName(segment: string): string {
  const part = partOf(segment);
  if (part === undefined) return segment;
  const of = 1 / (part.to - part.from);
  const number = part.to * of;
  const even = [of, number].every((value) => Math.abs(value - Math.round(value)) < SAME * of);
  return even ? `${Math.round(number)}/${Math.round(of)}` : segment;
}

/** Of how many equal segments one is: 4 for `1/4:1/2`; 1 for what is none of several. */
export const partsOf = (segment: string): number => Number(/^\d+\/(\d+)$/.exec(segmentName(segment))?.[1] ?? 1);

const inOrder = (segments: readonly string[]): Range[] =>
  segments.flatMap((segment) => partOf(segment) ?? []).sort((a, b) => a.from - b.from);

/** Share of the run that segments are. */
export const shareOf = (segments: readonly string[]): number =>
  inOrder(segments).reduce((sum, { from, to }) => sum + to - from, 0);

/** Whether segments are together the whole run. */
export const areWhole = (segments: readonly string[]): boolean => Math.abs(shareOf(segments) - 1) < SAME;

/** Whether a part of the run lies in two of the segments. */
export function overlap(segments: readonly string[]): boolean {
  const parts = inOrder(segments);
  return parts.some(({ from }, index) => from < (parts[index - 1]?.to ?? 0) - SAME);
}

/** The whole run, as k6 writes it. */
export const WHOLE = "0:1";

/** `1/3:2/3` for `2/3`, one of several equal parts. @param part as `--segment` has it; absent: the whole run */
export function segmentOfPart(part: string | undefined): string {
  const [number = 1, of = 1] = (part ?? "1/1").split("/").map(Number);
  return of === 1 ? WHOLE : `${number === 1 ? "0" : `${number - 1}/${of}`}:${number === of ? "1" : `${number}/${of}`}`;
}

/** The segment that several are together, where they follow on each other; undefined where something is between two. */
export function joined(segments: readonly string[]): string | undefined {
  const parts = inOrder(segments);
  const [first, last] = [parts[0], parts.at(-1)];
  const isWhole = parts.every(({ from }, index) => index === 0 || Math.abs(from - (parts[index - 1]?.to ?? 0)) < SAME);
  return first && last && isWhole && parts.length === segments.length
    ? `${first.bounds[0]}:${last.bounds[1]}`
    : undefined;
}

/**
 * Names of the segments that are not among these: `2/4` where they are equal parts, and as k6 writes it otherwise.
 * @param within what they are to be together
 */
export function missingSegments(segments: readonly string[], within = WHOLE): string[] {
  const whole = partOf(within);
  const parts = inOrder(segments);
  if (whole === undefined || parts.length < segments.length) return [];
  const length = (parts[0]?.to ?? 0) - (parts[0]?.from ?? 0);
  const areEqual = parts.every(({ from, to }) => Math.abs(to - from - length) < SAME);
  const end = { from: whole.to, to: whole.to, bounds: [whole.bounds[1], ""] as const };
  return [...parts, end].flatMap(({ from, bounds: [upper] }, index) => {
    const before = parts[index - 1] ?? { to: whole.from, bounds: ["", whole.bounds[0]] as const };
    if (from - before.to < SAME) return [];
    const count = Math.round((from - before.to) / length);
    const isEven = areEqual && Math.abs(count * length - (from - before.to)) < SAME;
    const [of, first] = [Math.round(1 / length), Math.round(before.to / length) + 1];
    return isEven && Math.abs(of * length - 1) < SAME * of && Math.abs((first - 1) * length - before.to) < SAME
      ? Array.from({ length: count }, (_, number) => `${first + number}/${of}`)
      : [segmentName(`${before.bounds[1]}:${upper}`)];
  });
}
