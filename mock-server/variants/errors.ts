/** Refusals: their status and the form of their body, of which the specification shows little. */

import { errorResponse } from "../base/mock-response.ts";
import { errorsAs } from "./transforms.ts";
import type { Fault, Variant } from "./variant.ts";

const OTHER_STATUSES: Readonly<Record<number, number>> = { 401: 403, 404: 410, 409: 400 };

const shapeless = (route: "chat" | "embeddings"): Fault => ({
  name: `${route}-error-shapeless`,
  kind: "fault",
  about: "the body of an error is an object without error",
  route,
  transform: (response) => (response.status < 400 ? response : { ...response, body: { detail: "no" } }),
});

export const errors: readonly Variant[] = [
  shapeless("chat"),
  shapeless("embeddings"),
  {
    name: "stream-429",
    kind: "fault",
    about: "a request for a stream returns 429 with Retry-After: 1",
    route: "chat.stream",
    transformStream: () => {
      const limited = errorResponse({ status: 429, message: "too many requests", code: "rate_limited", param: null });
      return { ...limited, headers: { ...limited.headers, "retry-after": "1" } };
    },
  },
  {
    name: "invalid-422",
    kind: "permitted",
    about: "an invalid request returns 422",
    rules: { invalidStatus: 422 },
  },
  {
    name: "other-statuses",
    kind: "permitted",
    about: "403 without a key, 410 for an unknown task, 400 for a cancel of a task that has ended",
    transform: (response) => ({ ...response, status: OTHER_STATUSES[response.status] ?? response.status }),
  },
  {
    name: "detail-errors",
    kind: "permitted",
    about: "an error is {detail}",
    transform: errorsAs("application/json", (message) => ({ detail: message })),
  },
  {
    name: "string-errors",
    kind: "permitted",
    about: "an error is {error} with a string",
    transform: errorsAs("application/json", (message) => ({ error: message })),
  },
  {
    name: "coded-errors",
    kind: "permitted",
    about: "an error is {code, msg} with a number as code",
    transform: errorsAs("application/json", (message, status) => ({ code: status * 100 + 1, msg: message })),
  },
  {
    name: "problem-errors",
    kind: "permitted",
    about: "an error is application/problem+json (RFC 9457)",
    transform: errorsAs("application/problem+json", (message, status) => ({
      type: "about:blank",
      title: message,
      status,
    })),
  },
  {
    name: "html-errors",
    kind: "permitted",
    about: "an error is an HTML page",
    transform: errorsAs("text/html", (message, status) => `<!doctype html><title>${status}</title><p>${message}`),
  },
  {
    name: "plain-errors",
    kind: "permitted",
    about: "an error is one line of plain text",
    transform: errorsAs("text/plain", () => "request refused\n"),
  },
  {
    name: "empty-errors",
    kind: "permitted",
    about: "an error has no body",
    transform: errorsAs("text/plain", () => ""),
  },
];
