/** Judges of embedding responses: counts, indexes, order, dimensions, encodings. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import { broken, holds, inconclusive, notApplicable } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { memberOf } from "./json-path.ts";

interface Item {
  readonly index: unknown;
  readonly embedding: unknown;
}

function itemsOf(exchange: Exchange | undefined): readonly Item[] {
  const data = memberOf(exchange, "data");
  if (!Array.isArray(data)) return [];
  return data.map((item: unknown) =>
    isObject(item)
      ? { index: item["index"], embedding: item["embedding"] }
      : { index: undefined, embedding: undefined },
  );
}

/** The vectors in the order of their indexes; undefined where one is not an array of numbers. */
export function vectorsOf(exchange: Exchange | undefined): readonly (readonly number[] | undefined)[] {
  return [...itemsOf(exchange)].sort((a, b) => placeOf(a) - placeOf(b)).map(({ embedding }) => numbersOf(embedding));
}

const placeOf = ({ index }: Item): number => (typeof index === "number" ? index : 0);

/** Values in a message: the first ones, each short. */
const list = (values: readonly unknown[]): string =>
  values.slice(0, MOST_LISTED).map(show).join(", ") + (values.length > MOST_LISTED ? " …" : "");
const MOST_LISTED = 20;

const numbersOf = (value: unknown): readonly number[] | undefined =>
  Array.isArray(value) && value.every((number): number is number => typeof number === "number") ? value : undefined;

/** data holds exactly `count` items. */
export const itemsAre =
  (count: number) =>
  ([exchange]: Exchanges): Judged => {
    if (!Array.isArray(memberOf(exchange, "data"))) return inconclusive("the response holds no data");
    const { length } = itemsOf(exchange);
    if (length === count) return holds(`data held ${count}`);
    return broken("data holds one item per input", `${length} came for ${count}`);
  };

/** No two items have the same index: they could not be told apart. */
export function indexesDistinct([exchange]: Exchanges): Judged {
  const indexes = itemsOf(exchange).map(({ index }) => index);
  const twice = indexes.find((index, at) => indexes.indexOf(index) !== at);
  if (twice === undefined) return holds(`the indexes were ${list(indexes)}`);
  return broken("index is the position of an item in the list", `several items had index ${show(twice)}`);
}

/** The indexes are 0 to n-1, each once. */
export function indexesComplete([exchange]: Exchanges): Judged {
  const indexes = itemsOf(exchange).map(({ index }) => index);
  const known = new Set(indexes);
  const missing = indexes.findIndex((_, wanted) => !known.has(wanted));
  if (missing < 0) return holds(`the indexes were ${list(indexes)}`);
  return broken("each item can be matched to its input by index", `the indexes were ${list(indexes)}`);
}

/** All vectors have as many numbers as the first. */
export function equalDimensions(exchange: Exchange | undefined): Judged {
  const sizes = vectorsOf(exchange).map((vector) => vector?.length);
  if (sizes.includes(undefined)) return inconclusive("a vector was not an array of numbers");
  if (new Set(sizes).size <= 1) return holds(`all vectors had ${sizes[0]} dimensions`);
  return broken("vectors of one model have equal dimensions", `they had ${list(sizes)}`);
}

/**
 * Each vector of a batch is nearest to the vector that its input has alone.
 * @param repeats further responses to the first input alone, which show whether equal texts have equal vectors
 */
export function orderedByInput(
  batch: Exchange | undefined,
  singles: readonly (Exchange | undefined)[],
  repeats: readonly (Exchange | undefined)[] = [],
): Judged {
  const vectors = vectorsOf(batch);
  const alone = singles.map((single) => vectorsOf(single)[0]);
  if (repeats.some((repeat) => !isSame(vectorsOf(repeat)[0], alone[0])))
    return inconclusive("the same text got different vectors, so that their order cannot be recognised");
  const nearest = vectors.map((vector) => nearestOf(vector, alone));
  if (nearest.includes(undefined)) return inconclusive("the vectors cannot be compared");
  if (nearest.every((found, i) => found === i)) return holds("each vector was nearest to that of its own input");
  return broken("by index, vectors are in the order of the inputs", `they matched inputs ${list(nearest)}`);
}

/** How alike the vectors of one text are at least, whatever the numerics of the service. */
const SAME = 0.95;

/** Whether two vectors are alike as those of one text are; what cannot be compared shows no difference. */
const isSame = (a: readonly number[] | undefined, b: readonly number[] | undefined): boolean =>
  a === undefined || b === undefined || !(cosine(a, b) < SAME);

/** Position of the nearest vector; undefined when no single one is nearest. */
function nearestOf(
  vector: readonly number[] | undefined,
  among: readonly (readonly number[] | undefined)[],
): number | undefined {
  const likeness = among.map((other) =>
    vector === undefined || other === undefined ? Number.NaN : cosine(vector, other),
  );
  const best = Math.max(...likeness);
  const found = likeness.indexOf(best);
  return found < 0 || likeness.lastIndexOf(best) !== found ? undefined : found;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return Number.NaN;
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const FLOAT_BYTES = 4;

/**
 * Every string vector is base64 of whole, finite float32 values.
 * @param plain a response with vectors of the same model as arrays, which have as many numbers
 */
export function decodesAsFloat32(exchange: Exchange | undefined, plain?: Exchange): Judged {
  const texts = itemsOf(exchange).map(({ embedding }) => embedding);
  const bad = texts.find((text) => typeof text === "string" && !isFloats(text));
  if (bad !== undefined) return broken("a base64 vector decodes to float32 values", "one did not");
  const lengths = texts.flatMap((text) =>
    typeof text === "string" ? [Buffer.from(text, "base64").length / FLOAT_BYTES] : [],
  );
  const [length] = lengths;
  if (length === undefined) return notApplicable("the vectors came as arrays, so that there was nothing to decode");
  const wanted = vectorsOf(plain)[0]?.length;
  if (wanted !== undefined && lengths.some((one) => one !== wanted))
    return broken(
      "a base64 vector holds as many float32 values as the array has numbers",
      `it held ${length}, the array ${wanted}`,
    );
  return holds(`the vectors decoded to ${length} float32 values`);
}

/** The same as clients decode vectors: an empty text is an empty vector to them. */
export const decodesInClients = (exchange: Exchange | undefined, plain?: Exchange): Judged =>
  itemsOf(exchange).every(({ embedding }) => embedding === "")
    ? notApplicable("every vector was empty")
    : decodesAsFloat32(exchange, plain);

function isFloats(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  if (!BASE64.test(text) || bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) return false;
  for (let at = 0; at < bytes.length; at += FLOAT_BYTES) if (!Number.isFinite(bytes.readFloatLE(at))) return false;
  return true;
}
