/** Embeddings requests and vectors. */

import { ENCODING_FORMATS, type EncodingFormat } from "../../contract/service.ts";
import { fnv1a } from "../../lib/hash.ts";
import { canonical, isObject, type Json } from "../../lib/json.ts";
import { errorResponse, jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { EMBEDDING_DIMENSIONS, encode } from "../base/vectors.ts";
import { type Change, changeAt } from "./change-member.ts";
import { always, changed, isSuccess, refuseWhen, requestMember } from "./transforms.ts";
import { fault, permitted, type RequestView, type Variant } from "./variant.ts";

const route = "embeddings";
const SMALL = 8;

/** Changes every vector of a response to a request with this encoding_format; undefined: without one. */
const vectorsOf =
  (format: EncodingFormat | undefined, change: Change) =>
  (response: PlainResponse, request: RequestView): PlainResponse =>
    requestMember(request, "encoding_format") === format ? changed("data[].embedding", change)(response) : response;

const toBase64: Change = (vector) => (Array.isArray(vector) ? encode(vector.map(Number), "base64") : vector);

function numbersIn(vector: string): readonly number[] {
  const bytes = Buffer.from(vector, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

const toNumbers: Change = (vector) => numbersIn(String(vector));

const floats = (numbers: readonly number[]): ArrayBuffer => Float32Array.from(numbers).buffer;

/** The upper bits of 32-bit floats, of which half precision has as many; the exponents of vectors are within its range. */
const toHalf = (value: number): number => {
  const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127 + 15;
  return exponent <= 0 ? sign : sign | (exponent << 10) | ((bits >>> 13) & 0x3ff);
};

const QUANTA = 127;

/** What services send in place of 32-bit floats. */
const BASE64: readonly {
  readonly name: string;
  readonly what: string;
  readonly bytes: (numbers: readonly number[]) => ArrayBufferLike;
}[] = [
  { name: "doubles", what: "64-bit floats", bytes: (numbers) => Float64Array.from(numbers).buffer },
  {
    name: "big-endian",
    what: "32-bit floats in the other byte order",
    bytes: (numbers) => new Uint8Array(floats(numbers.toReversed())).toReversed().buffer,
  },
  { name: "half", what: "16-bit floats", bytes: (numbers) => Uint16Array.from(numbers.map(toHalf)).buffer },
  {
    name: "rounded",
    what: "32-bit floats of half precision",
    bytes: (numbers) => new Uint32Array(floats(numbers)).map((bits) => (bits + 0x1000) & 0xffffe000).buffer,
  },
  {
    name: "quantised",
    what: "rounded to 255 values",
    bytes: (numbers) => {
      const step = Math.max(...numbers.map(Math.abs)) / QUANTA;
      return floats(numbers.map((value) => Math.round(value / step) * step));
    },
  },
  { name: "scaled", what: "twice as long as the array", bytes: (numbers) => floats(numbers.map((value) => 2 * value)) },
];

/** How much a number of a service differs that does not repeat bit for bit, as a share, and which response it is. */
const NOISE = 0.004;
let noise = 0;
const MOST_IN_ORDER = 8;

/** Gives every item the vector of another one, in reverse order. */
function withVectorsReversed(data: Json): Json {
  if (!Array.isArray(data)) return data;
  const vectors = data.map((item: Json) => (isObject(item) ? (item["embedding"] ?? null) : null)).reverse();
  return data.map((item: Json, i) => (isObject(item) ? { ...item, embedding: vectors[i] ?? null } : item));
}

/** What an invalid request gets that is accepted. */
const ONE_VECTOR: Json = { data: [{ index: 0, embedding: [0.5] }] };

export const embeddings: readonly Variant[] = [
  fault("embeddings-model-optional", route, "an embeddings request without model is accepted", {
    rules: { fields: { "embeddings.model": { required: false } } },
  }),
  fault("embeddings-input-optional", route, "an embeddings request without input is accepted", {
    rules: { fields: { "embeddings.input": { required: false } } },
  }),
  fault("embeddings-coerces", route, "wrong JSON types of an embeddings request are converted, not refused", {
    rules: { coerces: true },
  }),
  fault("embeddings-encoding-format-type-unchecked", route, "a number as encoding_format is accepted", {
    transform: (response, request) =>
      typeof requestMember(request, "encoding_format") === "number" ? jsonResponse(200, ONE_VECTOR) : response,
  }),
  fault("encoding-format-unchecked", route, "any encoding_format is accepted", {
    rules: { fields: { "embeddings.encoding_format": { values: undefined } } },
  }),
  ...ENCODING_FORMATS.map(
    (format): Variant =>
      fault(`encoding-${format}-refused`, route, `encoding_format ${format} is refused`, {
        rules: {
          fields: { "embeddings.encoding_format": { values: ENCODING_FORMATS.filter((other) => other !== format) } },
        },
      }),
  ),
  fault(
    "embeddings-missing",
    route,
    "the path of embeddings is unknown: 404",
    always(errorResponse({ status: 404, message: "no such path", code: "not_found", param: null })),
  ),
  fault(
    "embeddings-array-refused",
    route,
    "an array as input is refused",
    refuseWhen((request) => Array.isArray(requestMember(request, "input")), "input must be a string"),
  ),
  fault(
    "embeddings-many-refused",
    route,
    "a list of more than 32 texts is refused",
    refuseWhen((request) => {
      const input = requestMember(request, "input");
      return Array.isArray(input) && input.length > 32;
    }, "at most 32 texts"),
  ),
  fault("embeddings-data-empty", route, "data is empty", { transform: changed("data", () => []) }),
  fault("embeddings-one-item", route, "data contains the first item only", {
    transform: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 1) : data)),
  }),
  fault("embeddings-batch-capped", route, "data contains 32 items at most", {
    transform: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 32) : data)),
  }),
  fault("embeddings-duplicates-merged", route, "equal texts of a request have one item together", {
    transform: (response, request) => {
      const input = requestMember(request, "input");
      const texts: readonly Json[] = Array.isArray(input) ? input : [];
      return changed("data", (data) =>
        Array.isArray(data) ? data.filter((_, i) => texts.length === 0 || texts.indexOf(texts[i] ?? null) === i) : data,
      )(response);
    },
  }),
  fault("embeddings-input-object-accepted", route, "an object as input is accepted", {
    transform: (response, request) =>
      isObject(requestMember(request, "input")) ? jsonResponse(200, ONE_VECTOR) : response,
  }),
  fault("embeddings-index-constant", route, "index is 0 in every item", {
    transform: changed("data[].index", () => 0),
  }),
  fault("embeddings-index-from-one", route, "index counts from 1", {
    transform: changed("data[].index", (index) => Number(index) + 1),
  }),
  fault("embeddings-order", route, "the vectors are in reverse order, but their indexes are not", {
    transform: changed("data", withVectorsReversed),
  }),
  fault("embeddings-dimensions", route, "the second vector is one number shorter than the others", {
    transform: changed("data", (data) =>
      Array.isArray(data)
        ? data.map((item: Json, i) =>
            i === 1
              ? changeAt(item, "embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector))
              : item,
          )
        : data,
    ),
  }),
  fault("embeddings-shorter", route, "every vector is one number shorter than those of other requests", {
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector)),
  }),
  fault(
    "embeddings-dimensions-vary",
    route,
    "the vectors of a list of texts are one number shorter than those of a single text",
    {
      transform: (response, request) =>
        Array.isArray(requestMember(request, "input"))
          ? changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector))(response)
          : response,
    },
  ),
  fault("embeddings-zero", route, "every number of the vectors is 0", {
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.map(() => 0) : vector)),
  }),
  fault("embeddings-nan", route, "the first number of each vector is NaN, which is not JSON", {
    transform: (response) =>
      isSuccess(response)
        ? { ...response, body: JSON.stringify(response.body).replaceAll('"embedding":[', '"embedding":[NaN,') }
        : response,
  }),
  fault("embeddings-default-base64", route, "vectors are base64 when the request has no encoding_format", {
    transform: vectorsOf(undefined, toBase64),
  }),
  fault("embeddings-float-base64", route, "vectors are base64 when encoding_format is float", {
    transform: vectorsOf("float", toBase64),
  }),
  fault("embeddings-base64-object", route, "with base64, embedding is an object", {
    transform: vectorsOf("base64", (vector) => ({ base64: vector })),
  }),
  fault("embeddings-base64-garbled", route, "with base64, a vector does not decode to whole floats", {
    transform: vectorsOf("base64", (vector) => (typeof vector === "string" ? `${vector.slice(0, 10)}*` : vector)),
  }),
  ...BASE64.map(({ name, what, bytes }) =>
    fault(`embeddings-base64-${name}`, route, `with base64, a vector is ${what}`, {
      transform: vectorsOf("base64", (vector) =>
        typeof vector === "string" ? Buffer.from(bytes(numbersIn(vector))).toString("base64") : vector,
      ),
    }),
  ),
  fault("embeddings-base64-url", route, "with base64, a vector has the alphabet for URLs", {
    transform: vectorsOf("base64", (vector) =>
      typeof vector === "string" ? vector.replaceAll("+", "-").replaceAll("/", "_") : vector,
    ),
  }),
  fault("embeddings-base64-unpadded", route, "with base64, a vector has no padding", {
    transform: vectorsOf("base64", (vector) => (typeof vector === "string" ? vector.replace(/=+$/, "") : vector)),
  }),
  fault("embeddings-order-many", route, "the vectors of more than 8 texts are in reverse order", {
    transform: changed("data", (data) =>
      Array.isArray(data) && data.length > MOST_IN_ORDER ? withVectorsReversed(data) : data,
    ),
  }),
  fault(
    "embeddings-batch-scaled",
    route,
    "the vectors of a list of texts are twice as long as those of a single text",
    {
      transform: (response, request) =>
        Array.isArray(requestMember(request, "input"))
          ? changed("data[].embedding", (vector) =>
              Array.isArray(vector) ? vector.map((value: Json) => 2 * Number(value)) : vector,
            )(response)
          : response,
    },
  ),
  permitted("noisy-vectors", route, "a vector is a little different in each response", {
    transform: (response) => {
      noise += 1;
      return changed("data[].embedding", (vector) =>
        Array.isArray(vector)
          ? vector.map((value: Json, i) => Number(value) * (1 + NOISE * Math.sin(noise * (i + 1))))
          : encode(
              numbersIn(String(vector)).map((value, i) => value * (1 + NOISE * Math.sin(noise * (i + 1)))),
              "base64",
            ),
      )(response);
    },
  }),
  fault("embeddings-vector-empty", route, "every vector is empty", {
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? [] : "")),
  }),
  permitted("unsteady-vectors", route, "the vector of a text depends on the whole request", {
    transform: (response, request) => {
      const by = fnv1a(canonical(request.body)) % EMBEDDING_DIMENSIONS;
      return changed("data[].embedding", (vector) =>
        Array.isArray(vector) ? [...vector.slice(by), ...vector.slice(0, by)] : vector,
      )(response);
    },
  }),
  fault("embeddings-usage-negative", route, "prompt_tokens is -1", {
    transform: changed("usage.prompt_tokens", () => -1),
  }),
  fault("embeddings-usage-zero", route, "usage counts 0 tokens", {
    transform: (response) => changed("usage.total_tokens", () => 0)(changed("usage.prompt_tokens", () => 0)(response)),
  }),
  fault("embeddings-usage-sum", route, "total_tokens is more than prompt_tokens", {
    transform: changed("usage.total_tokens", (total) => Number(total) + 1000),
  }),
  permitted("base64-arrays", route, "with base64, embedding is still an array of numbers", {
    faultName: "embeddings-base64-arrays",
    transform: vectorsOf("base64", toNumbers),
  }),
  permitted("shuffled-embeddings", route, "the items of data are in reverse order, with their indexes", {
    transform: changed("data", (data) => (Array.isArray(data) ? data.toReversed() : data)),
  }),
  permitted("small-vectors", route, "a vector has 8 numbers", {
    transform: changed("data[].embedding", (vector) =>
      Array.isArray(vector)
        ? vector.slice(0, SMALL)
        : Buffer.from(String(vector), "base64")
            .subarray(0, SMALL * 4)
            .toString("base64"),
    ),
  }),
];
