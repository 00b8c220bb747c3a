/** POST /v1/embeddings: one vector per input, in the order of the inputs. */

import {
  EMBEDDING_ITEM_OBJECT,
  EMBEDDING_LIST_OBJECT,
  ENCODING_FORMAT_DEFAULT,
  ENCODING_FORMATS,
  SUCCESS_STATUS,
} from "../../../contract/service.ts";
import { jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import { randomOf } from "../../base/seeded-random.ts";
import { encode, vectorOf } from "../../base/vectors.ts";
import type { Call } from "../mock-context.ts";
import { estimateTokens } from "../reply-text.ts";
import type { EmbeddingsBody } from "../requests.ts";

const DEFAULT_MODEL = "mock-embedding";

/** The embedding list. */
export function embeddings({ key, context }: Call, body: EmbeddingsBody): PlainResponse {
  const model = body.model ?? DEFAULT_MODEL;
  const inputs = typeof body.input === "string" ? [body.input] : (body.input ?? []);
  const format = ENCODING_FORMATS.find((known) => known === body.encoding_format) ?? ENCODING_FORMAT_DEFAULT;
  const data = inputs.map((text, index) => ({
    object: EMBEDDING_ITEM_OBJECT,
    index,
    embedding: encode(vectorOf(context.seed, model, text), format),
  }));
  const tokens = inputs.reduce((sum, text) => sum + estimateTokens(text), 0);
  const list = { object: EMBEDDING_LIST_OBJECT, data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  return jsonResponse(
    SUCCESS_STATUS.embeddings,
    list,
    context.timing.embeddingMs(randomOf(context.seed, "embeddings", key)),
  );
}
