/** Judges of limits on the length of a reply. */

import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { requestOf } from "./exchange-kinds.ts";
import { documentOf } from "./json-path.ts";
import { endedByLimit, streamedText } from "./stream-events.ts";

/** Every reply was ended by the max_tokens of its request, and none has more tokens. */
export function limitsKept(exchanges: Exchanges): Judged {
  const found = exchanges.map(limitKept);
  return (
    found.find(({ kind }) => kind === "broken") ??
    found.find(({ kind }) => kind === "inconclusive") ??
    holds(found.map((one) => (one.kind === "holds" ? one.observed : "")).join("; "))
  );
}

function limitKept(exchange: Exchange | undefined): Judged {
  const most = Number(requestOf(exchange)["max_tokens"]);
  const document = documentOf(exchange);
  const tokens = valuesAt(document, "usage.completion_tokens")[0]?.value;
  const shown = exchange === undefined ? [] : [exchange.id];
  if (typeof tokens !== "number") return inconclusive("the response holds no completion_tokens");
  const expected = `max_tokens ${most} is the maximum number of output tokens`;
  if (tokens > most) return broken(expected, `completion_tokens was ${tokens}`, shown);
  const words = Math.max(0, ...valuesAt(document, "choices[].message.content").map(({ value }) => wordsIn(value)));
  if (words > mostWords(most))
    return broken(expected, `the reply has ${words} words, although completion_tokens was ${tokens}`, shown);
  const endedByIt = valuesAt(document, "choices[].finish_reason").some(({ value }) => value === "length");
  if (tokens === most || endedByIt) return holds(`completion_tokens was ${tokens} of ${most}`);
  return inconclusive(`the reply ended after ${tokens} of ${most} tokens, so that the limit did not take effect`);
}

/**
 * A streamed reply was ended by the max_tokens of its request. Its tokens are not counted in the stream, but its words are.
 * @param unlimited the stream of the same request without max_tokens, which shows that the reply needs more
 */
export function streamLimitKept(exchange: Exchange | undefined, unlimited?: Exchange): Judged {
  const most = Number(requestOf(exchange)["max_tokens"]);
  const text = streamedText(exchange);
  if (text === undefined) return inconclusive("the stream holds no text that can be recognised");
  const words = wordsIn(text);
  if (words > mostWords(most))
    return broken(
      `max_tokens ${most} is the maximum number of output tokens`,
      `the streamed reply has ${words} words`,
      exchange === undefined ? [] : [exchange.id],
    );
  const whole = wordsIn(streamedText(unlimited));
  if (endedByLimit(exchange) || whole > mostWords(most))
    return holds(`the streamed reply had ${words} words of ${most} tokens`);
  return inconclusive(`the streamed reply ended after ${words} words, so that the limit did not take effect`);
}

const wordsIn = (text: unknown): number =>
  typeof text === "string" ? text.split(/\s+/).filter((word) => word !== "").length : 0;

/** A token is a word or less, save some that join two. */
const mostWords = (tokens: number): number => 2 * tokens + 2;
