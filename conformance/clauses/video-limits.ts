/** Submissions that the specification forbids, or leaves open. Each that is accepted after all costs a job. */

import {
  VIDEO_ASPECT_RATIO_DEFAULT,
  VIDEO_DURATION_DEFAULT,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTION_DEFAULT,
} from "../../contract/service.ts";
import type { JsonObject } from "../../lib/json.ts";
import { clause, observation, refusal } from "../builders/clause-builders.ts";
import { refusalForm } from "../judges/acceptance.ts";
import { invalidRequests, refusedRequests } from "../judges/exchange-kinds.ts";
import { noneIsServerError } from "../judges/responses.ts";
import { completedTask, ORDER, submitVideo, submitWithout } from "../probes/video.ts";

const needs = ["video.submit.minimal"];

interface DisallowedValue {
  readonly id: string;
  readonly rows: readonly string[];
  readonly fields: JsonObject;
  /** Clause that verifies that valid values of the field are accepted. */
  readonly valid: string;
  readonly provenBy: readonly string[];
}

const PROMPT_ROWS = ["limits.prompt", "video.request.prompt.max"];
const DURATION_ROWS = ["limits.duration", "video.request.duration"];

/** Clauses that verify that valid values are accepted; the controls, one field apart, do not hold the field. */
const PROMPT = "video.submit.prompt.max-ascii";
const DURATION = `video.submit.duration.${VIDEO_DURATION_DEFAULT}`;
const RESOLUTION = `video.submit.resolution.${VIDEO_RESOLUTION_DEFAULT}`;
const ASPECT_RATIO = `video.submit.aspect_ratio.${VIDEO_ASPECT_RATIO_DEFAULT}`;

const prompt = (id: string, length: number, provenBy: readonly string[], letter = "a"): DisallowedValue => ({
  id: `prompt.${id}`,
  rows: PROMPT_ROWS,
  fields: { prompt: letter.repeat(length) },
  valid: PROMPT,
  provenBy,
});
const duration = (value: number): DisallowedValue => ({
  id: `duration.not-${value}`,
  rows: DURATION_ROWS,
  fields: { duration: value },
  valid: DURATION,
  provenBy: ["duration-unchecked"],
});
const resolution = (value: string): DisallowedValue => ({
  id: `resolution.not-${value}`,
  rows: ["video.request.resolution"],
  fields: { resolution: value },
  valid: RESOLUTION,
  provenBy: ["resolution-unchecked"],
});
const ratio = (value: string): DisallowedValue => ({
  id: `aspect_ratio.not-${value}`,
  rows: ["video.request.aspect_ratio"],
  fields: { aspect_ratio: value },
  valid: ASPECT_RATIO,
  provenBy: ["aspect-ratio-unchecked"],
});

const DISALLOWED_VALUES: readonly DisallowedValue[] = [
  prompt("over", VIDEO_PROMPT_MAX + 1, ["prompt-unlimited", "prompt-limit-off-by-one"]),
  prompt("far-over", VIDEO_PROMPT_MAX * 10, ["prompt-unlimited"]),
  // More than the limit in every unit in which characters can be counted.
  prompt("over-two-byte", VIDEO_PROMPT_MAX + 1, ["prompt-unlimited", "prompt-limit-off-by-one"], "é"),
  prompt("over-surrogate-pairs", VIDEO_PROMPT_MAX + 1, ["prompt-unlimited", "prompt-limit-off-by-one"], "\u{1F6B2}"),
  ...[4, 6, 7, 15, 0, -5].map(duration),
  ...["480p", "4k", "1080P"].map(resolution),
  ...["4:3", "21:9", "16x9"].map(ratio),
];

export const disallowedValues = DISALLOWED_VALUES.map(({ id, rows, fields, valid, provenBy }) =>
  refusal(`video.submit.${id}`, `a submission outside the stated values is not accepted: ${id}`, {
    row: rows,
    needs: [...needs, valid],
    probe: submitVideo(fields),
    control: completedTask,
    provenBy,
  }),
);

export const requiredFields = ["model", "prompt"].map((field) =>
  refusal(`video.submit.without.${field}`, `a submission without ${field} is not accepted`, {
    row: `video.request.${field}`,
    probe: submitWithout(field),
    control: completedTask,
    provenBy: [`video-${field}-optional`],
  }),
);

const ENUM_FAULT = "video-enum-type-unchecked";
const WRONG_TYPES: readonly { name: string; fields: JsonObject; valid?: string; fault?: string }[] = [
  { name: "model-number", fields: { model: 7 } },
  { name: "prompt-number", fields: { prompt: 7 } },
  { name: "duration-string", fields: { duration: "5" }, valid: DURATION },
  { name: "duration-fraction", fields: { duration: 5.5 }, valid: DURATION },
  { name: "resolution-number", fields: { resolution: 720 }, valid: RESOLUTION, fault: ENUM_FAULT },
  { name: "aspect_ratio-number", fields: { aspect_ratio: 1 }, valid: ASPECT_RATIO, fault: ENUM_FAULT },
];

export const types = WRONG_TYPES.map(({ name, fields, valid, fault = "video-coerces" }) =>
  refusal(`video.submit.type.${name}`, `a wrong JSON type is not accepted: ${name}`, {
    row: "video.request.types",
    level: "recommended",
    needs: valid === undefined ? needs : [...needs, valid],
    probe: submitVideo(fields, ORDER.recommended),
    control: completedTask,
    provenBy: [fault],
  }),
);

const ASTRAL = "\u{1F6B2}";
const OPEN = [
  { name: "prompt-outside-bmp", row: "video.request.prompt.unit", fields: { prompt: ASTRAL.repeat(VIDEO_PROMPT_MAX) } },
  { name: "empty-prompt", row: "video.request.open", fields: { prompt: "" } },
  { name: "null-duration", row: "video.request.open", fields: { duration: null } },
  { name: "unknown-field", row: "video.request.open", fields: { assay_unknown: true } },
];

export const open = OPEN.map(({ name, row, fields }) =>
  observation(`video.submit.open.${name}`, `what happens, where the specification leaves it open: ${name}`, {
    row,
    needs,
    probe: submitVideo(fields, ORDER.observed),
  }),
);

export const noContentType = observation(
  "video.submit.open.no-content-type",
  "what happens, where the specification leaves it open: a body without Content-Type",
  {
    row: "service.content-type.absent",
    needs,
    probe: submitVideo({}, ORDER.observed, { contentType: "none" }),
  },
);

export const refusals = [
  clause("video.submit.refusal.not-5xx", "no invalid submission returns a server error", {
    row: "errors.invalid.not-5xx",
    level: "recommended",
    needs,
    probe: submitWithout("prompt"),
    others: [submitWithout("model"), submitVideo({ duration: 7 }), submitVideo({ resolution: "480p" })],
    anyResponse: true,
    over: invalidRequests("submit"),
    provenBy: ["video-invalid-500"],
    judge: (own, others) => noneIsServerError([own, ...others].flat()),
  }),
  clause("video.submit.refusal.form", "status and body of a refused submission", {
    row: "errors.invalid.form",
    level: "observed",
    over: refusedRequests("submit"),
    needs,
    probe: submitWithout("prompt"),
    others: [submitWithout("model"), submitVideo({ duration: 7 }), submitVideo({ resolution: "480p" })],
    judge: (own, others) => refusalForm([own, ...others].flat()),
  }),
];
