/** GET and HEAD of a finished video, which needs no key: its address is all that a client is given. */

import type { PlainResponse } from "../../base/mock-response.ts";
import type { MockContext } from "../mock-context.ts";
import { noSuchTask } from "./no-such-task.ts";

/** Path of the video of a task. */
export const videoFilePath = (taskId: string): string => `/videos/${encodeURIComponent(taskId)}.mp4`;

/** The beginning of an MP4 file (ISO/IEC 14496-12: `ftyp`), then a box to be skipped (`free`). */
const VIDEO = Buffer.alloc(4_096);
VIDEO.writeUInt32BE(16, 0);
VIDEO.write("ftypisom", 4);
VIDEO.writeUInt32BE(VIDEO.length - 16, 16);
VIDEO.write("free", 20);

export function videoFile({ tasks, variants }: MockContext, taskId: string): PlainResponse {
  const task = tasks.find(taskId);
  const isThere = task !== undefined && tasks.state(task, variants.standingRules("video.poll").tasks) === "completed";
  return isThere
    ? { status: 200, headers: { "content-type": "video/mp4" }, body: "", bytes: VIDEO, atMs: 0 }
    : noSuchTask(taskId);
}
