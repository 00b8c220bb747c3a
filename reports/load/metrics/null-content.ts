/** What to do about completions whose content is null. */

import { settingKey } from "../../../settings/setting.ts";
import type { Refusal } from "./usage-refused.ts";

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function contentAdvice({ op, outcome, reason = "" }: Refusal): string | undefined {
  if (op !== "chat" || outcome !== "contract" || !/^choices\[\d+\]\.message\.content is null\b/.test(reason))
    return undefined;
  return `if the model reasons, its reasoning may have taken all tokens before any content: raise --${settingKey("maxTokens")}`;
}
