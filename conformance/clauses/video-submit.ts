/** Submission of a video task: its success, its answer, its allowed values. */

import { VIDEO_SUBMISSION_FIELDS } from "../../contract/fields.ts";
import { SUCCESS_STATUS, VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import { acceptance, clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { statusIs } from "../judges/acceptance.ts";
import { submissions, submittedTasks } from "../judges/exchange-kinds.ts";
import { mediaTypeIsJson } from "../judges/responses.ts";
import { idsUnique, isUtc, namesZone, nearNow, submittedBeforeItsEnd, submittedOnce } from "../judges/video.ts";
import {
  cancelledTask,
  completedTask,
  ORDER,
  PACKED,
  PROMPT_ASCII,
  PROMPT_TWO_BYTES,
  submitAllowed,
  submitVideo,
} from "../probes/video.ts";

const probe = completedTask;
const needs = ["video.submit.minimal"];

export const basics = [
  acceptance("video.submit.minimal", "a submission of model and prompt alone is accepted", {
    row: [
      "endpoints.video.submit",
      "service.video.asynchronous",
      "service.json",
      "service.base-url",
      "endpoints.prefix",
      "versioning.prefix",
      "service.content-type",
      "video.request.model",
      "video.request.prompt",
      "video.request.duration.default",
      "video.request.resolution.default",
      "video.request.aspect_ratio.default",
    ],
    probe,
    over: submissions,
    explainedBy: ["video.submit.response.id"],
    provenBy: ["video-submit-refused"],
  }),
  clause("video.submit.status", `an accepted submission returns ${SUCCESS_STATUS.videoSubmit}`, {
    row: ["endpoints.video.submit", "states.submit"],
    level: "required",
    over: submissions,
    needs,
    probe,
    provenBy: ["video-submit-200"],
    judge: statusIs(SUCCESS_STATUS.videoSubmit, "an accepted submission"),
  }),
  clause("video.submit.content-type", "the response to a submission is declared as JSON", {
    row: "service.json.media-type",
    level: "recommended",
    over: submissions,
    needs,
    probe,
    provenBy: ["video-submit-content-type-text"],
    judge: mediaTypeIsJson,
  }),
  clause("video.submit.at-once", "a submission returns before the work is done", {
    row: "service.video.at-once",
    level: "recommended",
    needs: ["video.submit.minimal", "video.poll.completed.reached"],
    probe,
    pick: (exchanges) => exchanges,
    provenBy: ["video-submit-waits"],
    judge: submittedBeforeItsEnd,
  }),
];

export const fields = fieldClauses({
  ids: "video.submit.response",
  rows: "video.task",
  alsoRows: ["endpoints.video.submit.body", "states.submit"],
  fields: VIDEO_SUBMISSION_FIELDS,
  within: "the response to a submission",
  probe,
  needs,
  own: "id",
  faults: "video-submit",
  over: submissions,
});

const CREATED_AT = "video.submit.response.created_at";
export const createdAt = [
  clause(
    "video.submit.created_at.utc",
    "created_at is an ISO 8601 timestamp that is not in a time zone other than UTC",
    {
      row: "video.task.created_at.format",
      level: "required",
      over: submissions,
      needs: [CREATED_AT],
      probe,
      provenBy: ["created-at-unix", "created-at-offset"],
      judge: isUtc,
    },
  ),
  clause("video.submit.created_at.zone", "created_at has a time of day and names its zone", {
    row: "video.task.created_at.zone",
    level: "recommended",
    over: submissions,
    needs: ["video.submit.created_at.utc"],
    probe,
    provenBy: ["created-at-no-zone"],
    judge: namesZone,
  }),
  clause("video.submit.created_at.near", "created_at is near the time of the submission", {
    row: "video.task.created_at.zone",
    level: "recommended",
    over: submissions,
    needs: ["video.submit.created_at.utc"],
    probe,
    provenBy: ["created-at-far"],
    judge: nearNow,
  }),
];

const allowed = (field: string, values: readonly (string | number)[], rows: readonly string[], fault: string) =>
  values.map((value) =>
    acceptance(`video.submit.${field}.${value}`, `${field} ${value} is accepted`, {
      row: rows,
      needs,
      probe: submitAllowed({ [field]: value }),
      provenBy: [`${fault}-${String(value).replace(":", "-")}-refused`],
    }),
  );

export const values = [
  ...allowed("duration", VIDEO_DURATIONS, ["video.request.duration", "limits.duration"], "duration"),
  ...allowed("resolution", VIDEO_RESOLUTIONS, ["video.request.resolution"], "resolution"),
  ...allowed("aspect_ratio", VIDEO_ASPECT_RATIOS, ["video.request.aspect_ratio"], "aspect-ratio"),
];

const PROMPTS = [
  { name: "ascii", what: "ASCII characters", prompt: PROMPT_ASCII, provenBy: ["prompt-limit-short"] },
  {
    name: "two-byte",
    what: "two-byte letters",
    prompt: PROMPT_TWO_BYTES,
    provenBy: ["prompt-counts-bytes", "prompt-limit-short"],
  },
];

export const prompts = PROMPTS.map(({ name, what, prompt, provenBy }) =>
  acceptance(`video.submit.prompt.max-${name}`, `a prompt of ${prompt.length} ${what} is accepted`, {
    row: ["limits.prompt", "video.request.prompt.max"],
    needs,
    probe: submitAllowed({ prompt }),
    provenBy,
  }),
);

export const combination = acceptance("video.submit.combination", "10 seconds in 1080p are accepted together", {
  row: "video.request.combination",
  level: "recommended",
  needs: ["video.submit.duration.10", "video.submit.resolution.1080p"],
  probe: submitVideo({ duration: 10, resolution: "1080p" }, ORDER.recommended),
  provenBy: ["duration-10-in-1080p-refused"],
});

export const uniqueIds = clause("video.submit.id.unique", "each task has its own id", {
  row: "video.task.id.path",
  level: "required",
  needs: ["video.submit.response.id"],
  probe: completedTask,
  others: [cancelledTask, ...PACKED],
  provenBy: ["video-same-id"],
  judge: (own, others) => idsUnique([own, ...others]),
  over: submittedTasks,
  judgeUnit: submittedOnce,
});
