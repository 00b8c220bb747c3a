/** Judges of limits on the length of a reply. */

import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { broken, brokenAlready, holds, inconclusive, notApplicable } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { requestOf } from "./exchange-kinds.ts";
import { documentOf } from "./json-path.ts";
import { endedByLimit, streamedText, streamedUsage } from "./stream-events.ts";

/** What a reply counts itself, and the limit of its request. */
interface Counted {
  readonly id: number;
  readonly most: number;
  readonly tokens: number;
  /** The reply says that the limit ended it. */
  readonly isCut: boolean;
  /** The words of a plain reply. */
  readonly words: number;
}

/** One more may be the token that ends the reply. */
const MOST_ABOVE = 1;

const expectedOf = ({ most }: Pick<Counted, "most">): string =>
  `max_tokens ${most} is the maximum number of output tokens`;

function countedIn(exchange: Exchange): Counted | undefined {
  const most = Number(requestOf(exchange)["max_tokens"]);
  const usage = streamedUsage(exchange);
  if (usage !== undefined) {
    const tokens = usage["completion_tokens"];
    return typeof tokens === "number"
      ? { id: exchange.id, most, tokens, isCut: endedByLimit(exchange), words: 0 }
      : undefined;
  }
  const document = documentOf(exchange);
  const tokens = valuesAt(document, "usage.completion_tokens")[0]?.value;
  if (typeof tokens !== "number") return undefined;
  const isCut = valuesAt(document, "choices[].finish_reason").some(({ value }) => value === "length");
  const words = Math.max(0, ...valuesAt(document, "choices[].message.content").map(({ value }) => wordsIn(value)));
  return { id: exchange.id, most, tokens, isCut, words };
}

/** No reply has more tokens, by its own count, than the max_tokens of its request, and one at least was ended by it. */
export function limitsKept(exchanges: Exchanges): Judged {
  const counts = exchanges.flatMap((exchange) => countedIn(exchange) ?? []);
  if (counts.length === 0) return notApplicable("no response says how many completion_tokens it has");
  const above = counts.find(({ tokens, most }) => tokens > most + MOST_ABOVE);
  if (above !== undefined) return broken(expectedOf(above), `completion_tokens was ${above.tokens}`, [above.id]);
  const shown = counts.filter(({ tokens, most, isCut }) => isCut || tokens >= most);
  if (shown.length === 0)
    return notApplicable(
      `the reply ended after ${counts[0]?.tokens} of ${counts[0]?.most} tokens, so that the limit did not take effect`,
    );
  return holds(shown.map(({ tokens, most }) => `completion_tokens was ${tokens} of ${most}`).join("; "));
}

/** No reply has a token more than its limit, and none has more words than it says that it has tokens. */
export function limitsExact(exchanges: Exchanges): Judged {
  const counts = exchanges.flatMap((exchange) => countedIn(exchange) ?? []);
  const [first] = counts;
  if (first === undefined) return notApplicable("no response says how many completion_tokens it has");
  const bad = counts.find((one) => one.tokens > one.most || one.words > mostWords(one.most));
  if (bad === undefined) return holds(`completion_tokens was ${first.tokens} of ${first.most}`);
  const { tokens, most, words, id } = bad;
  const observed =
    tokens > most
      ? `completion_tokens was ${tokens}`
      : `the reply has ${words} words, although completion_tokens was ${tokens}`;
  return broken(expectedOf(bad), observed, [id]);
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
    return brokenAlready(
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
