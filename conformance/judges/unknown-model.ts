/** Tells a request that was refused for a model that the target does not have from one that should have been served. */

import type { RequestName } from "../../contract/fields.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject } from "../../lib/json.ts";
import type { Context } from "../model/clause.ts";
import { inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { requestBody, requestName } from "./request-rules.ts";

const FLAGS: Readonly<Record<RequestName, string>> = {
  chat: "--chat-model",
  embeddings: "--embedding-model",
  videos: "--video-model",
};

const STATUSES: readonly number[] = [400, 404];
/** Words of common targets, in English and in Chinese; a model may be a deployment there. */
const UNKNOWN =
  /\b(?:models?|deployments?)\b.*\b(?:not? (?:found|such|exist|available|supported|known|allowed)|does not exist|doesn't exist|unknown|unavailable|unsupported|invalid)|\b(?:unknown|no such|invalid|unsupported|not an? (?:valid|known|supported|existing))\b.{0,40}\b(?:models?|deployments?)\b|(?:model_?|deployment_?)not_?found|模型.{0,20}(?:不存在|不支持|不可用|无效|未找到|找不到|未知)|(?:不存在|不支持|无效|未找到|找不到|未知).{0,10}模型/is;

/** A member of the request: a response that holds one repeats the request, its model included, whatever was wrong with it. */
const REQUEST_REPEATED = /\b(?:messages|input|prompt)\b\\?["']\s*:/;

/** Characters of a response that are searched. */
const SEARCHED = 2_000;

/** Inconclusive when the target says that it does not know the model, and nobody but Assay chose that model. */
export function unknownModel(exchange: Exchange | undefined, { defaultModels = [] }: Context): Judged | undefined {
  const name = requestName(exchange);
  const answer = exchange?.answer;
  if (name === undefined || exchange === undefined || answer === undefined || !defaultModels.includes(name))
    return undefined;
  const { model } = requestBody(exchange);
  if (!STATUSES.includes(answer.status) || !isAboutModel(exchange, model)) return undefined;
  return inconclusive(
    `the target returned ${answer.status} and does not know the model ${String(model)}, which is only a default; name one with ${FLAGS[name]}`,
  );
}

/** What a refusal says in the members of common targets; a body of another form is one text. */
function said(exchange: Exchange): { readonly text: string; readonly code: string; readonly param: string } {
  const document = documentOf(exchange);
  const inner = isObject(document) ? (document["error"] ?? document) : undefined;
  const error = isObject(inner) ? inner : {};
  const of = (name: string): string => (typeof error[name] === "string" ? error[name] : "");
  return {
    text: of("message") || (exchange.answer?.body.slice(0, SEARCHED) ?? ""),
    code: of("code"),
    param: of("param"),
  };
}

/** Whether a refusal is about the model: its code or its `param` says so; where it has neither, it says so or names the model. */
function isAboutModel(exchange: Exchange, model: unknown): boolean {
  const { text, code, param } = said(exchange);
  if (/context|length/i.test(code)) return false;
  if (/model/i.test(code) || param === "model") return true;
  if (param !== "") return false;
  return (
    UNKNOWN.test(text) ||
    (typeof model === "string" && model !== "" && text.includes(model) && !REQUEST_REPEATED.test(text))
  );
}
