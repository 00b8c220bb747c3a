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

function toNumbers(vector: Json): Json {
  const bytes = Buffer.from(String(vector), "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

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
  fault("embeddings-base64-doubles", route, "with base64, a vector is 64-bit floats", {
    transform: vectorsOf("base64", (vector) => {
      const doubles = toNumbers(vector);
      return Array.isArray(doubles)
        ? Buffer.from(new Float64Array(doubles.map(Number)).buffer).toString("base64")
        : vector;
    }),
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
