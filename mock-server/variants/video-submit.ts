/** Submissions of video tasks, and their first response. */

import { randomUUID } from "node:crypto";
import { VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_PROMPT_MAX, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import { jsonResponse } from "../base/mock-response.ts";
import { changed, refuseWhen, requestMember } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const route = "video.submit";

/** Characters of an id that fits into no address, so that nobody asks for its task, which does not exist. */
const TOO_LONG = 2_001;

/** A fault for each allowed value of a field: that value is refused. */
const refusing = (
  field: "duration" | "resolution" | "aspect_ratio",
  allowed: readonly (string | number)[],
): readonly Variant[] =>
  allowed.map((value) => ({
    name: `${field.replace("_", "-")}-${String(value).replace(":", "-")}-refused`,
    kind: "fault",
    about: `${field} ${value} is refused`,
    route,
    rules: { fields: { [`videos.${field}`]: { values: allowed.filter((other) => other !== value) } } },
  }));

export const videoSubmit: readonly Variant[] = [
  {
    name: "video-model-optional",
    kind: "fault",
    about: "a submission without model is accepted",
    route,
    rules: { fields: { "videos.model": { required: false } } },
  },
  {
    name: "video-prompt-optional",
    kind: "fault",
    about: "a submission without prompt is accepted",
    route,
    rules: { fields: { "videos.prompt": { required: false } } },
  },
  {
    name: "video-coerces",
    kind: "fault",
    about: "wrong JSON types of a submission are converted, not refused",
    route,
    rules: { coerces: true },
  },
  {
    name: "video-enum-type-unchecked",
    kind: "fault",
    about: "a number as resolution or aspect_ratio is accepted",
    route,
    transform: (response, request) =>
      ["resolution", "aspect_ratio"].some((name) => typeof requestMember(request, name) === "number")
        ? jsonResponse(202, { id: randomUUID().padEnd(TOO_LONG, "0"), status: "processing" })
        : response,
  },
  {
    name: "duration-unchecked",
    kind: "fault",
    about: "any whole duration is accepted",
    route,
    rules: { fields: { "videos.duration": { values: undefined } } },
  },
  {
    name: "resolution-unchecked",
    kind: "fault",
    about: "any resolution is accepted",
    route,
    rules: { fields: { "videos.resolution": { values: undefined } } },
  },
  {
    name: "aspect-ratio-unchecked",
    kind: "fault",
    about: "any aspect_ratio is accepted",
    route,
    rules: { fields: { "videos.aspect_ratio": { values: undefined } } },
  },
  ...refusing("duration", VIDEO_DURATIONS),
  ...refusing("resolution", VIDEO_RESOLUTIONS),
  ...refusing("aspect_ratio", VIDEO_ASPECT_RATIOS),
  {
    name: "duration-10-in-1080p-refused",
    kind: "fault",
    about: "duration 10 with resolution 1080p is refused",
    route,
    ...refuseWhen(
      (request) => requestMember(request, "duration") === 10 && requestMember(request, "resolution") === "1080p",
      "10 seconds are available in 720p only",
    ),
  },
  {
    name: "prompt-limit-short",
    kind: "fault",
    about: "a prompt of exactly the maximum length is refused",
    route,
    rules: { fields: { "videos.prompt": { maxCharacters: VIDEO_PROMPT_MAX - 1 } } },
  },
  {
    name: "prompt-limit-off-by-one",
    kind: "fault",
    about: "a prompt of one character more than the maximum is accepted",
    route,
    rules: { fields: { "videos.prompt": { maxCharacters: VIDEO_PROMPT_MAX + 1 } } },
  },
  {
    name: "prompt-unlimited",
    kind: "fault",
    about: "a prompt of any length is accepted",
    route,
    rules: { fields: { "videos.prompt": { maxCharacters: undefined } } },
  },
  {
    name: "prompt-counts-bytes",
    kind: "fault",
    about: "the length of a prompt is counted in bytes",
    route,
    rules: { promptUnit: "bytes" },
  },
  {
    name: "video-submit-waits",
    kind: "fault",
    about: "the response to a submission is sent only when the task has ended",
    route,
    rules: { tasks: { submitWaits: true } },
  },
  {
    name: "video-same-id",
    kind: "fault",
    about: "every task has the same id",
    route,
    rules: { tasks: { sameId: true } },
  },
  {
    name: "created-at-far",
    kind: "fault",
    about: "created_at is one day ahead",
    route,
    transform: changed("created_at", (given) => new Date(Date.parse(String(given)) + 86_400_000).toISOString()),
  },
  {
    name: "created-at-no-zone",
    kind: "fault",
    about: "created_at has no time zone",
    route,
    transform: changed("created_at", (given) => String(given).replace("Z", "")),
  },
  {
    name: "created-at-offset",
    kind: "fault",
    about: "created_at has the offset +02:00",
    route,
    transform: changed("created_at", (given) => String(given).replace("Z", "+02:00")),
  },
  {
    name: "created-at-unix",
    kind: "fault",
    about: "created_at is a Unix time in a string",
    route,
    transform: changed("created_at", (given) => String(Math.floor(Date.parse(String(given)) / 1000))),
  },
  {
    name: "whole-timestamps",
    kind: "permitted",
    about: "created_at has no fraction of a second",
    route,
    transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "Z")),
  },
  {
    name: "precise-timestamps",
    kind: "permitted",
    about: "created_at has microseconds",
    route,
    transform: changed("created_at", (given) => String(given).replace("Z", "417Z")),
  },
  {
    name: "offset-timestamps",
    kind: "permitted",
    about: "created_at ends with +00:00 and has no fraction of a second",
    route,
    transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "+00:00")),
  },
  {
    name: "bare-ids",
    kind: "permitted",
    about: "a task id is a UUID without a prefix",
    route,
    rules: { tasks: { idPrefix: "" } },
  },
  {
    name: "long-ids",
    kind: "permitted",
    about: "a task id has more than 200 characters",
    route,
    rules: { tasks: { idPrefix: "t".repeat(200) } },
  },
  {
    name: "encoded-ids",
    kind: "permitted",
    about: "a task id has characters that must be encoded in a path: a slash, a space, non-ASCII letters",
    route,
    rules: { tasks: { idPrefix: "jobs/é 1+&?#%41:" } },
  },
  {
    name: "utf16-prompts",
    kind: "permitted",
    about: "the length of a prompt is counted in UTF-16 code units",
    rules: { promptUnit: "utf-16" },
  },
];
