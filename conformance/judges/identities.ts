/** What holds between responses, wherever they are in a run: an id names one completion, a model has vectors of one length. */

import { createHash } from "node:crypto";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import type { Identity } from "../model/clause.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { vectorsOf } from "./embeddings.ts";
import { requestOf } from "./exchange-kinds.ts";
import { memberOf } from "./json-path.ts";
import { streamIn } from "./stream-events.ts";

/** The id of a completion, or that which all chunks of a stream have. */
function completionId(exchange: Exchange): unknown {
  if (requestOf(exchange)["stream"] !== true) return memberOf(exchange, "id");
  const chunks = streamIn(exchange)?.chunks ?? [];
  const [id, ...others] = new Set(chunks.map(({ value }) => (isObject(value) ? value["id"] : undefined)));
  return others.length === 0 ? id : undefined;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Each completion, streamed or not, has an id of its own. A cache of responses returns the whole of one again, which is said. */
export const oneIdEach: Identity = {
  of: (exchange) => {
    const id = completionId(exchange);
    if (typeof id !== "string" || id === "") return undefined;
    return { key: id, value: `${exchange.id} ${digest(exchange.answer?.body ?? "")}` };
  },
  expected: "the OpenAI-compatible interface gives each completion an id of its own",
  observed: (id, first, value) => {
    const [exchange, body] = first.split(" ");
    const whole = value.endsWith(` ${body}`) ? ", whose response is the same byte for byte, as from a cache" : "";
    return `two had ${show(id)}, the other one in exchange ${exchange}${whole}`;
  },
};

/** All vectors of one model that come as numbers have one length, unless the request asks for another. */
export const oneLengthPerModel: Identity = {
  of: (exchange) => {
    const { model, dimensions, encoding_format: format } = requestOf(exchange);
    if (typeof model !== "string" || (dimensions !== undefined && dimensions !== null) || format === "base64")
      return undefined;
    const lengths = [...new Set(vectorsOf(exchange).map((vector) => vector?.length))];
    // An empty vector is a fault of its own, and what is no vector has no length.
    const isComparable = lengths.length > 0 && lengths.every((length) => length !== undefined && length > 0);
    return isComparable ? { key: model, value: lengths.join(" and ") } : undefined;
  },
  expected: "all vectors of one model have the same length",
  observed: (model, first, value) => `those of ${show(model)} had ${first} numbers before, and ${value} here`,
};

/** The first value of each key. */
export type FirstValues = Map<string, { readonly value: string; readonly exchange: number }>;

/** Keys that are remembered of one clause. */
const MOST_KEYS = 20_000;

/** Judges an exchange by those before it, and remembers it. */
export function compareWithEarlier(identity: Identity, exchange: Exchange, known: FirstValues): Judged {
  const found = identity.of(exchange);
  if (found === undefined) return inconclusive("the response has nothing to compare");
  const { key, value } = found;
  const first = known.get(key);
  if (first === undefined) {
    if (known.size < MOST_KEYS) known.set(key, { value, exchange: exchange.id });
    return holds(`${show(key)} was seen`);
  }
  if (first.value === value) return holds(`${show(key)} agrees with an earlier response`);
  return broken(identity.expected, identity.observed(key, first.value, value), [first.exchange, exchange.id]);
}

/** Judges exchanges that are all there; at least two must have something to compare. */
export function allAgree(identity: Identity, exchanges: Exchanges): Judged {
  const known: FirstValues = new Map();
  const judged = exchanges.map((exchange) => compareWithEarlier(identity, exchange, known));
  const bad = judged.find(({ kind }) => kind === "broken");
  if (bad !== undefined) return bad;
  const compared = judged.filter(({ kind }) => kind === "holds").length;
  return compared > 1
    ? holds(`${compared} responses agree`)
    : inconclusive("fewer than two responses had something to compare");
}
