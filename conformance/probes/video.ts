/** Video submissions, and what is done with their tasks. Every accepted one costs money: all use the cheapest values they can. */

import {
  PATHS,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTIONS,
  videoTaskPath,
} from "../../contract/service.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { PLACEHOLDERS, type RequestProbe, request, type TaskProbe, type Tweaks, task } from "../model/probe.ts";
import { without } from "./without.ts";

const MINIMAL: JsonObject = { model: PLACEHOLDERS.videoModel, prompt: "A paper boat on a pond" };

/** Which job gets the next of a limited number: what is required first, curiosity last. */
export const ORDER = {
  completed: 0,
  cancel: 1,
  failing: 2,
  packed: 3,
  refusal: 4,
  recommended: 5,
  observed: 6,
} as const;

export const PROMPT_ASCII = "a".repeat(VIDEO_PROMPT_MAX);
export const PROMPT_TWO_BYTES = "é".repeat(VIDEO_PROMPT_MAX);

const packed = (fields: JsonObject): TaskProbe =>
  task(PATHS.videos, { body: { ...MINIMAL, ...fields }, steps: ["cancel"], order: ORDER.packed });

/** Three jobs that hold every allowed value of every field, each value at least once. */
export const PACKED = [
  packed({
    prompt: PROMPT_ASCII,
    duration: VIDEO_DURATIONS[0],
    resolution: VIDEO_RESOLUTIONS[0],
    aspect_ratio: VIDEO_ASPECT_RATIOS[0],
  }),
  packed({
    prompt: PROMPT_TWO_BYTES,
    duration: VIDEO_DURATIONS[1],
    resolution: VIDEO_RESOLUTIONS[0],
    aspect_ratio: VIDEO_ASPECT_RATIOS[1],
  }),
  packed({ duration: VIDEO_DURATIONS[0], resolution: VIDEO_RESOLUTIONS[1], aspect_ratio: VIDEO_ASPECT_RATIOS[2] }),
] as const;

/** A minimal submission with the given fields in addition, cancelled once it is accepted. */
export const submitVideo = (fields: JsonObject = {}, order: number = ORDER.refusal, tweaks: Tweaks = {}): TaskProbe =>
  task(PATHS.videos, { body: { ...MINIMAL, ...fields }, steps: ["cancel"], order, ...tweaks });

/** A submission of allowed values; not sent when a packed job that holds them was accepted. */
export function submitAllowed(fields: JsonObject): TaskProbe {
  const packedIn = PACKED.find(({ body }) => holdsAll(body, fields));
  return { ...submitVideo(fields, ORDER.packed), ...(packedIn && { packedIn }) };
}

const holdsAll = (body: JsonObject, fields: JsonObject): boolean =>
  isObject(body) && Object.entries(fields).every(([name, value]) => body[name] === value);

/** A submission that leaves out one required field. */
export const submitWithout = (field: string): TaskProbe =>
  task(PATHS.videos, { body: without(MINIMAL, field), steps: ["cancel"], order: ORDER.refusal });

/**
 * A task that is left to end by itself, polled at once and twice more, then cancelled once, which must not work. Here as
 * below, at least five polls report the end, so that a fault in every fifth of them shows.
 */
export const completedTask: TaskProbe = task(PATHS.videos, {
  body: MINIMAL,
  steps: ["poll", "poll-to-end", "poll-at-once", "poll", "poll", "cancel", "poll", "poll"],
  order: ORDER.completed,
});

/** A task that is cancelled while it is processing, once more after that, and looked at when it would have ended. */
export const cancelledTask: TaskProbe = task(PATHS.videos, {
  body: MINIMAL,
  steps: ["cancel", "poll", "poll", "cancel", "poll", "wait-past-end", "poll", "poll"],
  order: ORDER.cancel,
  retryIfEnded: true,
});

/** A task that content review rejects, cancelled after its end. */
export const failedTask: TaskProbe = task(PATHS.videos, {
  body: { ...MINIMAL, prompt: PLACEHOLDERS.failingPrompt },
  steps: ["poll", "poll-to-end", "poll-at-once", "poll", "poll", "cancel", "poll", "poll"],
  order: ORDER.failing,
  onlyWith: "failingPrompt",
});

/** A task that is polled and cancelled without a key, which must not work, and cancelled. */
export const unkeyedTask: TaskProbe = task(PATHS.videos, {
  body: MINIMAL,
  steps: ["poll-unkeyed", "cancel-unkeyed", "cancel"],
  order: ORDER.recommended,
});

const UNKNOWN_ID = "assay-no-such-task";

/** A poll of a task that was never submitted. */
export const pollUnknown = (tweaks: Tweaks = {}): RequestProbe =>
  request("GET", videoTaskPath(UNKNOWN_ID), undefined, tweaks);

/** A poll on the path that lacks the prefix. */
export const pollUnprefixed = (path: string): RequestProbe => request("GET", `${path}/${UNKNOWN_ID}`, undefined);
