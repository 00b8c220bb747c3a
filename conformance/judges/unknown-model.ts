/** Tells a request that was refused for a model that the target does not have from one that should have been served. */

import type { RequestName } from "../../contract/fields.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import type { Context } from "../model/clause.ts";
import { inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { requestBody, requestName } from "./request-rules.ts";

const FLAGS: Readonly<Record<RequestName, string>> = {
  chat: "--chat-model",
  embeddings: "--embedding-model",
  videos: "--video-model",
};

const STATUSES: readonly number[] = [400, 404];
const UNKNOWN =
  /\bmodels?\b.*\b(?:not? (?:found|such|exist|available|supported|known|allowed)|does not exist|doesn't exist|unknown|unavailable|unsupported|invalid)|\b(?:unknown|no such|invalid|unsupported)\b.{0,40}\bmodels?\b|model_not_found/is;

/** Characters of a response that are searched. */
const SEARCHED = 2_000;

/** Inconclusive when the target says that it does not know the model, and nobody but Assay chose that model. */
export function unknownModel(exchange: Exchange | undefined, { defaultModels = [] }: Context): Judged | undefined {
  const name = requestName(exchange);
  const answer = exchange?.answer;
  if (name === undefined || answer === undefined || !defaultModels.includes(name)) return undefined;
  if (!STATUSES.includes(answer.status) || !UNKNOWN.test(answer.body.slice(0, SEARCHED))) return undefined;
  const { model } = requestBody(exchange);
  return inconclusive(
    `the target returned ${answer.status} and does not know the model ${String(model)}, which is only a default; name one with ${FLAGS[name]}`,
  );
}
