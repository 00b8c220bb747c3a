/** A page where a stream was asked for. */

import { extra } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-html",
  about: "a stream is a page of HTML with status 200",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    headers: { "content-type": "text/html" },
    frames: [extra(0, "<!doctype html><title>Welcome</title><p>It works!")],
  }),
});
