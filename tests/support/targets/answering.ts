/** A recorded exchange with a response, for tests of judges. */

import type { Exchange } from "../../../formats/exchanges.ts";

/** @param request body of the request; absent: a poll, which has none */
export function answering(body: unknown, status = 200, request?: unknown): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    id: 1,
    probe: "p",
    request:
      request === undefined
        ? { method: "GET", url: "http://h/v1/videos/generations/t", headers: {} }
        : { method: "POST", url: "http://h/v1/embeddings", headers: {}, body: JSON.stringify(request) },
    answer: { status, headers: {}, body: text, truncated: false, chunks: [], headersMs: 1, endMs: 2 },
    startedAt: "2030-01-01T00:00:00Z",
  };
}
