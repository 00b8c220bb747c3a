/** A family: single fields of a request whose wrong JSON type goes unnoticed. */

import { answer } from "../base/mock-response.ts";
import { asked } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

const isNumber = (value: unknown): boolean => typeof value === "number";

export default [
  fault({
    name: "chat-messages-type-unchecked",
    about: "messages that are no array are accepted",
    breaks: ["chat.type.messages-object", "chat.type.messages-string"],
    route: "chat",
    damage: (given, seen) => {
      const messages = asked(seen, "messages");
      return messages === undefined || Array.isArray(messages) ? given : answer(200, {});
    },
  }),
  fault({
    name: "embeddings-encoding-format-type-unchecked",
    about: "a number as encoding_format is accepted",
    breaks: ["embeddings.type.encoding_format-number"],
    route: "embeddings",
    damage: (given, seen) => (isNumber(asked(seen, "encoding_format")) ? answer(200, {}) : given),
  }),
  fault({
    name: "video-enum-type-unchecked",
    about: "a number as resolution or aspect_ratio is accepted",
    breaks: ["video.submit.type.resolution-number", "video.submit.type.aspect_ratio-number"],
    route: "video.submit",
    damage: (given, seen) =>
      isNumber(asked(seen, "resolution")) || isNumber(asked(seen, "aspect_ratio")) ? answer(202, {}) : given,
  }),
];
