/** What to do about chats that a target refuses because they ask for usage. */

import { settingKey } from "../../../settings/setting.ts";

/** Requests that failed alike. */
export interface Refusal {
  readonly op: string;
  readonly outcome?: string;
  readonly status?: number | undefined;
  /** What the record says was wrong, with an excerpt of the response. */
  readonly reason?: string | undefined;
}

/** Statuses of an invalid request. */
const INVALID = [400, 422];

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function usageAdvice({ op, status = 0, reason = "" }: Refusal): string | undefined {
  if (op !== "chat.stream" || !INVALID.includes(status) || !/stream_options|include_usage/.test(reason))
    return undefined;
  return `the target refuses stream_options, by which streamed chats ask for usage; repeat with --set ${settingKey("noUsage")}`;
}
