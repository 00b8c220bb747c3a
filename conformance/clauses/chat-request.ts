/** What the specification allows and forbids in a chat completion request. */

import { REFERENCE_ROLES, SUCCESS_STATUS, TEMPERATURE } from "../../contract/service.ts";
import { acceptance, clause, observation, refusal } from "../builders/clause-builders.ts";
import { statusIs } from "../judges/acceptance.ts";
import { completions, limitedCompletions } from "../judges/exchange-kinds.ts";
import { limitsExact, limitsKept } from "../judges/max-tokens.ts";
import type { Probe } from "../model/probe.ts";
import {
  chat,
  chatMessage,
  chatUnlimited,
  chatWithout,
  FIVE_MESSAGES,
  LONG_REPLY,
  LONG_TEXT,
  messageWithout,
  USER_MESSAGE,
} from "../probes/chat.ts";
import { TEXTS } from "../probes/texts.ts";

const minimal = chat();
const needs = ["chat.minimal"];

export const basics = [
  acceptance("chat.minimal", "a request with model, one user message and max_tokens is accepted", {
    row: [
      "endpoints.chat",
      "service.chat",
      "service.json",
      "service.base-url",
      "endpoints.prefix",
      "versioning.prefix",
      "service.content-type",
      "chat.request.model",
      "chat.request.messages",
    ],
    probe: minimal,
    over: completions,
    provenBy: ["chat-refused", "chat-max-tokens-refused"],
  }),
  clause("chat.status", "a completion returns 200", {
    row: ["endpoints.chat", "service.chat.modes"],
    level: "required",
    needs,
    over: completions,
    probe: minimal,
    provenBy: ["chat-201"],
    judge: statusIs(SUCCESS_STATUS.chat, "a completion"),
  }),
  acceptance("chat.roles", `messages of the roles ${REFERENCE_ROLES.join(" and ")} are accepted`, {
    row: ["chat.request.roles", "chat.request.messages[].role"],
    needs,
    probe: chat({ messages: [{ role: "system", content: "Answer briefly." }, USER_MESSAGE] }),
    provenBy: ["chat-system-role-refused"],
  }),
  acceptance("chat.stream.off", "stream false is accepted", {
    row: "chat.request.stream",
    needs,
    probe: chat({ stream: false }),
    again: 5,
    provenBy: ["chat-stream-false-refused"],
  }),
  acceptance("chat.max_tokens.omitted", "a request with model and one user message alone is accepted", {
    row: ["chat.request.max_tokens", "chat.request.model", "chat.request.messages"],
    needs,
    probe: chatUnlimited,
    provenBy: ["chat-max-tokens-needed"],
  }),
];

export const texts = TEXTS.map(({ name, what, text }) =>
  acceptance(`chat.content.${name}`, `content with ${what} is accepted`, {
    row: "chat.request.messages[].content",
    needs,
    probe: chatMessage({ ...USER_MESSAGE, content: text }),
    provenBy: [`chat-${name}-refused`],
  }),
);

const EDGE_FAULTS: Readonly<Record<number, readonly string[]>> = {
  [TEMPERATURE.min]: ["temperature-zero-refused"],
  [TEMPERATURE.max]: ["temperature-max-refused"],
};

export const temperatures = [TEMPERATURE.min, 0.5, TEMPERATURE.default, TEMPERATURE.max].map((temperature) =>
  acceptance(`chat.temperature.${temperature}`, `temperature ${temperature} is accepted`, {
    row: ["limits.temperature", "chat.request.temperature"],
    needs,
    probe: chat({ temperature }),
    provenBy: ["chat-temperature-refused", ...(EDGE_FAULTS[temperature] ?? [])],
  }),
);

const OUTSIDE = [
  {
    name: "above",
    temperature: 2.1,
    control: TEMPERATURE.max,
    provenBy: ["temperature-unlimited", "temperature-limit-off"],
  },
  {
    name: "just-above",
    temperature: 2.01,
    control: TEMPERATURE.max,
    provenBy: ["temperature-unlimited", "temperature-limit-off"],
  },
  { name: "far-above", temperature: 100, control: TEMPERATURE.max, provenBy: ["temperature-unlimited"] },
  { name: "below", temperature: -0.1, control: TEMPERATURE.min, provenBy: ["temperature-unlimited"] },
  { name: "far-below", temperature: -100, control: TEMPERATURE.min, provenBy: ["temperature-unlimited"] },
];

export const temperatureLimits = OUTSIDE.map(({ name, temperature, control, provenBy }) =>
  refusal(`chat.temperature.${name}`, `temperature ${temperature}, outside the limits, is not accepted`, {
    row: ["limits.temperature", "chat.request.temperature"],
    needs,
    probe: chat({ temperature }),
    control: chat({ temperature: control }),
    provenBy,
  }),
);

export const requiredFields = [
  ...["model", "messages"].map((field) =>
    refusal(`chat.without.${field}`, `a request without ${field} is not accepted`, {
      row: `chat.request.${field}`,
      probe: chatWithout(field),
      control: minimal,
      provenBy: [`chat-${field}-optional`],
    }),
  ),
  ...["role", "content"].map((field) =>
    refusal(`chat.message.without.${field}`, `a message without ${field} is not accepted`, {
      row: `chat.request.messages[].${field}`,
      probe: messageWithout(field),
      control: minimal,
      provenBy: [`chat-message-${field}-optional`],
    }),
  ),
];

/** What the specification sets no limit for, of the size that clients send. */
export const sizes = [
  acceptance("chat.messages.five", "a conversation of five messages is accepted", {
    row: "chat.request.messages",
    level: "recommended",
    needs: ["chat.roles"],
    probe: chat({ messages: FIVE_MESSAGES }),
    provenBy: ["chat-conversation-refused"],
  }),
  acceptance("chat.content.long", `content of ${LONG_TEXT.length} characters is accepted`, {
    row: "chat.request.messages[].content",
    level: "recommended",
    needs,
    probe: chatMessage({ ...USER_MESSAGE, content: LONG_TEXT }),
    provenBy: ["chat-long-refused"],
  }),
];

/** An object cannot be converted to a text. */
export const contentObject = refusal("chat.type.content-object", "content that is an object is not accepted", {
  row: "chat.request.messages[].content",
  needs,
  probe: chatMessage({ ...USER_MESSAGE, content: {} }),
  control: minimal,
  provenBy: ["chat-content-object-accepted"],
});

/** A string or an object cannot be converted to a list of messages. */
export const messagesTypes = [
  { name: "messages-object", probe: chat({ messages: { ...USER_MESSAGE } }) },
  { name: "messages-string", probe: chat({ messages: "hello" }) },
].map(({ name, probe }) =>
  refusal(`chat.type.${name}`, `messages of a type other than array is not accepted: ${name}`, {
    row: "chat.request.messages",
    needs,
    probe,
    control: minimal,
    provenBy: ["chat-messages-type-unchecked"],
  }),
);

const WRONG_TYPES = [
  { name: "model-number", probe: chat({ model: 7 }), control: minimal },
  { name: "role-number", probe: chatMessage({ ...USER_MESSAGE, role: 7 }), control: minimal },
  { name: "content-number", probe: chatMessage({ ...USER_MESSAGE, content: 7 }), control: minimal },
  {
    name: "content-null",
    probe: chatMessage({ ...USER_MESSAGE, content: null }),
    control: minimal,
    fault: "chat-content-null-accepted",
  },
  { name: "stream-string", probe: chat({ stream: "false" }), control: chat({ stream: false }) },
  { name: "temperature-string", probe: chat({ temperature: "1" }), control: chat({ temperature: 1 }) },
  { name: "max_tokens-string", probe: chat({ max_tokens: "16" }), control: chat({ max_tokens: 16 }) },
  { name: "max_tokens-fraction", probe: chat({ max_tokens: 16.5 }), control: chat({ max_tokens: 16 }) },
];

export const types = WRONG_TYPES.map(({ name, probe, control, fault = "chat-coerces" }) =>
  refusal(`chat.type.${name}`, `a wrong JSON type is not accepted: ${name}`, {
    row: "chat.request.types",
    level: "recommended",
    needs,
    probe,
    control,
    provenBy: [fault],
  }),
);

const OPEN = [
  { name: "role-unknown", row: "chat.request.roles.other", probe: chatMessage({ ...USER_MESSAGE, role: "narrator" }) },
  {
    name: "role-assistant",
    row: "chat.request.roles.other",
    probe: chat({ messages: [USER_MESSAGE, { role: "assistant", content: "Hello." }, USER_MESSAGE] }),
  },
  { name: "message-name", row: "chat.request.message-fields", probe: chatMessage({ ...USER_MESSAGE, name: "ann" }) },
  { name: "unknown-field", row: "chat.request.open", probe: chat({ assay_unknown: true }) },
  { name: "null-temperature", row: "chat.request.open", probe: chat({ temperature: null }) },
  { name: "null-stream", row: "chat.request.open", probe: chat({ stream: null }) },
  { name: "empty-messages", row: "chat.request.open", probe: chat({ messages: [] }) },
  { name: "empty-content", row: "chat.request.open", probe: chatMessage({ ...USER_MESSAGE, content: "" }) },
  { name: "max_tokens-zero", row: "chat.request.open", probe: chat({ max_tokens: 0 }) },
  { name: "max_tokens-negative", row: "chat.request.open", probe: chat({ max_tokens: -1 }) },
  { name: "no-content-type", row: "service.content-type.absent", probe: chat({}, { contentType: "none" }) },
];

export const open = OPEN.map(({ name, row, probe }) =>
  observation(`chat.open.${name}`, `what happens, where the specification leaves it open: ${name}`, {
    row,
    needs,
    probe,
  }),
);

const limitedTo = (tokens: number): Probe => chat({ messages: [LONG_REPLY], max_tokens: tokens });
const SHORTEST = "chat.max_tokens.1";

export const shortest = acceptance(SHORTEST, "max_tokens 1, the shortest reply, is accepted", {
  row: "chat.request.max_tokens",
  needs,
  probe: limitedTo(1),
  provenBy: ["chat-max-tokens-one-500", "chat-max-tokens-short-refused"],
});

const limits = {
  row: "chat.request.max_tokens.meaning",
  probe: limitedTo(1),
  others: [limitedTo(3)],
  over: limitedCompletions,
};
const KEPT = "chat.max_tokens.kept";

export const maxTokens = [
  clause(
    KEPT,
    "max_tokens ends a reply that needs more tokens: completion_tokens does not exceed it by more than one",
    {
      ...limits,
      level: "required",
      needs: [SHORTEST, "chat.response.usage.completion_tokens"],
      alsoSent: [2, 4, 5, 6, 7, 8, 9, 10].map(limitedTo),
      provenBy: ["chat-max-tokens-ignored"],
      judge: (one, others) => limitsKept([one, ...others].flat()),
      judgeUnit: limitsKept,
    },
  ),
  clause("chat.max_tokens.exact", "a reply has no token more than max_tokens, nor more words than tokens", {
    ...limits,
    level: "recommended",
    needs: [KEPT],
    provenBy: ["chat-max-tokens-one-more", "chat-max-tokens-uncounted"],
    judge: (one, others) => limitsExact([one, ...others].flat()),
    judgeUnit: limitsExact,
  }),
];
