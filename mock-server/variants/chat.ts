/** Chat requests and completions. */

import { randomUUID } from "node:crypto";
import { TEMPERATURE } from "../../contract/service.ts";
import { fnv1a } from "../../lib/hash.ts";
import { canonical, isObject, type Json } from "../../lib/json.ts";
import { MARKER } from "../../lib/marker.ts";
import { errorResponse, jsonResponse, type MockResponse, type PlainResponse } from "../base/mock-response.ts";
import { changed, failWhen, middleFrame, refuseWhen, requestMember, withoutFrames } from "./transforms.ts";
import { fault, type IncomingRequest, permitted, type RequestView, type Variant } from "./variant.ts";

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
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hello.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
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
  fault("chat-model-optional", BOTH, "a chat request without model is accepted", {
    rules: { fields: { "chat.model": { required: false } } },
  }),
  fault("chat-messages-optional", BOTH, "a chat request without messages is accepted", {
    rules: { fields: { "chat.messages": { required: false } } },
  }),
  fault("chat-message-role-optional", BOTH, "a message without role is accepted", {
    rules: { fields: { "chat.messages[].role": { required: false } } },
  }),
  fault("chat-message-content-optional", BOTH, "a message without content is accepted", {
    rules: { fields: { "chat.messages[].content": { required: false } } },
  }),
  fault("chat-coerces", BOTH, "wrong JSON types of a chat request are converted, not refused", {
    rules: { coerces: true },
  }),
  fault("chat-messages-type-unchecked", "chat", "messages of a type other than array are accepted", {
    transform: servedWhen((request) => {
      const messages = requestMember(request, "messages");
      return messages !== undefined && !Array.isArray(messages);
    }),
  }),
  fault("chat-content-object-accepted", "chat", "a message whose content is an object is accepted", {
    transform: servedWhen((request) => contentsOf(request).some(isObject)),
  }),
  fault("chat-content-null-accepted", "chat", "a message whose content is null is accepted", {
    transform: servedWhen((request) => contentsOf(request).includes(null)),
  }),
  fault(
    "chat-conversation-refused",
    BOTH,
    "a conversation of more than three messages is refused",
    refuseWhen((request) => contentsOf(request).length > 3, "too many messages"),
  ),
  fault(
    "chat-long-refused",
    BOTH,
    "content of more than 4,000 characters is refused",
    refuseWhen((request) => contentsOf(request).some((content) => String(content).length > 4_000), "too long"),
  ),
  fault("chat-system-role-refused", BOTH, "the role system is refused", {
    rules: { fields: { "chat.messages[].role": { refusedValues: ["system"] } } },
  }),
  fault("chat-max-tokens-refused", BOTH, "max_tokens is refused", {
    rules: { fields: { "chat.max_tokens": { refused: true } } },
  }),
  fault("chat-max-tokens-needed", BOTH, "a request without max_tokens is refused", {
    rules: { fields: { "chat.max_tokens": { required: true } } },
  }),
  fault("chat-max-tokens-absent-silent", "chat", "a request without max_tokens gets no response", {
    transform: (response, request) =>
      response.status < 300 && requestMember(request, "max_tokens") === undefined
        ? { ...response, ending: "hang" }
        : response,
  }),
  fault("chat-max-tokens-ignored", BOTH, "max_tokens is ignored", {
    rules: { ignoresMaxTokens: true },
    concerns: asksForFewTokens,
  }),
  fault("chat-max-tokens-uncounted", "chat", "max_tokens is ignored, and usage says that it was kept", {
    rules: { ignoresMaxTokens: true },
    concerns: asksForFewTokens,
    transform: (response, request) => {
      const most = requestMember(request, "max_tokens");
      return typeof most === "number" ? changed("usage", (usage) => usageOf(usage, most))(response) : response;
    },
  }),
  fault("chat-max-tokens-one-more", "chat", "a reply that max_tokens ends has a token more", {
    transform: (response, request) => {
      const most = requestMember(request, "max_tokens");
      const add = (usage: Json): Json =>
        isObject(usage) && usage["completion_tokens"] === most ? usageOf(usage, Number(most) + 1) : usage;
      return typeof most === "number" ? changed("usage", add)(response) : response;
    },
  }),
  fault(
    "chat-max-tokens-one-500",
    BOTH,
    "max_tokens 1 gets a server error",
    failWhen((request) => requestMember(request, "max_tokens") === 1),
  ),
  fault(
    "chat-max-tokens-short-refused",
    BOTH,
    "max_tokens of fewer than 16 is refused",
    refuseWhen((request) => {
      const most = requestMember(request, "max_tokens");
      return typeof most === "number" && most < 16;
    }, "max_tokens must be at least 16"),
  ),
  fault("stream-max-tokens-uncounted", "chat.stream", "a stream ignores max_tokens, and has no usage", {
    rules: { ignoresMaxTokens: true },
    concerns: asksForFewTokens,
    transformStream: withoutFrames("usage"),
  }),
  fault("chat-usage-negative", "chat", "prompt_tokens is -1", { transform: changed("usage.prompt_tokens", () => -1) }),
  fault("chat-usage-zero", "chat", "usage counts 0 tokens of a text", {
    transform: changed("usage.completion_tokens", () => 0),
  }),
  permitted("short-replies", "chat", "a reply ends by itself after two tokens at most", {
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
  }),
  permitted(
    "capped-replies",
    "chat",
    "finish_reason is length without max_tokens too: the service has a limit of its own",
    { transform: changed("choices[].finish_reason", () => "length") },
  ),
  permitted("filtered-replies", "chat", "finish_reason is content_filter: content review ends every reply", {
    transform: changed("choices[].finish_reason", () => "content_filter"),
  }),
  permitted(
    "known-models",
    [...BOTH, "embeddings", "video.submit"],
    "a model that is not one of mock-chat, mock-embedding and mock-video returns 404",
    unknownModel(["mock-chat", "mock-embedding", "mock-video"]),
  ),
  fault(
    "chat-answer-changes",
    BOTH,
    "a reply has another text than the same request has had, as of a service that mixes up its batch",
    {
      transform: changed("choices[].message.content", (text) => `${String(text)} ${OTHER_TEXT}`),
      transformStream: middleFrame((text) => text.replace(/("content":")[^"]+/, `$1 ${OTHER_TEXT}`)),
    },
  ),
  fault(
    "chat-crossed-streams",
    BOTH,
    "a reply contains the marker of an earlier request, as of a service that mixes up its streams",
    {
      transform: (response, request) =>
        changed("choices[].message.content", (text) => `${String(text)} ${foreignMarker(request)}`)(response),
      transformStream: (stream, request) =>
        middleFrame((text) => text.replace('"content":"', `"content":" ${foreignMarker(request)}`))(stream),
    },
  ),
  fault("chat-temperature-refused", BOTH, "every temperature is refused", {
    rules: { fields: { "chat.temperature": { refused: true } } },
  }),
  fault("temperature-zero-refused", BOTH, "temperature 0 is refused", {
    rules: { fields: { "chat.temperature": { min: 0.01 } } },
  }),
  fault("temperature-max-refused", BOTH, "temperature 2 is refused", {
    rules: { fields: { "chat.temperature": { max: 1.99 } } },
  }),
  fault("temperature-limit-off", BOTH, "temperature up to 2.1 is accepted", {
    rules: { fields: { "chat.temperature": { max: 2.1 } } },
  }),
  fault("temperature-unlimited", BOTH, "any temperature is accepted", {
    rules: { fields: { "chat.temperature": { min: undefined, max: undefined } } },
  }),
  fault(
    "chat-stream-false-refused",
    "chat",
    "stream: false is refused",
    refuseWhen((request) => requestMember(request, "stream") === false, "stream must be true"),
  ),
  fault("stream-temperature-unlimited", "chat.stream", "a stream accepts any temperature", {
    rules: { fields: { "chat.temperature": { min: undefined, max: undefined } } },
  }),
  fault(
    "stream-temperature-max-500",
    "chat.stream",
    "a stream of temperature 2 gets a server error",
    failWhen((request) => requestMember(request, "temperature") === TEMPERATURE.max),
  ),
  fault("chat-stream-refused", "chat.stream", "stream: true is refused", {
    rules: { fields: { "chat.stream": { refused: true } } },
  }),
  fault("stream-by-default", "chat", "a chat request without stream returns a stream", {
    rules: { fields: { "chat.stream": { default: true } } },
  }),
  fault("stream-ignored", "chat.stream", "stream: true returns a completion that is not streamed", {
    rules: { ignoresStream: true },
  }),
  fault("chat-choices-empty", "chat", "choices is empty", { transform: changed("choices", () => []) }),
  fault("chat-finish-reason-unknown", "chat", 'finish_reason is "done" at a normal end', {
    transform: changed("choices[].finish_reason", () => "done"),
  }),
  fault("chat-usage-sum", "chat", "total_tokens is more than the sum of prompt_tokens and completion_tokens", {
    transform: changed("usage.total_tokens", (total) => Number(total) + 1000),
  }),
  fault("chat-object-other", "chat", 'object of a completion is "completion"', {
    transform: changed("object", () => "completion"),
  }),
  fault("chat-id-empty", "chat", "the id of a completion is empty", { transform: changed("id", () => "") }),
  fault("chat-same-id", "chat", "all completions have one id", { transform: changed("id", () => "chatcmpl-1") }),
  fault(
    "chat-id-of-request",
    "chat",
    "the id of a completion is a hash of its request: the same request gets the same one",
    {
      transform: (response, request) =>
        changed("id", () => `chatcmpl-${fnv1a(canonical(request.body)).toString(16)}`)(response),
    },
  ),
  fault("chat-created-missing", "chat", "a completion has no created", {
    transform: changed("created", () => undefined),
  }),
  fault("chat-created-fraction", "chat", "created of a completion has a fraction", {
    transform: changed("created", (created) => Number(created) + 0.5),
  }),
  permitted("bare-completions", "chat", "a completion has neither object nor created", {
    transform: (response) => changed("created", () => undefined)(changed("object", () => undefined)(response)),
  }),
  permitted("missing-nulls", "chat", "a completion has neither logprobs nor refusal, which are null otherwise", {
    transform: (response) =>
      changed("choices[].logprobs", () => undefined)(changed("choices[].message.refusal", () => undefined)(response)),
  }),
  permitted("always-stop", "chat", "finish_reason is stop even if max_tokens ended the reply", {
    transform: changed("choices[].finish_reason", () => "stop"),
  }),
  permitted("few-roles", BOTH, "only the roles system and user are accepted", {
    rules: { fields: { "chat.messages[].role": { refusedValues: ["assistant", "tool", "developer"] } } },
  }),
  permitted("no-stream-options", BOTH, "a request with stream_options, which asks for usage, is refused", {
    faultName: "stream-options-refused",
    ...refuseWhen(
      (request) => requestMember(request, "stream_options") !== undefined,
      "stream_options is not supported",
    ),
  }),
  permitted(
    "plain-messages",
    BOTH,
    "a message with members other than role and content is refused",
    refuseWhen((request) => {
      const messages = requestMember(request, "messages");
      if (!Array.isArray(messages)) return false;
      return messages.some(
        (message) => isObject(message) && Object.keys(message).some((name) => name !== "role" && name !== "content"),
      );
    }, "a message has role and content only"),
  ),
];
