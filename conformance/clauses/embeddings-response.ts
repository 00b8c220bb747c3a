/** What an embedding answer holds. */

import { EMBEDDING_LIST_FIELDS } from "../../contract/fields.ts";
import type { EncodingFormat } from "../../contract/service.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import { describe, show } from "../../lib/json.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { refusalForm } from "../judges/acceptance.ts";
import {
  batchesAgree,
  decodesAsFloat32,
  equalDimensions,
  indexesComplete,
  indexesDistinct,
  isPlainBase64,
  itemsAre,
} from "../judges/embeddings.ts";
import {
  base64Embeddings,
  batchEmbeddings,
  defaultEmbeddings,
  embeddings,
  floatBatches,
  floatEmbeddings,
  inputsOf,
  invalidRequests,
  refusedRequests,
  singleEmbeddings,
} from "../judges/exchange-kinds.ts";
import { everyValue, fieldIs } from "../judges/field-checks.ts";
import { allAgree, oneLengthPerModel } from "../judges/identities.ts";
import { documentOf, memberOf } from "../judges/json-path.ts";
import { beginsWithJson, mediaTypeIsJson, noneIsServerError, noteUsageSum, usageIsCount } from "../judges/responses.ts";
import { noted } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { ALONE, BATCHES, embed, embedWithout, INPUT, INPUTS, MANY_INPUTS } from "../probes/embeddings.ts";
import { TEXTS, UNREADABLE } from "../probes/texts.ts";

const probe = embed();
const many = embed({ input: INPUTS });
const base64 = embed({ encoding_format: "base64" });
const needs = ["embeddings.minimal"];
const texts = TEXTS.map(({ text }) => text);
/** Further vectors of one encoding: those of texts, and those of a batch. */
const moreOf = (encoding_format: EncodingFormat): readonly Probe[] =>
  [...texts, INPUTS].map((input) => embed({ input, encoding_format }));
/** Faults of the mock that make a vector in base64 another one than that of the array. */
export const BASE64_FAULTS = ["garbled", "doubles", "big-endian", "half", "rounded", "quantised", "scaled"].map(
  (name) => `embeddings-base64-${name}`,
);
const DISTINCT = "embeddings.response.data.indexes.distinct";
const COUNT = "embeddings.response.data.count";

export const fields = fieldClauses({
  ids: "embeddings.response",
  rows: "embeddings.response",
  fields: EMBEDDING_LIST_FIELDS,
  within: "the embeddings",
  probe,
  needs,
  faults: "embeddings",
  itemsNeed: { "data[]": COUNT },
  over: embeddings,
  overFewer: { "data[].embedding": defaultEmbeddings },
  own: "data",
  explainedBy: { "data[].embedding": ["embeddings.response.default"] },
});

export const items = [
  clause(COUNT, "data holds one item for one input", {
    row: "embeddings.response.data.count",
    level: "required",
    over: singleEmbeddings,
    needs: ["embeddings.response.data"],
    probe,
    provenBy: ["embeddings-data-empty"],
    judge: itemsAre(1),
  }),
  clause("embeddings.response.data.count-many", `data holds ${INPUTS.length} items for ${INPUTS.length} inputs`, {
    row: "embeddings.response.data.count",
    level: "required",
    needs: ["embeddings.response.data", "embeddings.input.array"],
    explainedBy: [COUNT],
    probe: many,
    alsoSent: [
      embed({ input: texts }),
      embed({ input: texts, encoding_format: "float" }),
      embed({ input: INPUTS.slice(1) }),
      embed({ input: MANY_INPUTS }),
    ],
    provenBy: ["embeddings-one-item", "embeddings-batch-capped", "embeddings-duplicates-merged"],
    judge: itemsAre(INPUTS.length),
    over: batchEmbeddings,
    judgeUnit: (unit) => itemsAre(inputsOf(unit[0]))(unit),
  }),
  clause(DISTINCT, "no two items have the same index", {
    row: "embeddings.response.data[].index",
    level: "required",
    over: batchEmbeddings,
    needs: ["embeddings.response.data.count-many", "embeddings.response.data.index"],
    probe: many,
    provenBy: ["embeddings-index-constant"],
    judge: indexesDistinct,
  }),
  clause("embeddings.response.data.indexes", "the indexes of the items count from 0, each once", {
    row: "embeddings.response.data.order",
    level: "recommended",
    over: batchEmbeddings,
    needs: [DISTINCT],
    probe: many,
    provenBy: ["embeddings-index-from-one"],
    judge: indexesComplete,
  }),
  clause("embeddings.response.data.ordered", "each vector of a batch is that of its input alone", {
    row: "embeddings.response.data.order",
    level: "recommended",
    needs: ["embeddings.response.data.indexes", "embeddings.response.data.embedding"],
    probe: BATCHES[0],
    others: BATCHES.slice(1),
    provenBy: ["embeddings-order", "embeddings-order-many", "embeddings-batch-scaled"],
    judge: (own, others) => batchesAgree([own, ...others].flat()),
  }),
  clause("embeddings.response.data.embedding.some", "no vector is empty", {
    row: ["service.embeddings", "embeddings.response.data[].embedding"],
    level: "recommended",
    over: embeddings,
    needs: [COUNT],
    probe,
    provenBy: ["embeddings-vector-empty"],
    judge: (exchanges) =>
      everyValue(
        exchanges,
        "data[].embedding",
        // What is no vector, other clauses say.
        (value) => !(Array.isArray(value) || typeof value === "string") || value.length > 0,
        "a vector with at least one number",
      ),
  }),
  clause("embeddings.response.data.dimensions", "all vectors of a response have equal dimensions", {
    row: "embeddings.response.data.dimensions",
    level: "recommended",
    over: floatBatches,
    needs: ["embeddings.response.data.count-many", "embeddings.response.data.embedding"],
    probe: many,
    provenBy: ["embeddings-dimensions"],
    judge: ([exchange]) => equalDimensions(exchange),
  }),
];

/** The body as a whole. */
export const form = clause("embeddings.response.form", "a list of embeddings does not begin with a byte order mark", {
  row: "service.json",
  level: "required",
  over: embeddings,
  needs,
  probe,
  provenBy: ["embeddings-bom"],
  judge: beginsWithJson,
});

export const dimensionsOfModel = clause(
  "embeddings.response.data.dimensions.model",
  "all vectors of one model in the run have one length",
  {
    row: "embeddings.response.data.dimensions",
    level: "recommended",
    over: embeddings,
    identity: oneLengthPerModel,
    needs: ["embeddings.response.data.dimensions"],
    probe,
    others: [many],
    provenBy: ["embeddings-dimensions-vary"],
    judge: (own, others) => allAgree(oneLengthPerModel, [own, ...others].flat()),
  },
);

export const encodings = [
  clause("embeddings.response.float", "encoding_format float gives arrays of numbers", {
    row: "embeddings.request.encoding_format",
    level: "required",
    over: floatEmbeddings,
    needs: ["embeddings.encoding_format.float", COUNT],
    explainedBy: ["embeddings.response.data.embedding"],
    probe: embed({ encoding_format: "float" }),
    alsoSent: moreOf("float"),
    provenBy: ["embeddings-float-base64"],
    judge: fieldIs("data[].embedding", "numbers"),
  }),
  clause("embeddings.response.default", "without encoding_format, embedding is not a base64 string", {
    row: "embeddings.request.encoding_format.default",
    level: "required",
    over: defaultEmbeddings,
    needs: [COUNT],
    probe,
    provenBy: ["embeddings-default-base64"],
    judge: (exchanges) =>
      everyValue(exchanges, "data[].embedding", (value) => typeof value !== "string", "not a string"),
  }),
  clause("embeddings.response.base64", "encoding_format base64 gives a string or an array", {
    row: "embeddings.request.encoding_format",
    level: "required",
    over: base64Embeddings,
    needs: ["embeddings.encoding_format.base64", COUNT],
    explainedBy: ["embeddings.response.data.embedding"],
    probe: base64,
    alsoSent: moreOf("base64"),
    provenBy: ["embeddings-base64-object"],
    judge: (exchanges) =>
      everyValue(
        exchanges,
        "data[].embedding",
        (value) => typeof value === "string" || Array.isArray(value),
        "a string or an array",
      ),
  }),
  clause("embeddings.response.base64.decodes", "a base64 vector is the float32 values of the array", {
    row: "embeddings.response.base64",
    level: "recommended",
    over: base64Embeddings,
    needs: ["embeddings.response.base64"],
    probe: base64,
    others: ALONE,
    provenBy: BASE64_FAULTS,
    judge: ([exchange], plain) => decodesAsFloat32(exchange, plain.flat()),
    judgeUnit: ([exchange]) => decodesAsFloat32(exchange),
  }),
  clause("embeddings.response.base64.alphabet", "a base64 vector has the usual alphabet and padding", {
    row: "embeddings.response.base64",
    level: "recommended",
    over: base64Embeddings,
    needs: ["embeddings.response.base64"],
    probe: base64,
    provenBy: ["embeddings-base64-url", "embeddings-base64-unpadded"],
    judge: ([exchange]) => isPlainBase64(exchange),
  }),
  clause("embeddings.response.base64.form", "what encoding_format base64 gives", {
    row: "embeddings.response.base64",
    level: "observed",
    over: base64Embeddings,
    needs: ["embeddings.response.base64"],
    probe: base64,
    judge: ([exchange]) => {
      const [vector] = valuesAt(documentOf(exchange), "data[].embedding");
      return noted(`embedding was ${Array.isArray(vector?.value) ? "an array of numbers" : describe(vector?.value)}`);
    },
  }),
];

export const usageCount = clause("embeddings.response.usage.count", "no count of usage is negative", {
  row: "embeddings.response.usage",
  level: "required",
  over: embeddings,
  needs: ["embeddings.response.usage"],
  probe,
  provenBy: ["embeddings-usage-negative"],
  judge: usageIsCount,
});

const INVALID = [
  ...UNREADABLE.map((raw) => embed({}, { raw })),
  embed({ model: {} }),
  embed({ input: {} }),
  embedWithout("model"),
  embed({ encoding_format: "hex" }),
];

export const others = [
  clause("embeddings.response.content-type", "embeddings are declared as JSON", {
    row: "service.json.media-type",
    level: "recommended",
    over: embeddings,
    needs,
    probe,
    provenBy: ["embeddings-content-type-text"],
    judge: mediaTypeIsJson,
  }),
  clause("embeddings.response.model.echo", "whether model of the response repeats that of the request", {
    row: "embeddings.response.model.echo",
    level: "observed",
    over: embeddings,
    needs,
    probe,
    judge: ([exchange]) => noted(`model was ${show(memberOf(exchange, "model"))}`),
  }),
  clause("embeddings.response.usage.sum", "whether total_tokens equals prompt_tokens", {
    row: "embeddings.response.usage.sum",
    level: "observed",
    over: embeddings,
    needs: ["embeddings.response.usage"],
    probe,
    judge: ([exchange]) => noteUsageSum(exchange, ["prompt_tokens"]),
  }),
  clause("embeddings.refusal.not-5xx", "no invalid request returns a server error", {
    row: "errors.invalid.not-5xx",
    level: "recommended",
    needs,
    probe: embedWithout("input"),
    others: INVALID,
    anyResponse: true,
    over: invalidRequests("embeddings"),
    provenBy: ["embeddings-invalid-500"],
    judge: (own, rest) => noneIsServerError([own, ...rest].flat()),
  }),
  clause("embeddings.refusal.form", "status and body of a refused request", {
    row: "errors.invalid.form",
    level: "observed",
    over: refusedRequests("embeddings"),
    needs,
    probe: embedWithout("input"),
    others: INVALID,
    judge: (own, rest) => refusalForm([own, ...rest].flat()),
  }),
  clause("embeddings.response.dimensions.seen", "dimensions of a vector", {
    row: "service.embeddings",
    level: "observed",
    over: defaultEmbeddings,
    needs: ["embeddings.response.data.embedding"],
    probe: embed({ input: INPUT }),
    judge: ([exchange]) => {
      const data = memberOf(exchange, "data");
      const [item]: unknown[] = Array.isArray(data) ? data : [];
      return noted(`the first item was ${show(item)}`);
    },
  }),
];
