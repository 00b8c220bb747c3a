/** What a target serves, by one small request of each kind. Video tasks may cost money: none is created. */

import { randomUUID } from "node:crypto";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { httpClient } from "../../conformance/engine/http-client.ts";
import type { Connection } from "../../conformance/engine/target-connection.ts";
import { PATHS } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, parseJson } from "../../lib/json.ts";

/** The parts that a load can begin with. */
export type ServedPart = "chat" | "embeddings";

/** The models of the requests. */
export interface Models {
  readonly chat: string;
  readonly embeddings: string;
}

export interface Probed {
  readonly served: readonly ServedPart[];
  /** Why a part is left out, a sentence each. */
  readonly refused: readonly string[];
}

/** A slow model may take as long for its first response. */
const PATIENCE_MS = 60_000;

/**
 * Sends one chat of one token and one embedding.
 * @throws InconclusiveError when neither is served
 */
export async function probeTarget(connection: Connection, models: Models): Promise<Probed> {
  const client = httpClient({ ...connection, timeoutMs: PATIENCE_MS, slowMs: PATIENCE_MS });
  const send = (part: ServedPart, body: object) =>
    client.send({
      probe: "init",
      method: "POST",
      path: PATHS[part],
      body: JSON.stringify({ model: models[part], ...body }),
      requestId: randomUUID(),
      signal: new AbortController().signal,
    });
  try {
    const chat = await send("chat", { messages: [{ role: "user", content: "Hello" }], max_tokens: 1 });
    const embeddings = await send("embeddings", { input: "Hello" });
    const all = [
      { part: "chat", reason: whyRefused("chat", models, chat) },
      { part: "embeddings", reason: whyRefused("embeddings", models, embeddings) },
    ] as const;
    const served = all.flatMap(({ part, reason }) => (reason === undefined ? [part] : []));
    const refused = all.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
    if (served.length === 0) throw new InconclusiveError(`Cannot write starter files: ${refused.join(" ")}`);
    return { served, refused };
  } finally {
    await client.close();
  }
}

function whyRefused(part: ServedPart, models: Models, { answer, failure }: Exchange): string | undefined {
  const isServed = failure === undefined && isObject(parseJson(answer?.body ?? ""));
  if (answer?.status === 200 && isServed) return undefined;
  const observed =
    answer === undefined
      ? (failure?.message ?? "nothing")
      : answer.status === 200
        ? "200 but not a JSON object"
        : String(answer.status);
  const flag = part === "chat" ? "--chat-model" : "--embedding-model";
  return `${PATHS[part]} with the model ${models[part]} returned ${observed}; name a model that it serves with ${flag}.`;
}
