/** Judges of embedding responses: counts, indexes, order, dimensions, encodings. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import { broken, holds, inconclusive, notApplicable } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { requestOf } from "./exchange-kinds.ts";
import { memberOf } from "./json-path.ts";
import { base64Likeness, distance, floatsIn, likenessOf, type Vector } from "./vector-likeness.ts";

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

/** How far apart vectors of one text may be: more than numerics make of it, whatever the target. */
const UNLIKE = 0.3;
/** Least distance at which the vectors of two requests for one text count as different, alone and in a batch. */
const FLOOR = { alone: 0.005, batch: 0.02, batchUnnamed: 0.1 };
/** Of how far repeated requests for one text are apart, how much more counts as equal. */
const MARGIN = 4;

/** The vectors that texts have alone, in the order of the responses. */
function vectorsAlone(exchanges: Exchanges): ReadonlyMap<string, readonly Vector[]> {
  const known = new Map<string, Vector[]>();
  for (const exchange of exchanges) {
    const { input, encoding_format: format } = requestOf(exchange);
    const [vector] = typeof input === "string" && format !== "base64" ? vectorsOf(exchange) : [];
    if (typeof input === "string" && vector !== undefined) known.set(input, [...(known.get(input) ?? []), vector]);
  }
  return known;
}

/** The exchange that has the vector of a text alone. */
const aloneIn = (exchanges: Exchanges, text: string): readonly number[] =>
  exchanges
    .filter((one) => requestOf(one)["input"] === text && requestOf(one)["encoding_format"] !== "base64")
    .slice(0, 1)
    .map(({ id }) => id);

/** How far apart the vectors of one text are at most that was sent more than once. */
const spreadOf = (alone: ReadonlyMap<string, readonly Vector[]>): number =>
  Math.max(0, ...[...alone.values()].flatMap(([first = [], ...others]) => others.map((one) => distance(one, first))));

const UNSTEADY = notApplicable("the same text got different vectors, so that vectors cannot be compared");

/**
 * Each vector of a batch is that which its input has alone, or in another batch.
 * @param exchanges batches, and single inputs, some of them more than once, which show how far equal texts are apart
 */
export function batchesAgree(exchanges: Exchanges): Judged {
  const alone = vectorsAlone(exchanges);
  const spread = MARGIN * spreadOf(alone);
  if (spread > MARGIN * UNLIKE) return UNSTEADY;
  const known = new Map([...alone].flatMap(([text, [first]]) => (first === undefined ? [] : [[text, first] as const])));
  const same = Math.max(FLOOR.batch, spread);
  const [one, ...rest] = known.values();
  if (one !== undefined && rest.every((vector) => distance(vector, one) <= same))
    return notApplicable("different texts have the same vector, so that their order cannot be recognised");
  let count = 0;
  const batchOf = new Map<string, number>();
  for (const exchange of exchanges) {
    const items = itemsByText(exchange);
    for (const [i, { text, vector }] of items.entries()) {
      const wanted = known.get(text);
      if (wanted === undefined) {
        known.set(text, vector);
        batchOf.set(text, exchange.id);
        continue;
      }
      count += 1;
      const found = likenessOf(vector, wanted, Math.max(FLOOR.batchUnnamed, spread));
      const other = misplaced({ text, vector }, known, same) ?? placeOfOther(items, i, wanted, same);
      if (other !== undefined || found !== undefined)
        return broken(
          "a vector of a batch is that of its input alone",
          `item ${i} of ${items.length} was ${other ?? found}`,
          [exchange.id, ...(other === undefined ? [batchOf.get(text) ?? aloneIn(exchanges, text)] : [])].flat(),
        );
    }
  }
  return count > 0
    ? holds(`${count} vectors of batches were those of their inputs`)
    : inconclusive("the vectors cannot be compared");
}

interface TextVector {
  readonly text: string;
  readonly vector: Vector;
}

/** The vectors of a batch with their inputs; none where it lacks some. */
function itemsByText(exchange: Exchange): readonly TextVector[] {
  const { input } = requestOf(exchange);
  const vectors = Array.isArray(input) ? vectorsOf(exchange) : [];
  if (!Array.isArray(input) || vectors.length !== input.length) return [];
  const items = vectors.flatMap((vector, i) => (vector === undefined ? [] : [{ text: String(input[i]), vector }]));
  return items.length === input.length ? items : [];
}

/** The text whose vector this one is, in words, where it is that of another one. */
function misplaced({ text, vector }: TextVector, known: ReadonlyMap<string, Vector>, same: number): string | undefined {
  const own = distance(vector, known.get(text) ?? []);
  if (own <= same) return undefined;
  const other = [...known].find(
    ([name, one]) => name !== text && distance(vector, one) <= Math.min(same, own / MARGIN),
  );
  return other && `the vector of ${show(other[0])}, not of ${show(text)}`;
}

/** Where the vector of an item is instead, in words. */
function placeOfOther(items: readonly TextVector[], i: number, wanted: Vector, same: number): string | undefined {
  const own = items[i];
  if (own === undefined || distance(own.vector, wanted) <= same) return undefined;
  const at = items.findIndex(({ text, vector }) => text !== own.text && distance(vector, wanted) <= same);
  return at < 0 ? undefined : `not the vector of ${show(own.text)}, which was item ${at}`;
}

/** RFC 4648, section 4, and what decoders make of other alphabets and of a text without padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ANY_BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The vectors that are texts. */
const textsIn = (exchange: Exchange | undefined): readonly string[] =>
  itemsOf(exchange).flatMap(({ embedding }) => (typeof embedding === "string" ? [embedding] : []));

const AS_ARRAYS = notApplicable("the vectors came as arrays, so that there was nothing to decode");

/** Every string vector has the alphabet and the padding of base64. */
export function isPlainBase64(exchange: Exchange | undefined): Judged {
  const texts = textsIn(exchange);
  if (texts.length === 0) return AS_ARRAYS;
  const bad = texts.find((text) => !BASE64.test(text));
  if (bad === undefined) return holds("the vectors were base64 with padding");
  const other = /[^A-Za-z0-9+/=]/.exec(bad)?.[0];
  return broken(
    "base64 has the alphabet and the padding of RFC 4648, section 4",
    other === undefined ? "a vector lacked its padding" : `a vector had ${show(other)}`,
  );
}

/**
 * Every string vector is base64 of whole, finite float32 values, those of the same input as an array.
 * @param plain responses with vectors of the same input as arrays, which show how far equal texts are apart
 */
export function decodesAsFloat32(exchange: Exchange | undefined, plain: Exchanges = []): Judged {
  const texts = textsIn(exchange);
  if (texts.length === 0) return AS_ARRAYS;
  const alone = vectorsAlone(plain);
  const spread = MARGIN * spreadOf(alone);
  const [first] = [...alone.values()][0] ?? [];
  const wanted = first?.length === 0 ? undefined : first;
  // Of vectors that change, the length is that of all the same.
  const tolerance = spread > MARGIN * UNLIKE ? Number.POSITIVE_INFINITY : Math.max(FLOOR.alone, spread);
  for (const text of texts) {
    const found = wanted && ANY_BASE64.test(text) ? base64Likeness(text, wanted, tolerance) : undefined;
    if (found !== undefined)
      return broken("a base64 vector is the float32 values of the same input as an array", `it was ${found}`);
    if (!ANY_BASE64.test(text) || floatsIn(text) === undefined)
      return broken("a base64 vector decodes to float32 values", "one did not");
  }
  return holds(`${texts.length} vectors decoded to float32 values${wanted ? ", those of the array" : ""}`);
}

/** The same as clients decode vectors: an empty text is an empty vector to them, and some refuse what has no padding. */
export function decodesInClients(exchange: Exchange | undefined, plain?: Exchanges): Judged {
  if (itemsOf(exchange).every(({ embedding }) => embedding === "")) return notApplicable("every vector was empty");
  const found = decodesAsFloat32(exchange, plain);
  return found.kind === "holds" ? isPlainBase64(exchange) : found;
}
