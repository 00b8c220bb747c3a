/** What to do about inputs that a target refuses because they are longer than its model takes. */

import { settingKey } from "../../../settings/setting.ts";
import type { Refusal } from "./usage-refused.ts";

/** Statuses with which services refuse an input for its length; llama.cpp takes 500. */
const STATUSES: readonly (number | undefined)[] = [400, 413, 422, 500];

const TOO_LARGE = 413;

/** How services say it: vLLM and OpenAI, llama.cpp, Ollama, SGLang, text-embeddings-inference. */
const TOO_LONG =
  /maximum context length|context_length_exceeded|exceeds? the (?:available |maximum )?(?:context|allowed|input|sequence)|input \(\d+ tokens\) is too large|input length .{0,40}exceeds|must have less than \d+ tokens/i;

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function lengthAdvice({ op, outcome, status, reason = "" }: Refusal): string | undefined {
  const takesText = op.startsWith("chat") || op.startsWith("embeddings");
  if (!takesText || outcome !== "http_error" || !STATUSES.includes(status)) return undefined;
  const shorter = `shorter ones, such as --${settingKey("inputTokens")} 100`;
  if (TOO_LONG.test(reason))
    return `some inputs are longer than the model takes: send ${shorter}, or serve it with a longer context`;
  return status === TOO_LARGE
    ? `some inputs are larger than the target, or a proxy or firewall before it, takes: send ${shorter}, or raise that limit (client_max_body_size of nginx)`
    : undefined;
}
