/** Judges of answers as a whole: media type, sums of usage, server errors. */

import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { show } from "../../lib/json.ts";
import { broken, type FindingOf, holds, inconclusive, noted } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { answered } from "./status.ts";

const JSON_MEDIA = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** The answer's content type is a JSON one. */
export function mediaTypeIsJson([exchange]: Exchanges): Judged {
  const type = exchange?.answer?.headers["content-type"];
  if (type !== undefined && JSON_MEDIA.test(type)) return holds(`content-type was ${type}`);
  return broken("answers are JSON and should say so", `content-type was ${show(type ?? "absent")}`);
}

/** No answer is a server error; 503 means "later" and does not count. */
export function noneIsServerError(exchanges: Exchanges): Judged {
  const answers = exchanges.filter(({ answer }) => answer !== undefined);
  if (answers.length === 0) return inconclusive("no answer came");
  const bad = answers.find(({ answer }) => answer !== undefined && answer.status >= 500 && answer.status !== 503);
  if (bad === undefined) return holds("no invalid request was answered with a server error");
  return broken("an invalid request is the client's error", answered(bad), [bad.id]);
}

/** Whether total_tokens is the sum of the named members of usage. */
export function sumOf(exchange: Exchange | undefined, names: readonly string[]): FindingOf<"observed"> {
  const values = [...names, "total_tokens"].map((name) => valuesAt(documentOf(exchange), `usage.${name}`)[0]?.value);
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length < values.length) return inconclusive("usage holds no such numbers");
  const total = numbers.at(-1) ?? 0;
  const sum = numbers.slice(0, -1).reduce((a, b) => a + b, 0);
  return noted(`total_tokens was ${total}, the sum of ${names.join(" and ")} ${sum}`);
}
