/** Requests of a user's own scenario, to paths that the specification does not have. */

import type { Reply } from "k6/x/assay";
import type { FieldType } from "../../contract/fields.ts";
import type { Json } from "../../lib/json.ts";
import { perWorkload } from "../workloads.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

/** Where a request goes, and what a response must look like to be `ok`. */
export interface OwnEndpoint {
  /** On the target, with its query, such as `/v1/rerank`. Requests are recorded with it as their tag `endpoint`. */
  readonly path: string;
  /** Default: POST. */
  readonly method?: "GET" | "POST";
  /** Every chunk of the response is timed, as in a streamed chat. */
  readonly stream?: boolean;
  /** The reply has the `text` of a chat: the content of its first choice. Takes the k6 that Assay builds. */
  readonly text?: boolean;
  /** Default: 200. */
  readonly status?: number;
  /** Members that a JSON response must have, with their types, such as `{ "results[].index": "int" }`. */
  readonly fields?: Readonly<Record<string, FieldType>>;
  /** Sent in addition to those of the run, the API key among them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Makes an endpoint; call it in the init context, outside of functions.
 * @example const rerank = endpoint({ path: "/v1/rerank", fields: { results: "array" } });
 */
export function endpoint({
  path,
  method = "POST",
  stream = false,
  text = false,
  status = 200,
  fields = {},
  headers = {},
}: OwnEndpoint): {
  /** Sends a request with a body of JSON, waits for the end of the response and records it. */
  send(body?: Json): Reply;
} {
  const of = perWorkload((workload) =>
    serviceEndpoint(`${method} ${path}`, workload, (_, { baseUrl }) => ({
      op: stream ? "custom.stream" : "custom",
      method,
      url: baseUrl + path,
      headers: { ...(method === "POST" && { "content-type": "application/json" }), ...headers },
      model: "",
      stream,
      expect: { status, fields: Object.entries(fields).map(([member, type]) => ({ path: member, type })) },
      read: {},
    })),
  );
  const common = { tags: { endpoint: path }, ...(text && { text }) };
  return {
    send: (body) => of().send(body === undefined ? common : { ...common, body: JSON.stringify(body) }),
  };
}
