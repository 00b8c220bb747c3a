/** A family: single fields of a request whose wrong JSON type goes unnoticed. */

import { jsonResponse } from "../base/mock-response.ts";
import { requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

const isNumber = (value: unknown): boolean => typeof value === "number";

export default [
  fault({
    name: "chat-messages-type-unchecked",
    about: "messages that are no array are accepted",
    breaks: ["chat.type.messages-object", "chat.type.messages-string"],
    route: "chat",
    transform: (given, request) => {
      const messages = requestMember(request, "messages");
      return messages === undefined || Array.isArray(messages) ? given : jsonResponse(200, {});
    },
  }),
  fault({
    name: "embeddings-encoding-format-type-unchecked",
    about: "a number as encoding_format is accepted",
    breaks: ["embeddings.type.encoding_format-number"],
    route: "embeddings",
    transform: (given, request) =>
      isNumber(requestMember(request, "encoding_format")) ? jsonResponse(200, {}) : given,
  }),
  fault({
    name: "video-enum-type-unchecked",
    about: "a number as resolution or aspect_ratio is accepted",
    breaks: ["video.submit.type.resolution-number", "video.submit.type.aspect_ratio-number"],
    route: "video.submit",
    transform: (given, request) =>
      isNumber(requestMember(request, "resolution")) || isNumber(requestMember(request, "aspect_ratio"))
        ? jsonResponse(202, {})
        : given,
  }),
];
