/** The segments of a run that several machines share, as k6 writes them: `1/4:1/2` is the second of four. Pure. */

/** A part of the run, from 0 to 1. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** Bounds that differ by less are the same: they are read from fractions. */
const SAME = 1e-9;

function fraction(text: string): number {
  const [, over = "", under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text) ?? [];
  return over === "" ? Number.NaN : Number(over) / Number(under);
}

function partOf(segment: string): Part | undefined {
  const [from, to] = segment.split(":").map(fraction);
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined;
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

const inOrder = (segments: readonly string[]): Part[] =>
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

/** Names of the segments that are not among these: `2/4` where they are equal parts, and as k6 writes it otherwise. */
export function missingSegments(segments: readonly string[]): string[] {
  if (inOrder(segments).length < segments.length || areWhole(segments)) return [];
  const names = segments.map(segmentName);
  const [of] = new Set(names.map((name) => /^\d+\/(\d+)$/.exec(name)?.[1]));
  if (of !== undefined && names.every((name) => name.endsWith(`/${of}`))) {
    return Array.from({ length: Number(of) }, (_, index) => `${index + 1}/${of}`).filter(
      (name) => !names.includes(name),
    );
  }
  const parts = [...inOrder(segments), { from: 1, to: 1 }];
  return parts.flatMap(({ from }, index) => {
    const before = parts[index - 1]?.to ?? 0;
    return from - before < SAME ? [] : [`${before}:${from}`];
  });
}
