/** API keys. */

import { errorResponse } from "../base/mock-response.ts";
import { always } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const unauthorized = always(
  errorResponse({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null }),
);

export const auth: readonly Variant[] = [
  {
    name: "auth-optional",
    kind: "fault",
    about: "a request without a key is accepted",
    rules: { keyNeeded: false },
    concerns: ({ headers }) => headers["authorization"] === undefined,
  },
  {
    name: "auth-unchecked",
    kind: "fault",
    about: "any key is accepted, although only some are valid",
    rules: { keyChecked: false },
  },
  {
    name: "auth-bare-key",
    kind: "fault",
    about: "the key is accepted without Bearer only",
    rules: { bareKey: true },
  },
  {
    name: "auth-header-case",
    kind: "fault",
    about: "the header with the key is known by its name in lower case only",
    rules: { lowerCaseKeyName: true },
  },
  {
    name: "auth-chat-refused",
    kind: "fault",
    about: "chat refuses every key",
    route: ["chat", "chat.stream"],
    ...unauthorized,
  },
  {
    name: "auth-embeddings-refused",
    kind: "fault",
    about: "embeddings refuses every key",
    route: "embeddings",
    ...unauthorized,
  },
  {
    name: "auth-video-refused",
    kind: "fault",
    about: "video refuses every key",
    route: ["video.submit", "video.poll", "video.cancel"],
    ...unauthorized,
  },
];
