/** Chat requests and completions. */

import { randomUUID } from "node:crypto";
import { fnv1a } from "../../lib/hash.ts";
import { canonical, isObject, type Json } from "../../lib/json.ts";
import { MARKER } from "../../lib/marker.ts";
import { errorResponse, jsonResponse, type MockResponse, type PlainResponse } from "../base/mock-response.ts";
import { changed, middleFrame, refuseWhen, requestMember } from "./transforms.ts";
import type { IncomingRequest, RequestView, Variant } from "./variant.ts";

const BOTH = ["chat", "chat.stream"] as const;

/** The usage of a reply of that many tokens. */
function usageOf(usage: Json, completion_tokens: number): Json {
  if (!isObject(usage)) return usage;
  const prompt_tokens = Number(usage["prompt_tokens"]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** The contents of the messages of a request. */
function contentsOf(request: RequestView): readonly (Json | undefined)[] {
  const messages = requestMember(request, "messages");
  if (!Array.isArray(messages)) return [];
  return messages.map((message: Json) => (isObject(message) ? message["content"] : undefined));
}

/** Serves requests although they are invalid. */
const servedWhen =
  (when: (request: RequestView) => boolean) =>
  (response: PlainResponse, request: RequestView): PlainResponse =>
    when(request) ? jsonResponse(200, shortCompletion()) : response;

const shortCompletion = (): Json => ({
  id: `chatcmpl-${randomUUID()}`,
  object: "chat.completion",
  created: 0,
  model: "mock-chat",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** The markers of the last request and of the one before, of those that the fault mixes up. */
let [lastMarker, earlierMarker] = ["assay-00000000", "assay-00000000"];

/** A marker that is not that of the request; a transform may be tried more than once for one. */
function foreignMarker({ body }: RequestView): string {
  const own = MARKER.exec(JSON.stringify(body))?.[0] ?? "";
  if (own !== lastMarker) [lastMarker, earlierMarker] = [own, lastMarker === "" ? earlierMarker : lastMarker];
  return earlierMarker;
}

const OTHER_TEXT = "otherwise";

/** Limits that end replies, which are longer. */
const FEW_TOKENS = 8;
const asksForFewTokens = ({ body }: IncomingRequest): boolean => {
  const most = isObject(body) ? body["max_tokens"] : undefined;
  return typeof most === "number" && most > 0 && most <= FEW_TOKENS;
};

/** Refuses models of other names. */
function unknownModel(known: readonly string[]) {
  const refuse = <T extends MockResponse>(response: T, request: RequestView): MockResponse => {
    const model = requestMember(request, "model");
    if (typeof model !== "string" || known.includes(model)) return response;
    const message = `The model ${model} does not exist or you do not have access to it.`;
    return errorResponse({ status: 404, message, code: "model_not_found", param: "model" });
  };
  return { transform: refuse, transformStream: refuse };
}

export const chat: readonly Variant[] = [
  {
    name: "chat-model-optional",
    kind: "fault",
    about: "a chat request without model is accepted",
    route: BOTH,
    rules: { fields: { "chat.model": { required: false } } },
  },
  {
    name: "chat-messages-optional",
    kind: "fault",
    about: "a chat request without messages is accepted",
    route: BOTH,
    rules: { fields: { "chat.messages": { required: false } } },
  },
  {
    name: "chat-message-role-optional",
    kind: "fault",
    about: "a message without role is accepted",
    route: BOTH,
    rules: { fields: { "chat.messages[].role": { required: false } } },
  },
  {
    name: "chat-message-content-optional",
    kind: "fault",
    about: "a message without content is accepted",
    route: BOTH,
    rules: { fields: { "chat.messages[].content": { required: false } } },
  },
  {
    name: "chat-coerces",
    kind: "fault",
    about: "wrong JSON types of a chat request are converted, not refused",
    route: BOTH,
    rules: { coerces: true },
  },
  {
    name: "chat-messages-type-unchecked",
    kind: "fault",
    about: "messages of a type other than array are accepted",
    route: "chat",
    transform: servedWhen((request) => {
      const messages = requestMember(request, "messages");
      return messages !== undefined && !Array.isArray(messages);
    }),
  },
  {
    name: "chat-content-object-accepted",
    kind: "fault",
    about: "a message whose content is an object is accepted",
    route: "chat",
    transform: servedWhen((request) => contentsOf(request).some(isObject)),
  },
  {
    name: "chat-content-null-accepted",
    kind: "fault",
    about: "a message whose content is null is accepted",
    route: "chat",
    transform: servedWhen((request) => contentsOf(request).includes(null)),
  },
  {
    name: "chat-conversation-refused",
    kind: "fault",
    about: "a conversation of more than three messages is refused",
    route: BOTH,
    ...refuseWhen((request) => contentsOf(request).length > 3, "too many messages"),
  },
  {
    name: "chat-long-refused",
    kind: "fault",
    about: "content of more than 4,000 characters is refused",
    route: BOTH,
    ...refuseWhen((request) => contentsOf(request).some((content) => String(content).length > 4_000), "too long"),
  },
  {
    name: "chat-system-role-refused",
    kind: "fault",
    about: "the role system is refused",
    route: BOTH,
    rules: { fields: { "chat.messages[].role": { refusedValues: ["system"] } } },
  },
  {
    name: "chat-max-tokens-refused",
    kind: "fault",
    about: "max_tokens is refused",
    route: BOTH,
    rules: { fields: { "chat.max_tokens": { refused: true } } },
  },
  {
    name: "chat-max-tokens-ignored",
    kind: "fault",
    about: "max_tokens is ignored",
    route: BOTH,
    rules: { ignoresMaxTokens: true },
    concerns: asksForFewTokens,
  },
  {
    name: "chat-max-tokens-uncounted",
    kind: "fault",
    about: "max_tokens is ignored, and usage says that it was kept",
    route: "chat",
    rules: { ignoresMaxTokens: true },
    concerns: asksForFewTokens,
    transform: (response, request) => {
      const most = requestMember(request, "max_tokens");
      return typeof most === "number" ? changed("usage", (usage) => usageOf(usage, most))(response) : response;
    },
  },
  {
    name: "short-replies",
    kind: "permitted",
    about: "a reply ends by itself after two tokens at most",
    route: "chat",
    transform: (response) =>
      changed(
        "choices[].finish_reason",
        () => "stop",
      )(
        changed("usage", (usage) =>
          isObject(usage) ? usageOf(usage, Math.min(2, Number(usage["completion_tokens"]))) : usage,
        )(
          changed("choices[].message.content", (content) => String(content).split(" ").slice(0, 2).join(" "))(response),
        ),
      ),
  },
  {
    name: "capped-replies",
    kind: "permitted",
    about: "finish_reason is length without max_tokens too: the service has a limit of its own",
    route: "chat",
    transform: changed("choices[].finish_reason", () => "length"),
  },
  {
    name: "known-models",
    kind: "permitted",
    about: "a model that is not one of mock-chat, mock-embedding and mock-video returns 404",
    route: [...BOTH, "embeddings", "video.submit"],
    ...unknownModel(["mock-chat", "mock-embedding", "mock-video"]),
  },
  {
    name: "chat-answer-changes",
    kind: "fault",
    about: "a reply has another text than the same request has had, as of a service that mixes up its batch",
    route: BOTH,
    transform: changed("choices[].message.content", (text) => `${String(text)} ${OTHER_TEXT}`),
    transformStream: middleFrame((text) => text.replace(/("content":")[^"]+/, `$1 ${OTHER_TEXT}`)),
  },
  {
    name: "chat-crossed-streams",
    kind: "fault",
    about: "a reply contains the marker of an earlier request, as of a service that mixes up its streams",
    route: BOTH,
    transform: (response, request) =>
      changed("choices[].message.content", (text) => `${String(text)} ${foreignMarker(request)}`)(response),
    transformStream: (stream, request) =>
      middleFrame((text) => text.replace('"content":"', `"content":" ${foreignMarker(request)}`))(stream),
  },
  {
    name: "chat-temperature-refused",
    kind: "fault",
    about: "every temperature is refused",
    route: BOTH,
    rules: { fields: { "chat.temperature": { refused: true } } },
  },
  {
    name: "temperature-zero-refused",
    kind: "fault",
    about: "temperature 0 is refused",
    route: BOTH,
    rules: { fields: { "chat.temperature": { min: 0.01 } } },
  },
  {
    name: "temperature-max-refused",
    kind: "fault",
    about: "temperature 2 is refused",
    route: BOTH,
    rules: { fields: { "chat.temperature": { max: 1.99 } } },
  },
  {
    name: "temperature-limit-off",
    kind: "fault",
    about: "temperature up to 2.1 is accepted",
    route: BOTH,
    rules: { fields: { "chat.temperature": { max: 2.1 } } },
  },
  {
    name: "temperature-unlimited",
    kind: "fault",
    about: "any temperature is accepted",
    route: BOTH,
    rules: { fields: { "chat.temperature": { min: undefined, max: undefined } } },
  },
  {
    name: "chat-stream-false-refused",
    kind: "fault",
    about: "stream: false is refused",
    route: "chat",
    ...refuseWhen((request) => requestMember(request, "stream") === false, "stream must be true"),
  },
  {
    name: "chat-stream-refused",
    kind: "fault",
    about: "stream: true is refused",
    route: "chat.stream",
    rules: { fields: { "chat.stream": { refused: true } } },
  },
  {
    name: "stream-by-default",
    kind: "fault",
    about: "a chat request without stream returns a stream",
    route: "chat",
    rules: { fields: { "chat.stream": { default: true } } },
  },
  {
    name: "stream-ignored",
    kind: "fault",
    about: "stream: true returns a completion that is not streamed",
    route: "chat.stream",
    rules: { ignoresStream: true },
  },
  {
    name: "chat-choices-empty",
    kind: "fault",
    about: "choices is empty",
    route: "chat",
    transform: changed("choices", () => []),
  },
  {
    name: "chat-finish-reason-unknown",
    kind: "fault",
    about: 'finish_reason is "done" at a normal end',
    route: "chat",
    transform: changed("choices[].finish_reason", () => "done"),
  },
  {
    name: "chat-usage-sum",
    kind: "fault",
    about: "total_tokens is more than the sum of prompt_tokens and completion_tokens",
    route: "chat",
    transform: changed("usage.total_tokens", (total) => Number(total) + 1000),
  },
  {
    name: "chat-object-other",
    kind: "fault",
    about: 'object of a completion is "completion"',
    route: "chat",
    transform: changed("object", () => "completion"),
  },
  {
    name: "chat-same-id",
    kind: "fault",
    about: "all completions have one id",
    route: "chat",
    transform: changed("id", () => "chatcmpl-1"),
  },
  {
    name: "chat-id-of-request",
    kind: "fault",
    about: "the id of a completion is a hash of its request: the same request gets the same one",
    route: "chat",
    transform: (response, request) =>
      changed("id", () => `chatcmpl-${fnv1a(canonical(request.body)).toString(16)}`)(response),
  },
  {
    name: "chat-created-missing",
    kind: "fault",
    about: "a completion has no created",
    route: "chat",
    transform: changed("created", () => undefined),
  },
  {
    name: "bare-completions",
    kind: "permitted",
    about: "a completion has neither object nor created",
    route: "chat",
    transform: (response) => changed("created", () => undefined)(changed("object", () => undefined)(response)),
  },
  {
    name: "always-stop",
    kind: "permitted",
    about: "finish_reason is stop also when max_tokens ended the reply",
    route: "chat",
    transform: changed("choices[].finish_reason", () => "stop"),
  },
  {
    name: "few-roles",
    kind: "permitted",
    about: "only the roles system and user are accepted",
    route: BOTH,
    rules: { fields: { "chat.messages[].role": { refusedValues: ["assistant", "tool", "developer"] } } },
  },
  {
    name: "no-stream-options",
    faultName: "stream-options-refused",
    kind: "permitted",
    about: "a request with stream_options, which asks for usage, is refused",
    route: BOTH,
    ...refuseWhen(
      (request) => requestMember(request, "stream_options") !== undefined,
      "stream_options is not supported",
    ),
  },
  {
    name: "plain-messages",
    kind: "permitted",
    about: "a message with members other than role and content is refused",
    route: BOTH,
    ...refuseWhen((request) => {
      const messages = requestMember(request, "messages");
      if (!Array.isArray(messages)) return false;
      return messages.some(
        (message) => isObject(message) && Object.keys(message).some((name) => name !== "role" && name !== "content"),
      );
    }, "a message has role and content only"),
  },
];
