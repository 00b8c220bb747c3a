/** A limit of requests. */

import { JSON_MEDIA_TYPE } from "../../contract/service.ts";
import { jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const limited: PlainResponse = {
  ...jsonResponse(429, {
    error: { message: "too many requests", type: "rate_limit_error", code: "rate_limited", param: null },
  }),
  headers: { "content-type": JSON_MEDIA_TYPE, "retry-after": "1" },
};

export default fault({
  name: "stream-429",
  about: "a stream is answered with 429 and Retry-After: 1",
  breaks: ["chat.stream.accepted"],
  route: "chat.stream",
  transformStream: () => limited,
});
