/** Submissions of video tasks, and their first response. */

import { randomUUID } from "node:crypto";
import { VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_PROMPT_MAX, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import { jsonResponse } from "../base/mock-response.ts";
import { changed, refuseWhen, requestMember } from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const route = "video.submit";

/** Characters of an id that fits into no address, so that nobody asks for its task, which does not exist. */
const TOO_LONG = 2_001;

/** A fault for each allowed value of a field: that value is refused. */
const refusing = (
  field: "duration" | "resolution" | "aspect_ratio",
  allowed: readonly (string | number)[],
): readonly Variant[] =>
  allowed.map((value) =>
    fault(
      `${field.replace("_", "-")}-${String(value).replace(":", "-")}-refused`,
      route,
      `${field} ${value} is refused`,
      { rules: { fields: { [`videos.${field}`]: { values: allowed.filter((other) => other !== value) } } } },
    ),
  );

export const videoSubmit: readonly Variant[] = [
  fault("video-model-optional", route, "a submission without model is accepted", {
    rules: { fields: { "videos.model": { required: false } } },
  }),
  fault("video-prompt-optional", route, "a submission without prompt is accepted", {
    rules: { fields: { "videos.prompt": { required: false } } },
  }),
  fault("video-coerces", route, "wrong JSON types of a submission are converted, not refused", {
    rules: { coerces: true },
  }),
  fault("video-enum-type-unchecked", route, "a number as resolution or aspect_ratio is accepted", {
    transform: (response, request) =>
      ["resolution", "aspect_ratio"].some((name) => typeof requestMember(request, name) === "number")
        ? jsonResponse(202, { id: randomUUID().padEnd(TOO_LONG, "0"), status: "processing" })
        : response,
  }),
  fault("duration-unchecked", route, "any whole duration is accepted", {
    rules: { fields: { "videos.duration": { values: undefined } } },
  }),
  fault("resolution-unchecked", route, "any resolution is accepted", {
    rules: { fields: { "videos.resolution": { values: undefined } } },
  }),
  fault("aspect-ratio-unchecked", route, "any aspect_ratio is accepted", {
    rules: { fields: { "videos.aspect_ratio": { values: undefined } } },
  }),
  ...refusing("duration", VIDEO_DURATIONS),
  ...refusing("resolution", VIDEO_RESOLUTIONS),
  ...refusing("aspect_ratio", VIDEO_ASPECT_RATIOS),
  fault(
    "duration-10-in-1080p-refused",
    route,
    "duration 10 with resolution 1080p is refused",
    refuseWhen(
      (request) => requestMember(request, "duration") === 10 && requestMember(request, "resolution") === "1080p",
      "10 seconds are available in 720p only",
    ),
  ),
  fault("prompt-limit-short", route, "a prompt of exactly the maximum length is refused", {
    rules: { fields: { "videos.prompt": { maxCharacters: VIDEO_PROMPT_MAX - 1 } } },
  }),
  fault("prompt-limit-off-by-one", route, "a prompt of one character more than the maximum is accepted", {
    rules: { fields: { "videos.prompt": { maxCharacters: VIDEO_PROMPT_MAX + 1 } } },
  }),
  fault("prompt-unlimited", route, "a prompt of any length is accepted", {
    rules: { fields: { "videos.prompt": { maxCharacters: undefined } } },
  }),
  fault("prompt-counts-bytes", route, "the length of a prompt is counted in bytes", { rules: { promptUnit: "bytes" } }),
  fault("video-submit-waits", route, "the response to a submission is sent only when the task has ended", {
    rules: { tasks: { submitWaits: true } },
  }),
  fault("video-same-id", route, "every task has the same id", { rules: { tasks: { sameId: true } } }),
  fault("created-at-far", route, "created_at is one day ahead", {
    transform: changed("created_at", (given) => new Date(Date.parse(String(given)) + 86_400_000).toISOString()),
  }),
  fault("created-at-no-zone", route, "created_at has no time zone", {
    transform: changed("created_at", (given) => String(given).replace("Z", "")),
  }),
  fault("created-at-offset", route, "created_at has the offset +02:00", {
    transform: changed("created_at", (given) => String(given).replace("Z", "+02:00")),
  }),
  fault("created-at-unix", route, "created_at is a Unix time in a string", {
    transform: changed("created_at", (given) => String(Math.floor(Date.parse(String(given)) / 1000))),
  }),
  permitted("whole-timestamps", route, "created_at has no fraction of a second", {
    transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "Z")),
  }),
  permitted("precise-timestamps", route, "created_at has microseconds", {
    transform: changed("created_at", (given) => String(given).replace("Z", "417Z")),
  }),
  permitted("basic-timestamps", route, "created_at is in the basic form of ISO 8601: 20260131T120000Z", {
    transform: changed("created_at", (given) =>
      String(given)
        .replace(/\.\d+Z$/, "Z")
        .replaceAll(/[-:]/g, ""),
    ),
  }),
  permitted("offset-timestamps", route, "created_at ends with +00:00 and has no fraction of a second", {
    transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "+00:00")),
  }),
  permitted("bare-ids", route, "a task id is a UUID without a prefix", { rules: { tasks: { idPrefix: "" } } }),
  permitted("long-ids", route, "a task id has more than 200 characters", {
    rules: { tasks: { idPrefix: "t".repeat(200) } },
  }),
  permitted(
    "encoded-ids",
    route,
    "a task id has characters that must be encoded in a path: a slash, a space, non-ASCII letters",
    { rules: { tasks: { idPrefix: "jobs/é 1+&?#%41:" } } },
  ),
  permitted("utf16-prompts", "any", "the length of a prompt is counted in UTF-16 code units", {
    rules: { promptUnit: "utf-16" },
  }),
];
