/** Reasoning next to the content of a reply, as models that reason send it. The specification has no member for it. */

import type { UnknownObject } from "../../lib/json.ts";

export const hasText = (content: unknown): boolean => typeof content === "string" && content !== "";

/** Whether a message, or a part of one, holds reasoning. */
export const hasReasoning = ({ reasoning, reasoning_content }: UnknownObject): boolean =>
  [reasoning, reasoning_content].some(hasText);

/** Why a reply has no content though the target generates text. */
export const REASONED_ALONE = "reasoning, which took all tokens that max_tokens allows";
