import { expect, test } from "vitest";
import { requestCurl } from "./request-curl.ts";

const AUTH = '-H "Authorization: Bearer $ASSAY_API_KEY"';
const JSON_TYPE = "-H 'Content-Type: application/json'";

test.each([
  [
    { op: "chat.stream", model: "it's", max_tokens: 8 },
    `curl -i -N http://t/api/v1/chat/completions ${AUTH} ${JSON_TYPE} --data-raw '{"model":"it'\\''s","messages":[{"role":"user","content":"PROMPT"}],"max_tokens":8,"stream":true}'`,
  ],
  [
    { op: "embeddings", model: "e" },
    `curl -i -N http://t/api/v1/embeddings ${AUTH} ${JSON_TYPE} --data-raw '{"model":"e","input":"PROMPT"}'`,
  ],
  [{ op: "video.poll", task: "a/b" }, `curl -i 'http://t/api/v1/videos/generations/a%2Fb' ${AUTH}`],
  [{ op: "video.cancel", task: "a" }, `curl -i -X POST http://t/api/v1/videos/generations/a/cancel ${AUTH}`],
  [{ op: "video.cancel" }, undefined],
  [{ op: "custom" }, undefined],
] as const)("%j", (request, command) => {
  expect(requestCurl(request, "http://t/api/")).toBe(command);
});

test.each(["-K/tmp/flags", "--config=/tmp/x http://t", "file:///etc/passwd", ""])(
  "no command is made for the target %j, which a folder may name",
  (target) => {
    expect(requestCurl({ op: "embeddings", model: "e" }, target)).toBeUndefined();
  },
);
