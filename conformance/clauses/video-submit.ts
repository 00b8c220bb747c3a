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
  acceptance({
    id: "video.submit.minimal",
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
    text: "a submission of model and prompt alone is accepted",
    probe,
    over: submissions,
    explainedBy: ["video.submit.response.id"],
    provenBy: ["video-submit-refused"],
  }),
  clause({
    id: "video.submit.status",
    row: ["endpoints.video.submit", "states.submit"],
    level: "required",
    text: `an accepted submission returns ${SUCCESS_STATUS.videoSubmit}`,
    over: submissions,
    needs,
    probe,
    provenBy: ["video-submit-200"],
    judge: statusIs(SUCCESS_STATUS.videoSubmit, "an accepted submission"),
  }),
  clause({
    id: "video.submit.content-type",
    row: "service.json.media-type",
    level: "recommended",
    text: "the response to a submission is declared as JSON",
    over: submissions,
    needs,
    probe,
    provenBy: ["video-submit-content-type-text"],
    judge: mediaTypeIsJson,
  }),
  clause({
    id: "video.submit.at-once",
    row: "service.video.at-once",
    level: "recommended",
    text: "a submission returns before the work is done",
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
  clause({
    id: "video.submit.created_at.utc",
    row: "video.task.created_at.format",
    level: "required",
    text: "created_at is an ISO 8601 timestamp that is not in a time zone other than UTC",
    over: submissions,
    needs: [CREATED_AT],
    probe,
    provenBy: ["created-at-unix", "created-at-offset"],
    judge: isUtc,
  }),
  clause({
    id: "video.submit.created_at.zone",
    row: "video.task.created_at.zone",
    level: "recommended",
    text: "created_at has a time of day and names its zone",
    over: submissions,
    needs: ["video.submit.created_at.utc"],
    probe,
    provenBy: ["created-at-no-zone"],
    judge: namesZone,
  }),
  clause({
    id: "video.submit.created_at.near",
    row: "video.task.created_at.zone",
    level: "recommended",
    text: "created_at is near the time of the submission",
    over: submissions,
    needs: ["video.submit.created_at.utc"],
    probe,
    provenBy: ["created-at-far"],
    judge: nearNow,
  }),
];

const allowed = (field: string, values: readonly (string | number)[], rows: readonly string[], fault: string) =>
  values.map((value) =>
    acceptance({
      id: `video.submit.${field}.${value}`,
      row: rows,
      text: `${field} ${value} is accepted`,
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
  acceptance({
    id: `video.submit.prompt.max-${name}`,
    row: ["limits.prompt", "video.request.prompt.max"],
    text: `a prompt of ${prompt.length} ${what} is accepted`,
    needs,
    probe: submitAllowed({ prompt }),
    provenBy,
  }),
);

export const combination = acceptance({
  id: "video.submit.combination",
  row: "video.request.combination",
  level: "recommended",
  text: "10 seconds in 1080p are accepted together",
  needs: ["video.submit.duration.10", "video.submit.resolution.1080p"],
  probe: submitVideo({ duration: 10, resolution: "1080p" }, ORDER.recommended),
  provenBy: ["duration-10-in-1080p-refused"],
});

export const uniqueIds = clause({
  id: "video.submit.id.unique",
  row: "video.task.id.path",
  level: "required",
  text: "each task has its own id",
  needs: ["video.submit.response.id"],
  probe: completedTask,
  others: [cancelledTask, ...PACKED],
  provenBy: ["video-same-id"],
  judge: (own, others) => idsUnique([own, ...others]),
  over: submittedTasks,
  judgeUnit: submittedOnce,
});
