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
  acceptance({
    id: "embeddings.minimal",
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
    text: "a request with model and one string as input is accepted",
    probe: minimal,
    over: embeddings,
    provenBy: ["embeddings-refused", "embeddings-missing"],
  }),
  clause({
    id: "embeddings.status",
    row: "endpoints.embeddings",
    level: "required",
    text: "embeddings return 200",
    over: embeddings,
    needs,
    probe: minimal,
    provenBy: ["embeddings-201"],
    judge: statusIs(SUCCESS_STATUS.embeddings, "embeddings"),
  }),
  acceptance({
    id: "embeddings.input.array",
    row: "embeddings.request.input.array",
    text: "an array of strings as input is accepted",
    needs,
    probe: embed({ input: INPUTS }),
    provenBy: ["embeddings-array-refused"],
  }),
  acceptance({
    id: "embeddings.input.array-of-one",
    row: "embeddings.request.input.array",
    text: "an array of one string as input is accepted",
    needs,
    probe: embed({ input: [INPUT] }),
    provenBy: ["embeddings-array-refused"],
  }),
];

export const texts = TEXTS.map(({ name, what, text }) =>
  acceptance({
    id: `embeddings.input.${name}`,
    row: "embeddings.request.input.string",
    text: `input with ${what} is accepted`,
    needs,
    probe: embed({ input: text }),
    provenBy: [`embeddings-${name}-refused`],
  }),
);

export const formats = ENCODING_FORMATS.map((format) =>
  acceptance({
    id: `embeddings.encoding_format.${format}`,
    row: "embeddings.request.encoding_format",
    text: `encoding_format ${format} is accepted`,
    needs,
    probe: embed({ encoding_format: format }),
    provenBy: [`encoding-${format}-refused`],
  }),
);

export const disallowedValues = ["int8", "hex", "FLOAT"].map((format) =>
  refusal({
    id: `embeddings.encoding_format.not-${format}`,
    row: "embeddings.request.encoding_format",
    text: `encoding_format ${format} is not accepted`,
    needs,
    probe: embed({ encoding_format: format }),
    control: embed({ encoding_format: ENCODING_FORMAT_DEFAULT }),
    provenBy: ["encoding-format-unchecked"],
  }),
);

export const requiredFields = ["model", "input"].map((field) =>
  refusal({
    id: `embeddings.without.${field}`,
    row: `embeddings.request.${field}`,
    text: `a request without ${field} is not accepted`,
    probe: embedWithout(field),
    control: minimal,
    provenBy: [`embeddings-${field}-optional`],
  }),
);

/** The specification sets no limit for a list; retrieval sends lists of this size. */
export const many = acceptance({
  id: "embeddings.input.many",
  row: "embeddings.request.input.array",
  level: "recommended",
  text: `a list of ${MANY_INPUTS.length} texts, two of them equal, is accepted`,
  needs: ["embeddings.input.array"],
  probe: embed({ input: MANY_INPUTS }),
  provenBy: ["embeddings-many-refused"],
});

/** An object cannot be converted to a text. */
export const inputObject = refusal({
  id: "embeddings.type.input-object",
  row: "embeddings.request.input.string",
  text: "input that is an object is not accepted",
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
  refusal({
    id: `embeddings.type.${name}`,
    row: "embeddings.request.types",
    level: "recommended",
    text: `a wrong JSON type is not accepted: ${name}`,
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
  observation({
    id: `embeddings.open.${name}`,
    row,
    text: `what happens, where the specification leaves it open: ${name}`,
    needs,
    probe,
  }),
);
