/** What a chat completion holds. */

import { CHAT_COMPLETION_FIELDS } from "../../contract/fields.ts";
import { NORMAL_FINISH_REASON } from "../../contract/service.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import { show } from "../../lib/json.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { refusalForm } from "../judges/acceptance.ts";
import {
  completions,
  invalidRequests,
  refusedRequests,
  textCompletions,
  unlimitedCompletions,
} from "../judges/exchange-kinds.ts";
import { everyValue } from "../judges/field-checks.ts";
import { documentOf, memberOf } from "../judges/json-path.ts";
import { beginsWithJson, mediaTypeIsJson, noneIsServerError, noteUsageSum, usageIsCount } from "../judges/responses.ts";
import { inconclusive, notApplicable, noted } from "../model/findings.ts";
import { PLACEHOLDERS } from "../model/probe.ts";
import { chat, chatMessage, chatUnlimited, chatWithout, messageWithout, USER_MESSAGE } from "../probes/chat.ts";
import { UNREADABLE } from "../probes/texts.ts";

const probe = chat();
/** What the members of a completion need to be judged; refusals need the first alone. */
const needs = ["chat.minimal", "chat.stream.default"];
const REASON = "choices[].finish_reason";
const NON_EMPTY = "chat.response.choices.some";

export const fields = fieldClauses({
  ids: "chat.response",
  rows: "chat.response",
  fields: CHAT_COMPLETION_FIELDS,
  within: "the completion",
  probe,
  needs,
  faults: "chat",
  itemsNeed: { "choices[]": NON_EMPTY },
  over: completions,
  overFewer: { "choices[].message.content": textCompletions },
  own: "choices",
});

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

export const choices = clause(NON_EMPTY, "choices holds at least one item", {
  row: "chat.response.choices",
  level: "required",
  needs: ["chat.response.choices"],
  over: completions,
  probe,
  provenBy: ["chat-choices-empty"],
  judge: (exchanges) =>
    exchanges.every((exchange) => Array.isArray(memberOf(exchange, "choices")))
      ? everyValue(exchanges, "choices", isFilled, "an array of at least one")
      : inconclusive("the response holds no choices"),
});

/** The body as a whole. */
export const form = clause("chat.response.form", "a completion does not begin with a byte order mark", {
  row: "service.json",
  level: "required",
  over: completions,
  needs,
  probe,
  provenBy: ["chat-bom"],
  judge: beginsWithJson,
});

/** Ends that are not normal ones, of which the specification says nothing, and what each means. */
const OTHER_ENDS: ReadonlyMap<unknown, string> = new Map([
  ["length", "the target ended the reply at a limit of its own"],
  ["content_filter", "the target's content review ended the reply"],
]);

/** An id that names nothing. */
export const idSome = clause("chat.response.id.some", "id of the completion is not empty", {
  row: "chat.response.id",
  level: "required",
  needs: ["chat.response.id"],
  over: completions,
  probe,
  provenBy: ["chat-id-empty"],
  judge: (exchanges) => everyValue(exchanges, "id", (value) => value !== "", "not empty"),
});

export const finishReason = clause(
  "chat.response.finish_reason.stop",
  `finish_reason is ${NORMAL_FINISH_REASON} at a normal end`,
  {
    row: "chat.response.finish_reason.stop",
    level: "recommended",
    needs: ["chat.response.choices.finish_reason", "chat.max_tokens.omitted"],
    over: unlimitedCompletions,
    probe: chatUnlimited,
    provenBy: ["chat-finish-reason-unknown"],
    judge: (exchanges) => {
      const reasons = exchanges.flatMap((exchange) => valuesAt(documentOf(exchange), REASON).map(({ value }) => value));
      const endings = reasons.filter((value) => value === NORMAL_FINISH_REASON || OTHER_ENDS.has(value));
      const [other] = reasons.filter((value) => OTHER_ENDS.has(value));
      if (endings.length === reasons.length && other !== undefined)
        return notApplicable(`finish_reason was ${String(other)}: ${OTHER_ENDS.get(other)}`);
      return everyValue(exchanges, REASON, (value) => value === NORMAL_FINISH_REASON, show(NORMAL_FINISH_REASON));
    },
  },
);

export const mediaType = clause("chat.response.content-type", "a completion is declared as JSON", {
  row: "service.json.media-type",
  level: "recommended",
  over: completions,
  needs,
  probe,
  provenBy: ["chat-content-type-text"],
  judge: mediaTypeIsJson,
});

export const observations = [
  clause("chat.response.finish_reason.seen", "finish_reason of a reply whose length the request does not limit", {
    row: "chat.response.finish_reason.stop",
    level: "observed",
    over: unlimitedCompletions,
    needs: ["chat.response.choices.finish_reason", "chat.max_tokens.omitted"],
    probe: chatUnlimited,
    judge: ([exchange]) => noted(`finish_reason was ${show(valuesAt(documentOf(exchange), REASON)[0]?.value)}`),
  }),
  clause("chat.response.model.echo", `whether model of the completion repeats ${PLACEHOLDERS.chatModel}`, {
    row: "chat.response.model.echo",
    level: "observed",
    over: completions,
    needs,
    probe,
    judge: ([exchange]) => noted(`model was ${show(memberOf(exchange, "model"))}`),
  }),
  clause("chat.response.usage.sum", "whether total_tokens is the sum of prompt_tokens and completion_tokens", {
    row: "chat.response.usage.sum",
    level: "observed",
    over: completions,
    needs: ["chat.response.usage"],
    probe,
    judge: ([exchange]) => noteUsageSum(exchange, ["prompt_tokens", "completion_tokens"]),
  }),
  clause("chat.max_tokens.absent", "how long a completion is without max_tokens", {
    row: "chat.request.max_tokens.default",
    level: "observed",
    over: unlimitedCompletions,
    needs: ["chat.response.usage", "chat.max_tokens.omitted"],
    probe: chatUnlimited,
    judge: ([exchange]) => noted(`usage was ${show(memberOf(exchange, "usage"))}`),
  }),
];

export const usageCount = clause("chat.response.usage.count", "no count of usage is negative", {
  row: "chat.response.usage",
  level: "required",
  over: completions,
  needs: ["chat.response.usage"],
  probe,
  provenBy: ["chat-usage-negative"],
  judge: usageIsCount,
});

const INVALID = [
  ...UNREADABLE.map((raw) => chat({}, { raw })),
  chat({ model: {} }),
  chatMessage({ ...USER_MESSAGE, content: {} }),
  chatWithout("messages"),
  messageWithout("role"),
  messageWithout("content"),
  chat({ temperature: 2.1 }),
] as const;
const [first, ...rest] = [chatWithout("model"), ...INVALID] as const;

export const refusals = [
  clause("chat.refusal.not-5xx", "no invalid request returns a server error", {
    row: "errors.invalid.not-5xx",
    level: "recommended",
    needs: ["chat.minimal"],
    probe: first,
    others: rest,
    anyResponse: true,
    over: invalidRequests("chat"),
    provenBy: ["chat-invalid-500"],
    judge: (own, others) => noneIsServerError([own, ...others].flat()),
  }),
  clause("chat.refusal.form", "status and body of a refused request", {
    row: "errors.invalid.form",
    level: "observed",
    over: refusedRequests("chat"),
    needs: ["chat.minimal"],
    probe: first,
    others: rest,
    judge: (own, others) => refusalForm([own, ...others].flat()),
  }),
];
