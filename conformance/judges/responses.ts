/** Judges of responses as a whole: media type, sums of usage, server errors. */

import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import { BYTE_ORDER_MARK } from "../../lib/text.ts";
import { broken, type FindingOf, holds, inconclusive, noted } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { requestOf } from "./exchange-kinds.ts";
import { documentOf } from "./json-path.ts";
import { returned } from "./status.ts";

const JSON_MEDIA = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** The content type of the response is a JSON one. */
export function mediaTypeIsJson([exchange]: Exchanges): Judged {
  const type = exchange?.answer?.headers["content-type"];
  if (type !== undefined && JSON_MEDIA.test(type)) return holds(`content-type was ${type}`);
  return broken("responses are JSON and should say so", `content-type was ${show(type ?? "absent")}`);
}

/** The body begins with its JSON: a byte order mark before it (RFC 8259, section 8.1) stops clients. */
export function beginsWithJson([exchange]: Exchanges): Judged {
  if (exchange?.answer?.body.startsWith(BYTE_ORDER_MARK) !== true) return holds("the body began with its JSON");
  return broken("a response is JSON, which does not begin with a byte order mark", "the body began with one", [
    exchange.id,
  ]);
}

/** No response is a server error; 503 asks to try again later and does not count. */
export function noneIsServerError(exchanges: Exchanges): Judged {
  const answers = exchanges.filter(({ answer }) => answer !== undefined);
  if (answers.length === 0) return inconclusive("no response came");
  const bad = answers.find(({ answer }) => answer !== undefined && answer.status >= 500 && answer.status !== 503);
  if (bad === undefined) return holds(`none of the ${answers.length} that were sent returned a server error`);
  return broken("an invalid request is the client's error", returned(bad), [bad.id]);
}

/** total_tokens and the sum of the named members of usage; undefined when one of them is not a number. */
function totals(exchange: Exchange | undefined, names: readonly string[]): { total: number; sum: number } | undefined {
  const numbers = [...names, "total_tokens"]
    .map((name) => valuesAt(documentOf(exchange), `usage.${name}`)[0]?.value)
    .filter((value) => typeof value === "number");
  const total = numbers.pop();
  if (total === undefined || numbers.length < names.length) return undefined;
  return { total, sum: numbers.reduce((a, b) => a + b, 0) };
}
const NO_NUMBERS = inconclusive("usage holds no such numbers");

/** Notes whether total_tokens is the sum of the named members of usage. */
export function noteUsageSum(exchange: Exchange | undefined, names: readonly string[]): FindingOf<"observed"> {
  const found = totals(exchange, names);
  if (found === undefined) return NO_NUMBERS;
  return noted(`total_tokens was ${found.total}, the sum of ${names.join(" and ")} ${found.sum}`);
}

/** total_tokens is the sum of the named members of usage. */
export function usageAddsUp(exchange: Exchange | undefined, names: readonly string[]): Judged {
  const found = totals(exchange, names);
  if (found === undefined) return NO_NUMBERS;
  if (found.sum === found.total) return holds(`total_tokens was ${found.total}`);
  return broken(`total_tokens is the sum of ${names.join(" and ")}`, `it was ${found.total}, the sum ${found.sum}`);
}

/** The numbers of usage by name; empty where it holds none. */
const usageNumbers = (exchange: Exchange): readonly [string, number][] =>
  valuesAt(documentOf(exchange), "usage").flatMap(({ value }) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, number]): [string, number][] =>
          typeof number === "number" ? [[name, number]] : [],
        )
      : [],
  );

/** No count of usage is negative. */
export function usageIsCount(exchanges: Exchanges): Judged {
  for (const exchange of exchanges) {
    const bad = usageNumbers(exchange).find(([, number]) => number < 0);
    if (bad !== undefined) return broken("a count of tokens is 0 or more", `${bad[0]} was ${bad[1]}`, [exchange.id]);
  }
  return holds("no count of usage was negative");
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** What was sent, and a reply that holds text, have tokens. */
export function usageCountsText(exchanges: Exchanges): Judged {
  for (const exchange of exchanges) {
    const request = requestOf(exchange);
    const sent = [request["input"], ...valuesAt(request, "messages[].content").map(({ value }) => value)].flat();
    const came = valuesAt(documentOf(exchange), "choices[].message.content").map(({ value }) => value);
    const texts: readonly [string, readonly unknown[]][] = [
      ["prompt_tokens", sent],
      ["completion_tokens", came],
    ];
    const counted = texts.flatMap(([name, values]) => (values.some(isText) ? [name] : []));
    const zero = usageNumbers(exchange).find(([name, number]) => counted.includes(name) && number === 0);
    if (zero !== undefined) return broken("a text has tokens, which are billed", `${zero[0]} was 0`, [exchange.id]);
  }
  return holds("usage counted the tokens of each text");
}
