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

/** Statuses by which services refuse a model. */
const OF_MODELS: readonly number[] = [400, 403, 404, 422];
/** Of these, those that count where nothing but the text of the response says that it is the model. */
const STATUSES: readonly number[] = [400, 404];
/** What says of a refusal in a code or type what it is about. */
const NAMES_MODEL = /model|deployment/i;
const NAMES_CONTEXT = /context|length|token/i;
/** Words of services that give neither code nor `param` nor the name of the model; a model may be a deployment there. */
const UNKNOWN =
  /\b(?:models?|deployments?)\b.*\b(?:not? (?:found|such|exist|available|supported|known|allowed)|does not exist|doesn't exist|unknown|unavailable|unsupported|invalid)|\b(?:unknown|no such|invalid|unsupported|not an? (?:valid|known|supported|existing))\b.{0,40}\b(?:models?|deployments?)\b|(?:model_?|deployment_?)not_?found|模型.{0,20}(?:不存在|不支持|不可用|无效|未找到|找不到|未知)|(?:不存在|不支持|无效|未找到|找不到|未知).{0,10}模型/is;
/** Members of requests that a text may be about in place of the model. */
const OTHER_MEMBER = /\b(?:max_tokens|max_completion_tokens|temperature|messages|stream|encoding_format)\b/;

/** A member of the request: a response that holds one repeats the request, its model included, whatever was wrong with it. */
const REQUEST_REPEATED = /\b(?:messages|input|prompt)\b\\?["']\s*:/;

/** Characters of a response that are searched. */
const SEARCHED = 2_000;

/**
 * Inconclusive when the target says that it does not know the model, and nobody but Assay chose that model.
 * @param context lists the requests whose model is a default which the target has not served in this run
 */
export function unknownModel(exchange: Exchange | undefined, { defaultModels = [] }: Context): Judged | undefined {
  const name = requestName(exchange);
  const answer = exchange?.answer;
  if (name === undefined || exchange === undefined || answer === undefined || !defaultModels.includes(name))
    return undefined;
  if (!refusesModel(exchange)) return undefined;
  const { model } = requestBody(exchange);
  return inconclusive(
    `the target returned ${answer.status} and does not know the model ${String(model)}, which is only a default; name one with ${FLAGS[name]}`,
  );
}

/** Says of a minimal request that was refused for its model which setting named that, so that it is corrected first. */
export function withModelAdvice(found: Judged, exchange: Exchange | undefined): Judged {
  const name = requestName(exchange);
  if (found.kind !== "broken" || exchange === undefined || name === undefined || !refusesModel(exchange)) return found;
  const { model } = requestBody(exchange);
  return { ...found, observed: `${found.observed}; if it has no model ${String(model)}, correct ${FLAGS[name]}` };
}

/** What a refusal says in the members of common targets; a body of another form is one text. */
interface Said {
  readonly text: string;
  /** Its code and its type. */
  readonly codes: readonly string[];
  readonly param: string;
}

/** What some services write for an absent member. */
const ABSENT: readonly string[] = ["", "None", "null"];

function said(exchange: Exchange): Said {
  const document = documentOf(exchange);
  const inner = isObject(document) ? (document["error"] ?? document) : undefined;
  const error = isObject(inner) ? inner : {};
  const of = (name: string): string => {
    const value = error[name];
    return typeof value === "string" && !ABSENT.includes(value) ? value : "";
  };
  return {
    text: of("message") || (exchange.answer?.body.slice(0, SEARCHED) ?? ""),
    codes: [of("code"), of("type")],
    param: of("param"),
  };
}

/**
 * Whether a refusal is about the model: its code, its type or its `param` says so; where none does, it names
 * the model of the request, or says so in words and is about no other member.
 */
export function refusesModel(exchange: Exchange): boolean {
  const status = exchange.answer?.status ?? 0;
  const { text, codes, param } = said(exchange);
  if (!OF_MODELS.includes(status) || codes.some((code) => NAMES_CONTEXT.test(code))) return false;
  if (param === "model" || codes.some((code) => NAMES_MODEL.test(code))) return true;
  if (param !== "" || !STATUSES.includes(status) || REQUEST_REPEATED.test(text) || OTHER_MEMBER.test(text))
    return false;
  const { model } = requestBody(exchange);
  return (typeof model === "string" && model !== "" && text.includes(model)) || UNKNOWN.test(text);
}
