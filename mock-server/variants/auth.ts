/** API keys. */

import { errorResponse } from "../base/mock-response.ts";
import { always } from "./transforms.ts";
import { fault, type Variant } from "./variant.ts";

const unauthorized = always(
  errorResponse({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null }),
);

export const auth: readonly Variant[] = [
  fault("auth-optional", "any", "a request without a key is accepted", {
    rules: { keyNeeded: false },
    concerns: ({ headers }) => headers["authorization"] === undefined,
  }),
  fault("auth-optional-streams", "chat.stream", "a request for a stream without a key is accepted", {
    rules: { keyNeeded: false },
    concerns: ({ headers }) => headers["authorization"] === undefined,
  }),
  fault("auth-optional-polls", "video.poll", "a poll without a key is served", {
    rules: { keyNeeded: false },
    concerns: ({ headers }) => headers["authorization"] === undefined,
  }),
  fault("auth-optional-cancels", "video.cancel", "a cancel without a key is served", {
    rules: { keyNeeded: false },
    concerns: ({ headers }) => headers["authorization"] === undefined,
  }),
  fault("auth-unchecked", "any", "any key is accepted, although only some are valid", { rules: { keyChecked: false } }),
  fault("auth-bare-key", "any", "the key is accepted without Bearer only", { rules: { bareKey: true } }),
  fault("auth-header-case", "any", "the header with the key is known by its name in lower case only", {
    rules: { lowerCaseKeyName: true },
  }),
  fault("auth-chat-refused", ["chat", "chat.stream"], "chat refuses every key", unauthorized),
  fault("auth-embeddings-refused", "embeddings", "embeddings refuses every key", unauthorized),
  fault("auth-video-refused", ["video.submit", "video.poll", "video.cancel"], "video refuses every key", unauthorized),
];
