/** Choices that concern requests and responses of every route. */

import { JSON_MEDIA_TYPE } from "../../contract/service.ts";
import { isObject } from "../../lib/json.ts";
import { changed, eachFrame, withHeaders } from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const DELAY_MS = 20;

/** Headers of a gateway in front of the service. */
const GATEWAY = {
  server: "gateway",
  via: "1.1 gateway",
  "x-ratelimit-remaining-requests": "59",
  "strict-transport-security": "max-age=31536000",
  "set-cookie": "node=7; Path=/",
};

const ascii = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const everyResponse: readonly Variant[] = [
  permitted("strict", "any", "the most common choices: errors are 400, 401, 404, 405 or 409 with an error object"),
  permitted(
    "lenient",
    "any",
    "invalid requests return 422, null and empty texts are accepted, a second cancel returns 200",
    {
      rules: {
        invalidStatus: 422,
        nullable: true,
        acceptsEmpty: true,
        cancelIdle: ["cancelled", "failed"],
        cancelRefusedStatus: 400,
      },
    },
  ),
  permitted("empty-accepted", "any", "empty messages, inputs and prompts are accepted", {
    rules: { acceptsEmpty: true },
  }),
  permitted("nulls-accepted", "any", "an optional member may be null", { rules: { nullable: true } }),
  permitted("typed-bodies", "any", "a body without Content-Type returns 415", { rules: { mediaTypeNeeded: true } }),
  permitted("slashed-paths", "any", "a path may end with a slash", { path: (path) => path.replace(/(?<=.)\/$/, "") }),
  permitted("unprefixed-paths", "any", "every path is also served without /v1", {
    path: (path) => (/^\/(?:chat|embeddings|videos)\b/.test(path) ? `/v1${path}` : path),
  }),
  fault("prefix-missing", "any", "every path is served without /v1 only", {
    path: (path) =>
      /^\/v1\//.test(path) ? "/no-such-path" : path.replace(/^\/(?=(?:chat|embeddings|videos)\b(?!.*\.mp4$))/, "/v1/"),
  }),
  permitted("extra-headers", "any", "every response has headers of a gateway", withHeaders(GATEWAY)),
  permitted("closed-connections", "any", "every response closes its connection", withHeaders({ connection: "close" })),
  permitted("slower-responses", "any", "every response takes 20 ms longer", {
    transform: (response) => ({ ...response, atMs: response.atMs + DELAY_MS }),
    transformStream: (stream) => ({
      ...stream,
      headersAtMs: stream.headersAtMs + DELAY_MS,
      frames: stream.frames.map((frame) => ({ ...frame, atMs: frame.atMs + DELAY_MS })),
    }),
  }),
  permitted(
    "pretty-json",
    "any",
    "JSON is indented, its keys are in reverse order, and its Content-Type has a charset",
    {
      transform: (response) =>
        isObject(response.body)
          ? {
              ...response,
              headers: { ...response.headers, "content-type": `${JSON_MEDIA_TYPE}; charset=utf-8` },
              body: JSON.stringify(Object.fromEntries(Object.entries(response.body).reverse()), null, 2),
            }
          : response,
    },
  ),
  permitted("ascii-json", "any", "characters outside ASCII are escaped in JSON", {
    transform: (response) =>
      isObject(response.body) ? { ...response, body: ascii(JSON.stringify(response.body)) } : response,
    transformStream: eachFrame(ascii),
  }),
  permitted("extra-members", "any", "every response has members that are not in the specification", {
    transform: (response) =>
      isObject(response.body)
        ? {
            ...response,
            body: { request_cost: 0.25, trace: { node: "a-7", hops: [1, 2] }, ...response.body, note: null },
          }
        : response,
  }),
  permitted("other-model-names", "any", "model of a response is a longer name than model of the request", {
    transform: changed("model", (model) => `vendor/${String(model)}-2026-01-31`),
  }),
  permitted("usage-zero", "any", "every token count is 0", {
    transform: (response) =>
      ["prompt_tokens", "completion_tokens", "total_tokens"].reduce(
        (now, count) => changed(`usage.${count}`, () => 0)(now),
        response,
      ),
  }),
];
