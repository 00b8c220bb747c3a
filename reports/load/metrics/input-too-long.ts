/** What to do about inputs that a target refuses because they are longer than its model takes. */

import { settingKey } from "../../../settings/setting.ts";
import type { Refusal } from "./usage-refused.ts";

/** Statuses with which services refuse an input for its length; llama.cpp takes 500. */
const STATUSES: readonly (number | undefined)[] = [400, 413, 422, 500];

/** How services say it: vLLM and OpenAI, llama.cpp, Ollama, SGLang, text-embeddings-inference. */
const TOO_LONG =
  /maximum context length|context_length_exceeded|exceeds? the (?:available |maximum )?(?:context|allowed|input|sequence)|input \(\d+ tokens\) is too large|input length .{0,40}exceeds|must have less than \d+ tokens/i;

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function lengthAdvice({ op, outcome, status, reason = "" }: Refusal): string | undefined {
  const takesText = op.startsWith("chat") || op.startsWith("embeddings");
  if (!takesText || outcome !== "http_error" || !STATUSES.includes(status) || !TOO_LONG.test(reason)) return undefined;
  return `some inputs are longer than the model takes: send shorter ones, such as --${settingKey("inputTokens")} 100, or serve it with a longer context`;
}
