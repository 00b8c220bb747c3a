/** A family: each field that the document requires may be left out. */

import type { RouteName } from "../base/route-name.ts";
import { changeField, type FieldName } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

const CHAT: readonly RouteName[] = ["chat", "chat.stream"];

const OPTIONAL: readonly {
  readonly stem: string;
  readonly field: FieldName;
  readonly route: RouteName | readonly RouteName[];
  readonly breaks: string;
}[] = [
  { stem: "chat-model", field: "chat.model", route: CHAT, breaks: "chat.without.model" },
  { stem: "chat-messages", field: "chat.messages", route: CHAT, breaks: "chat.without.messages" },
  { stem: "chat-message-role", field: "chat.messages[].role", route: CHAT, breaks: "chat.message.without.role" },
  {
    stem: "chat-message-content",
    field: "chat.messages[].content",
    route: CHAT,
    breaks: "chat.message.without.content",
  },
  { stem: "embeddings-model", field: "embeddings.model", route: "embeddings", breaks: "embeddings.without.model" },
  { stem: "embeddings-input", field: "embeddings.input", route: "embeddings", breaks: "embeddings.without.input" },
  { stem: "video-model", field: "videos.model", route: "video.submit", breaks: "video.submit.without.model" },
  { stem: "video-prompt", field: "videos.prompt", route: "video.submit", breaks: "video.submit.without.prompt" },
];

export default OPTIONAL.map(({ stem, field, route, breaks }) =>
  fault({
    name: `${stem}-optional`,
    about: `${field.replace("[]", "")} may be left out`,
    breaks: [breaks],
    route,
    rules: changeField(field, { required: false }),
  }),
);
