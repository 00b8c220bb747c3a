/** What the specification allows and forbids in an embedding request. */

import { ENCODING_FORMAT_DEFAULT, ENCODING_FORMATS, SUCCESS_STATUS } from "../../contract/service.ts";
import { acceptance, clause, observation, refusal } from "../builders/clause-builders.ts";
import { statusIs } from "../judges/acceptance.ts";
import { embeddings } from "../judges/exchange-kinds.ts";
import { embed, embedWithout, INPUT, INPUTS, MANY_INPUTS } from "../probes/embeddings.ts";
import { TEXTS } from "../probes/texts.ts";

const minimal = embed();
const needs = ["embeddings.minimal"];

export const basics = [
  acceptance("embeddings.minimal", "a request with model and one string as input is accepted", {
    row: [
      "endpoints.embeddings",
      "service.embeddings",
      "service.json",
      "service.base-url",
      "endpoints.prefix",
      "versioning.prefix",
      "service.content-type",
      "embeddings.request.model",
      "embeddings.request.input.string",
    ],
    probe: minimal,
    over: embeddings,
    provenBy: ["embeddings-refused", "embeddings-missing"],
  }),
  clause("embeddings.status", "embeddings return 200", {
    row: "endpoints.embeddings",
    level: "required",
    over: embeddings,
    needs,
    probe: minimal,
    provenBy: ["embeddings-201"],
    judge: statusIs(SUCCESS_STATUS.embeddings, "embeddings"),
  }),
  acceptance("embeddings.input.array", "an array of strings as input is accepted", {
    row: "embeddings.request.input.array",
    needs,
    probe: embed({ input: INPUTS }),
    provenBy: ["embeddings-array-refused"],
  }),
  acceptance("embeddings.input.array-of-one", "an array of one string as input is accepted", {
    row: "embeddings.request.input.array",
    needs,
    probe: embed({ input: [INPUT] }),
    provenBy: ["embeddings-array-refused"],
  }),
];

export const texts = TEXTS.map(({ name, what, text }) =>
  acceptance(`embeddings.input.${name}`, `input with ${what} is accepted`, {
    row: "embeddings.request.input.string",
    needs,
    probe: embed({ input: text }),
    provenBy: [`embeddings-${name}-refused`],
  }),
);

export const formats = ENCODING_FORMATS.map((format) =>
  acceptance(`embeddings.encoding_format.${format}`, `encoding_format ${format} is accepted`, {
    row: "embeddings.request.encoding_format",
    needs,
    probe: embed({ encoding_format: format }),
    provenBy: [`encoding-${format}-refused`],
  }),
);

export const disallowedValues = ["int8", "hex", "FLOAT"].map((format) =>
  refusal(`embeddings.encoding_format.not-${format}`, `encoding_format ${format} is not accepted`, {
    row: "embeddings.request.encoding_format",
    needs,
    probe: embed({ encoding_format: format }),
    control: embed({ encoding_format: ENCODING_FORMAT_DEFAULT }),
    provenBy: ["encoding-format-unchecked"],
  }),
);

export const requiredFields = ["model", "input"].map((field) =>
  refusal(`embeddings.without.${field}`, `a request without ${field} is not accepted`, {
    row: `embeddings.request.${field}`,
    probe: embedWithout(field),
    control: minimal,
    provenBy: [`embeddings-${field}-optional`],
  }),
);

/** The specification sets no limit for a list; retrieval sends lists of this size. */
export const many = acceptance(
  "embeddings.input.many",
  `a list of ${MANY_INPUTS.length} texts, two of them equal, is accepted`,
  {
    row: "embeddings.request.input.array",
    level: "recommended",
    needs: ["embeddings.input.array"],
    probe: embed({ input: MANY_INPUTS }),
    provenBy: ["embeddings-many-refused"],
  },
);

/** An object cannot be converted to a text. */
export const inputObject = refusal("embeddings.type.input-object", "input that is an object is not accepted", {
  row: "embeddings.request.input.string",
  needs,
  probe: embed({ input: {} }),
  control: minimal,
  provenBy: ["embeddings-input-object-accepted"],
});

const WRONG_TYPES = [
  { name: "model-number", probe: embed({ model: 7 }), control: minimal },
  { name: "input-number", probe: embed({ input: 7 }), control: minimal },
  { name: "input-numbers", probe: embed({ input: [7, 8] }), control: embed({ input: INPUTS }) },
  {
    name: "encoding_format-number",
    probe: embed({ encoding_format: 7 }),
    control: embed({ encoding_format: ENCODING_FORMAT_DEFAULT }),
    fault: "embeddings-encoding-format-type-unchecked",
  },
];

export const types = WRONG_TYPES.map(({ name, probe, control, fault = "embeddings-coerces" }) =>
  refusal(`embeddings.type.${name}`, `a wrong JSON type is not accepted: ${name}`, {
    row: "embeddings.request.types",
    level: "recommended",
    needs,
    probe,
    control,
    provenBy: [fault],
  }),
);

const OPEN = [
  { name: "unknown-field", row: "embeddings.request.open", probe: embed({ assay_unknown: true }) },
  { name: "null-encoding_format", row: "embeddings.request.open", probe: embed({ encoding_format: null }) },
  { name: "empty-string", row: "embeddings.request.open", probe: embed({ input: "" }) },
  { name: "empty-array", row: "embeddings.request.open", probe: embed({ input: [] }) },
  { name: "no-content-type", row: "service.content-type.absent", probe: embed({}, { contentType: "none" }) },
];

export const open = OPEN.map(({ name, row, probe }) =>
  observation(`embeddings.open.${name}`, `what happens, where the specification leaves it open: ${name}`, {
    row,
    needs,
    probe,
  }),
);
