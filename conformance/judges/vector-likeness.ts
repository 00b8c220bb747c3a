/** What a vector looks like beside the one that it should be: the same, or a copy that was changed in a way that is known. Pure. */

export type Vector = readonly number[];

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
const lengthOf = (a: Vector): number => Math.sqrt(dot(a, a));
const cosine = (a: Vector, b: Vector): number => dot(a, b) / (lengthOf(a) * lengthOf(b));

/** How far a vector is from another of as many numbers, as a share of the length of that one; infinite for other lengths. */
export function distance(a: Vector, b: Vector): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  const apart = lengthOf(a.map((value, i) => value - (b[i] ?? 0)));
  return apart === 0 ? 0 : apart / lengthOf(b);
}

/** Cosine of vectors of one direction, and of a copy that lost precision. */
const SAME_DIRECTION = 0.999;
const NEARLY = 0.98;

/** Fewest numbers of which it can be told that they were rounded. */
const FEWEST = 8;

/**
 * Formats of fewer bits than 32: the bits that a number of it lacks, the most that rounding or cutting to it changes a number, and the
 * least that it changes a vector, as shares.
 */
const ROUNDED = [
  { name: "a copy rounded to bfloat16", lacks: 16, most: 2 ** -7, least: 4e-4 },
  { name: "a copy rounded to half precision (float16)", lacks: 13, most: 2 ** -10, least: 5e-5 },
] as const;
const SHARE_ROUNDED = 0.9;

/** Whether the bits of 32-bit floats beyond a precision are all 0. */
const lacksBits = (vector: Vector, count: number): boolean =>
  new Uint32Array(Float32Array.from(vector).buffer).every((bits) => (bits & (2 ** count - 1)) === 0);

/** The format that a vector was rounded to, and the other one was not. */
function roundingOf(found: Vector, wanted: Vector, apart: number): string | undefined {
  return ROUNDED.find(({ lacks, most, least }) => {
    if (apart < least || !lacksBits(found, lacks) || lacksBits(wanted, lacks)) return false;
    const near = found.filter(
      (value, i) => Math.abs(value - (wanted[i] ?? 0)) <= 1.01 * most * Math.abs(wanted[i] ?? 0),
    );
    return near.length >= SHARE_ROUNDED * found.length;
  })?.name;
}

const isNearInteger = (value: number): boolean => Math.abs(value - Math.round(value)) < 0.01;

/** Whether the numbers are 8-bit integers, or such integers times one factor. */
function isQuantised(vector: Vector): boolean {
  const least = vector.reduce((a, b) => Math.min(a, b), 0);
  const most = vector.reduce((a, b) => Math.max(a, b), 0);
  const [step, range] = [Math.max(-least, most) / 127, (most - least) / 255];
  return (
    vector.every(Number.isInteger) ||
    vector.every((value) => isNearInteger(value / step)) ||
    vector.every((value) => isNearInteger((value - least) / range))
  );
}

/**
 * What a vector looks like beside the one that it should be; undefined where it is that one.
 * @param tolerance the distance of vectors that count as equal
 */
export function likenessOf(found: Vector, wanted: Vector, tolerance: number): string | undefined {
  if (found.length !== wanted.length) return partOf(found, wanted);
  const apart = distance(found, wanted);
  const canTell = found.length >= FEWEST;
  const rounded = canTell ? roundingOf(found, wanted, apart) : undefined;
  const likeness = cosine(found, wanted);
  if (rounded !== undefined) return rounded;
  if (canTell && likeness >= NEARLY && isQuantised(found) && !isQuantised(wanted)) return "a copy quantised to 8 bits";
  if (apart <= tolerance) return undefined;
  if (likeness >= SAME_DIRECTION) return scaled(lengthOf(found), lengthOf(wanted));
  return Number.isNaN(likeness) ? "another vector" : `another vector (cosine similarity ${likeness.toFixed(3)})`;
}

const isOne = (length: number): boolean => Math.abs(length - 1) < 1e-3;

const scaled = (found: number, wanted: number): string =>
  isOne(found) && !isOne(wanted)
    ? "a copy normalised to length 1"
    : `a copy whose length is ${(found / wanted).toPrecision(3)} times as much`;

/** What a vector of another number of numbers looks like. */
function partOf(found: Vector, wanted: Vector): string {
  const isPart = found.length < wanted.length && cosine(found, wanted.slice(0, found.length)) >= SAME_DIRECTION;
  return isPart
    ? `the first ${found.length} of ${wanted.length} numbers`
    : `${found.length} numbers in place of ${wanted.length}`;
}

const HALF_BIAS = 15;

/** A half-precision float (IEEE 754 binary16). */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 0x1f, (bits & 0x3ff) / 0x400];
  if (exponent === 0) return sign * 2 ** (1 - HALF_BIAS) * fraction;
  return exponent === 0x1f ? Number.NaN : sign * 2 ** (exponent - HALF_BIAS) * (1 + fraction);
}

interface Format {
  readonly name: string;
  /** Bytes of a number. */
  readonly size: number;
  readonly read: (bytes: DataView, at: number) => number;
}

const FLOAT32: Format = { name: "32-bit floats", size: 4, read: (bytes, at) => bytes.getFloat32(at, true) };

/** Other formats in which numbers are sent by mistake. */
const OTHER_FORMATS: readonly Format[] = [
  { name: "32-bit floats in big-endian byte order", size: 4, read: (bytes, at) => bytes.getFloat32(at) },
  { name: "64-bit floats", size: 8, read: (bytes, at) => bytes.getFloat64(at, true) },
  { name: "64-bit floats in big-endian byte order", size: 8, read: (bytes, at) => bytes.getFloat64(at) },
  { name: "half-precision floats (float16)", size: 2, read: (bytes, at) => half(bytes.getUint16(at, true)) },
  {
    name: "half-precision floats (float16) in big-endian byte order",
    size: 2,
    read: (bytes, at) => half(bytes.getUint16(at)),
  },
  {
    name: "bfloat16 numbers",
    size: 2,
    read: (bytes, at) => new Float32Array(Uint32Array.of(bytes.getUint16(at, true) << 16).buffer)[0] ?? 0,
  },
  { name: "32-bit integers", size: 4, read: (bytes, at) => bytes.getInt32(at, true) },
  { name: "8-bit integers", size: 1, read: (bytes, at) => bytes.getInt8(at) },
  { name: "unsigned 8-bit integers", size: 1, read: (bytes, at) => bytes.getUint8(at) - 128 },
];

function decoded(bytes: Buffer, { size, read }: Format): Vector {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => read(view, i * size));
}

/** The 32-bit floats of a vector in base64, in the byte order of the interface; undefined where it is none. */
export function floatsIn(text: string): Vector | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % FLOAT32.size !== 0) return undefined;
  const floats = decoded(bytes, FLOAT32);
  return floats.every(Number.isFinite) ? floats : undefined;
}

/** The same as `likenessOf`, of a vector in base64. */
export function base64Likeness(text: string, wanted: Vector, tolerance: number): string | undefined {
  const floats = floatsIn(text);
  const found = floats && likenessOf(floats, wanted, tolerance);
  if (floats !== undefined && found === undefined) return undefined;
  const bytes = Buffer.from(text, "base64");
  const other = OTHER_FORMATS.find((format) => {
    const numbers = bytes.length === format.size * wanted.length ? decoded(bytes, format) : [];
    return numbers.length > 0 && numbers.every(Number.isFinite) && cosine(numbers, wanted) >= NEARLY;
  });
  if (other !== undefined) return other.name;
  if (bytes.length === Math.ceil(wanted.length / 8)) return "one bit per number";
  return found ?? `${bytes.length} bytes that are no 32-bit floats`;
}
