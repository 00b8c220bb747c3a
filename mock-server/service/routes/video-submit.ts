/** POST /v1/videos/generations: accepts a task and responds immediately, before any work is done. */

import { SUCCESS_STATUS } from "../../../contract/service.ts";
import { jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import { randomOf } from "../../base/seeded-random.ts";
import { FAILING_PROMPT } from "../failing-prompt.ts";
import type { Call } from "../mock-context.ts";
import type { VideoBody } from "../requests.ts";

const DEFAULT_MODEL = "mock-video";

/** Cost per second of video; the specification gives neither prices nor their unit. */
const COST_PER_SECOND: Readonly<Record<string, number>> = { "720p": 0.1, "1080p": 0.2 };

/** A timer may fire slightly early; a submission that waits for its work must not respond before its end. */
const CLOCK_SLACK_MS = 5;

/** The new task, which is processing. */
export function submitVideo({ key, rules, context, noteTask }: Call, body: VideoBody): PlainResponse {
  const perSecond = COST_PER_SECOND[body.resolution] ?? 0.1;
  const workMs = context.timing.workMs(randomOf(context.seed, "video", key));
  const task = context.tasks.submit(
    {
      model: body.model ?? DEFAULT_MODEL,
      workMs,
      fails: body.prompt?.includes(FAILING_PROMPT) ?? false,
      cost: Math.round(body.duration * perSecond * 100) / 100,
    },
    rules.tasks,
  );
  noteTask(task.id);
  const accepted = { id: task.id, model: task.model, status: "processing", created_at: task.createdAt };
  return jsonResponse(SUCCESS_STATUS.videoSubmit, accepted, rules.tasks.submitWaits ? workMs + CLOCK_SLACK_MS : 0);
}
