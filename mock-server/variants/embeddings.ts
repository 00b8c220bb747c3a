/** Embeddings requests and vectors. */

import { ENCODING_FORMATS, type EncodingFormat } from "../../contract/service.ts";
import { fnv1a } from "../../lib/hash.ts";
import { canonical, isObject, type Json } from "../../lib/json.ts";
import { errorResponse, jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { EMBEDDING_DIMENSIONS, encode } from "../base/vectors.ts";
import { type Change, changeAt } from "./change-member.ts";
import { always, changed, isSuccess, refuseWhen, requestMember } from "./transforms.ts";
import type { RequestView, Variant } from "./variant.ts";

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
  {
    name: "embeddings-model-optional",
    kind: "fault",
    about: "an embeddings request without model is accepted",
    route,
    rules: { fields: { "embeddings.model": { required: false } } },
  },
  {
    name: "embeddings-input-optional",
    kind: "fault",
    about: "an embeddings request without input is accepted",
    route,
    rules: { fields: { "embeddings.input": { required: false } } },
  },
  {
    name: "embeddings-coerces",
    kind: "fault",
    about: "wrong JSON types of an embeddings request are converted, not refused",
    route,
    rules: { coerces: true },
  },
  {
    name: "embeddings-encoding-format-type-unchecked",
    kind: "fault",
    about: "a number as encoding_format is accepted",
    route,
    transform: (response, request) =>
      typeof requestMember(request, "encoding_format") === "number" ? jsonResponse(200, ONE_VECTOR) : response,
  },
  {
    name: "encoding-format-unchecked",
    kind: "fault",
    about: "any encoding_format is accepted",
    route,
    rules: { fields: { "embeddings.encoding_format": { values: undefined } } },
  },
  ...ENCODING_FORMATS.map(
    (format): Variant => ({
      name: `encoding-${format}-refused`,
      kind: "fault",
      about: `encoding_format ${format} is refused`,
      route,
      rules: {
        fields: { "embeddings.encoding_format": { values: ENCODING_FORMATS.filter((other) => other !== format) } },
      },
    }),
  ),
  {
    name: "embeddings-missing",
    kind: "fault",
    about: "the path of embeddings is unknown: 404",
    route,
    ...always(errorResponse({ status: 404, message: "no such path", code: "not_found", param: null })),
  },
  {
    name: "embeddings-array-refused",
    kind: "fault",
    about: "an array as input is refused",
    route,
    ...refuseWhen((request) => Array.isArray(requestMember(request, "input")), "input must be a string"),
  },
  {
    name: "embeddings-many-refused",
    kind: "fault",
    about: "a list of more than 32 texts is refused",
    route,
    ...refuseWhen((request) => {
      const input = requestMember(request, "input");
      return Array.isArray(input) && input.length > 32;
    }, "at most 32 texts"),
  },
  {
    name: "embeddings-data-empty",
    kind: "fault",
    about: "data is empty",
    route,
    transform: changed("data", () => []),
  },
  {
    name: "embeddings-one-item",
    kind: "fault",
    about: "data contains the first item only",
    route,
    transform: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 1) : data)),
  },
  {
    name: "embeddings-batch-capped",
    kind: "fault",
    about: "data contains 32 items at most",
    route,
    transform: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 32) : data)),
  },
  {
    name: "embeddings-duplicates-merged",
    kind: "fault",
    about: "equal texts of a request have one item together",
    route,
    transform: (response, request) => {
      const input = requestMember(request, "input");
      const texts: readonly Json[] = Array.isArray(input) ? input : [];
      return changed("data", (data) =>
        Array.isArray(data) ? data.filter((_, i) => texts.length === 0 || texts.indexOf(texts[i] ?? null) === i) : data,
      )(response);
    },
  },
  {
    name: "embeddings-input-object-accepted",
    kind: "fault",
    about: "an object as input is accepted",
    route,
    transform: (response, request) =>
      isObject(requestMember(request, "input")) ? jsonResponse(200, ONE_VECTOR) : response,
  },
  {
    name: "embeddings-index-constant",
    kind: "fault",
    about: "index is 0 in every item",
    route,
    transform: changed("data[].index", () => 0),
  },
  {
    name: "embeddings-order",
    kind: "fault",
    about: "the vectors are in reverse order, but their indexes are not",
    route,
    transform: changed("data", withVectorsReversed),
  },
  {
    name: "embeddings-dimensions",
    kind: "fault",
    about: "the second vector is one number shorter than the others",
    route,
    transform: changed("data", (data) =>
      Array.isArray(data)
        ? data.map((item: Json, i) =>
            i === 1
              ? changeAt(item, "embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector))
              : item,
          )
        : data,
    ),
  },
  {
    name: "embeddings-shorter",
    kind: "fault",
    about: "every vector is one number shorter than those of other requests",
    route,
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector)),
  },
  {
    name: "embeddings-dimensions-vary",
    kind: "fault",
    about: "the vectors of a list of texts are one number shorter than those of a single text",
    route,
    transform: (response, request) =>
      Array.isArray(requestMember(request, "input"))
        ? changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector))(response)
        : response,
  },
  {
    name: "embeddings-zero",
    kind: "fault",
    about: "every number of the vectors is 0",
    route,
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.map(() => 0) : vector)),
  },
  {
    name: "embeddings-nan",
    kind: "fault",
    about: "the first number of each vector is NaN, which is not JSON",
    route,
    transform: (response) =>
      isSuccess(response)
        ? { ...response, body: JSON.stringify(response.body).replaceAll('"embedding":[', '"embedding":[NaN,') }
        : response,
  },
  {
    name: "embeddings-default-base64",
    kind: "fault",
    about: "vectors are base64 when the request has no encoding_format",
    route,
    transform: vectorsOf(undefined, toBase64),
  },
  {
    name: "embeddings-float-base64",
    kind: "fault",
    about: "vectors are base64 when encoding_format is float",
    route,
    transform: vectorsOf("float", toBase64),
  },
  {
    name: "embeddings-base64-object",
    kind: "fault",
    about: "with base64, embedding is an object",
    route,
    transform: vectorsOf("base64", (vector) => ({ base64: vector })),
  },
  {
    name: "embeddings-base64-garbled",
    kind: "fault",
    about: "with base64, a vector does not decode to whole floats",
    route,
    transform: vectorsOf("base64", (vector) => (typeof vector === "string" ? `${vector.slice(0, 10)}*` : vector)),
  },
  {
    name: "embeddings-base64-doubles",
    kind: "fault",
    about: "with base64, a vector is 64-bit floats",
    route,
    transform: vectorsOf("base64", (vector) => {
      const doubles = toNumbers(vector);
      return Array.isArray(doubles)
        ? Buffer.from(new Float64Array(doubles.map(Number)).buffer).toString("base64")
        : vector;
    }),
  },
  {
    name: "embeddings-vector-empty",
    kind: "fault",
    about: "every vector is empty",
    route,
    transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? [] : "")),
  },
  {
    name: "unsteady-vectors",
    kind: "permitted",
    about: "the vector of a text depends on the whole request",
    route,
    transform: (response, request) => {
      const by = fnv1a(canonical(request.body)) % EMBEDDING_DIMENSIONS;
      return changed("data[].embedding", (vector) =>
        Array.isArray(vector) ? [...vector.slice(by), ...vector.slice(0, by)] : vector,
      )(response);
    },
  },
  {
    name: "embeddings-usage-sum",
    kind: "fault",
    about: "total_tokens is more than prompt_tokens",
    route,
    transform: changed("usage.total_tokens", (total) => Number(total) + 1000),
  },
  {
    name: "base64-arrays",
    faultName: "embeddings-base64-arrays",
    kind: "permitted",
    about: "with base64, embedding is still an array of numbers",
    route,
    transform: vectorsOf("base64", toNumbers),
  },
  {
    name: "shuffled-embeddings",
    kind: "permitted",
    about: "the items of data are in reverse order, with their indexes",
    route,
    transform: changed("data", (data) => (Array.isArray(data) ? data.toReversed() : data)),
  },
  {
    name: "small-vectors",
    kind: "permitted",
    about: "a vector has 8 numbers",
    route,
    transform: changed("data[].embedding", (vector) =>
      Array.isArray(vector)
        ? vector.slice(0, SMALL)
        : Buffer.from(String(vector), "base64")
            .subarray(0, SMALL * 4)
            .toString("base64"),
    ),
  },
];
