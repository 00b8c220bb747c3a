/** A family: each field that the document requires may be left out. */

import type { RouteName } from "../base/route-name.ts";
import type { RequestField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

const CHAT: readonly RouteName[] = ["chat", "chat.stream"];

const OPTIONAL: readonly {
  readonly stem: string;
  readonly field: RequestField;
  readonly route: RouteName | readonly RouteName[];
  readonly breaks: string;
}[] = [
  { stem: "chat-model", field: "chat.model", route: CHAT, breaks: "chat.without.model" },
  { stem: "chat-messages", field: "chat.messages", route: CHAT, breaks: "chat.without.messages" },
  { stem: "chat-message-role", field: "chat.messages.role", route: CHAT, breaks: "chat.message.without.role" },
  { stem: "chat-message-content", field: "chat.messages.content", route: CHAT, breaks: "chat.message.without.content" },
  { stem: "embeddings-model", field: "embeddings.model", route: "embeddings", breaks: "embeddings.without.model" },
  { stem: "embeddings-input", field: "embeddings.input", route: "embeddings", breaks: "embeddings.without.input" },
  { stem: "video-model", field: "video.model", route: "video.submit", breaks: "video.submit.without.model" },
  { stem: "video-prompt", field: "video.prompt", route: "video.submit", breaks: "video.submit.without.prompt" },
];

export default OPTIONAL.map(({ stem, field, route, breaks }) =>
  fault({
    name: `${stem}-optional`,
    about: `${field} may be left out`,
    breaks: [breaks],
    route,
    rules: (rules) => ({ ...rules, required: { ...rules.required, [field]: false } }),
  }),
);
