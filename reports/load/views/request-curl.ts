/** A request of a load as a command for curl. Pure. */

import { PATHS, videoCancelPath, videoTaskPath } from "../../../contract/service.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { shellWord } from "../../../lib/text.ts";

/** What of a request a command needs; its prompt is not in the records. */
export type Repeatable = Pick<RequestRecord, "op" | "model" | "max_tokens" | "task">;

/** Stands for what the records do not hold. */
const PROMPT = "PROMPT";
const KEY = '-H "Authorization: Bearer $ASSAY_API_KEY"';

/**
 * A command that sends a request of this kind, with the same model and limit; the key comes from the environment. Undefined for
 * one of a scenario of the user's own, for a call of a video task without an id, and for a target that is no web address.
 * @param target base address of the service
 */
export function requestCurl({ op, model, max_tokens, task }: Repeatable, target: string): string | undefined {
  // Results name it, whoever made them: curl would take what begins with a hyphen for a flag.
  if (!/^https?:\/\//i.test(target)) return undefined;
  const at = (path: string): string => shellWord(`${target.replace(/\/+$/, "")}${path}`);
  const post = (path: string, body: object): string =>
    `curl -i -N ${at(path)} ${KEY} -H 'Content-Type: application/json' --data-raw ${shellWord(JSON.stringify(body))}`;
  const chat = { model, messages: [{ role: "user", content: PROMPT }], max_tokens };
  if (op === "chat") return post(PATHS.chat, chat);
  if (op === "chat.stream") return post(PATHS.chat, { ...chat, stream: true });
  if (op === "embeddings") return post(PATHS.embeddings, { model, input: PROMPT });
  if (op === "video.submit") return post(PATHS.videos, { model, prompt: PROMPT });
  if (task === undefined) return undefined;
  if (op === "video.poll") return `curl -i ${at(videoTaskPath(task))} ${KEY}`;
  return op === "video.cancel" ? `curl -i -X POST ${at(videoCancelPath(task))} ${KEY}` : undefined;
}
