/** Refusals: their status and the form of their body, of which the specification shows little. */

import { errorResponse } from "../base/mock-response.ts";
import { errorsAs } from "./transforms.ts";
import { type Fault, fault, permitted, type Variant } from "./variant.ts";

const OTHER_STATUSES: Readonly<Record<number, number>> = { 401: 403, 404: 410, 409: 400 };

const shapeless = (route: "chat" | "embeddings"): Fault =>
  fault(`${route}-error-shapeless`, route, "the body of an error is an object without error", {
    transform: (response) => (response.status < 400 ? response : { ...response, body: { detail: "no" } }),
  });

/** What some servers write before the JSON of a success. */
const withMark = (route: "chat" | "embeddings"): Fault =>
  fault(`${route}-bom`, route, "the JSON of a success begins with a byte order mark", {
    transform: (response) =>
      response.status < 400 ? { ...response, body: `\uFEFF${JSON.stringify(response.body)}` } : response,
  });

export const errors: readonly Variant[] = [
  withMark("chat"),
  withMark("embeddings"),
  shapeless("chat"),
  shapeless("embeddings"),
  fault("stream-429", "chat.stream", "a request for a stream returns 429 with Retry-After: 1", {
    transformStream: () => {
      const limited = errorResponse({ status: 429, message: "too many requests", code: "rate_limited", param: null });
      return { ...limited, headers: { ...limited.headers, "retry-after": "1" } };
    },
  }),
  permitted("invalid-422", "any", "an invalid request returns 422", { rules: { invalidStatus: 422 } }),
  permitted(
    "other-statuses",
    "any",
    "403 without a key, 410 for an unknown task, 400 for a cancel of a task that has ended",
    { transform: (response) => ({ ...response, status: OTHER_STATUSES[response.status] ?? response.status }) },
  ),
  permitted("detail-errors", "any", "an error is {detail}", {
    transform: errorsAs("application/json", (message) => ({ detail: message })),
  }),
  permitted("string-errors", "any", "an error is {error} with a string", {
    transform: errorsAs("application/json", (message) => ({ error: message })),
  }),
  permitted("coded-errors", "any", "an error is {code, msg} with a number as code", {
    transform: errorsAs("application/json", (message, status) => ({ code: status * 100 + 1, msg: message })),
  }),
  permitted("problem-errors", "any", "an error is application/problem+json (RFC 9457)", {
    transform: errorsAs("application/problem+json", (message, status) => ({
      type: "about:blank",
      title: message,
      status,
    })),
  }),
  permitted("html-errors", "any", "an error is an HTML page", {
    transform: errorsAs("text/html", (message, status) => `<!doctype html><title>${status}</title><p>${message}`),
  }),
  permitted("plain-errors", "any", "an error is one line of plain text", {
    transform: errorsAs("text/plain", () => "request refused\n"),
  }),
  permitted("empty-errors", "any", "an error has no body", { transform: errorsAs("text/plain", () => "") }),
];
