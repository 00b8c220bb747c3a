/** Chat with stream true: the specification shows that the response is streamed, not how. */

import { STREAM_DEFAULT, SUCCESS_STATUS, TEMPERATURE } from "../../contract/service.ts";
import type { FailureKind } from "../../formats/exchanges.ts";
import { shorten } from "../../lib/text.ts";
import { clause } from "../builders/clause-builders.ts";
import { statusIs } from "../judges/acceptance.ts";
import { isNotStreamed, isStreamed } from "../judges/chat-stream.ts";
import { completions, limitedStreams, streams } from "../judges/exchange-kinds.ts";
import { streamLimitKept } from "../judges/max-tokens.ts";
import { isChatStream } from "../judges/recognisable-stream.ts";
import { isServerError, neitherServedNorRefused, refused, wasServed } from "../judges/refusal.ts";
import { isSuccess, returned, UNDECIDED_STATUSES } from "../judges/status.ts";
import { broken, holds, inconclusive, noted } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { chat, LONG_REPLY, stream, USER_MESSAGE } from "../probes/chat.ts";
import { TEXTS } from "../probes/texts.ts";

const probe = stream();
/** Streams of other contents, which the target must serve as well. */
const moreStreams = TEXTS.map(({ text }) => stream({ messages: [{ ...USER_MESSAGE, content: text }] }));
const needs = ["chat.minimal"];
/** Not of the target's making: the end of the run, a fault of this machine, a client that left, a coding that Assay cannot read. */
const OWN_FAULTS: readonly FailureKind[] = ["deadline", "dns", "machine", "client", "coding"];
/** A wrong key says nothing about the request either. */
const UNDECIDED: readonly number[] = [401, ...UNDECIDED_STATUSES];

export const accepted = clause(
  "chat.stream.accepted",
  "stream true returns 200 and what is recognisable as a stream of a chat",
  {
    row: ["chat.request.stream", "endpoints.chat.stream"],
    level: "required",
    over: streams,
    needs,
    probe,
    again: 5,
    alsoSent: moreStreams,
    anyResponse: true,
    provenBy: [
      "chat-stream-refused",
      "stream-empty",
      "stream-blank",
      "stream-error-body",
      "stream-echo",
      "stream-id-only",
      "stream-only-error",
    ],
    judge: ([exchange]) => {
      const status = exchange?.answer?.status;
      if (exchange === undefined || status === undefined || UNDECIDED.includes(status))
        return inconclusive(returned(exchange));
      const found = statusIs(SUCCESS_STATUS.chat, "a request with stream true")([exchange]);
      return found.kind === "holds" ? isChatStream(exchange) : found;
    },
  },
);

export const streamed = clause(
  "chat.stream.streamed",
  "the response has at least one byte and is not one plain completion",
  {
    row: ["endpoints.chat.stream", "service.chat.modes"],
    level: "required",
    over: streams,
    needs: ["chat.stream.accepted"],
    probe,
    anyResponse: true,
    provenBy: ["stream-ignored"],
    judge: ([exchange]) => isStreamed(exchange),
  },
);

export const ends = clause("chat.stream.ends", "the stream comes to its end without being cut", {
  row: "endpoints.stream-end",
  level: "recommended",
  over: streams,
  needs: ["chat.stream.accepted"],
  probe,
  anyResponse: true,
  provenBy: ["stream-truncated", "stream-reset", "stream-bad-chunk"],
  judge: ([exchange]) => {
    const { failure, answer } = exchange ?? {};
    if (failure !== undefined && OWN_FAULTS.includes(failure.kind)) return inconclusive(failure.message);
    if (failure !== undefined)
      return broken("a stream comes to its end", `it was cut (${failure.kind}: ${failure.message})`);
    if (answer?.truncated) return broken("a stream comes to its end", "it went on past the cap of the body");
    const stream = isStreamed(exchange);
    return stream.kind === "inconclusive"
      ? stream
      : holds(`the stream ended after ${Math.round(answer?.endMs ?? 0)} ms`);
  },
});

export const format = clause("chat.stream.format", "format of the stream", {
  row: "endpoints.stream-format",
  level: "observed",
  over: streams,
  needs,
  probe,
  anyResponse: true,
  judge: ([exchange]) => {
    const answer = exchange?.answer;
    if (answer === undefined || !isSuccess(exchange)) return inconclusive(returned(exchange));
    const type = answer.headers["content-type"] ?? "no content type";
    return noted(
      `${type}, ${answer.chunks.length} chunks, beginning with ${JSON.stringify(shorten(answer.body, 120))}`,
    );
  },
});

const limitedTo = (tokens: number): Probe => stream({ messages: [LONG_REPLY], max_tokens: tokens });

export const maxTokens = clause(
  "chat.stream.max_tokens.kept",
  "max_tokens ends a streamed reply that needs more tokens",
  {
    row: "chat.request.max_tokens.meaning",
    level: "recommended",
    over: limitedStreams,
    needs: ["chat.stream.ends", "chat.max_tokens"],
    probe: limitedTo(1),
    others: [stream({ messages: [LONG_REPLY] })],
    alsoSent: [2, 3, 4, 5, 6, 7, 8, 9, 10].map(limitedTo),
    provenBy: ["chat-max-tokens-ignored"],
    judge: ([exchange], [unlimited]) => streamLimitKept(exchange, unlimited?.[0]),
  },
);

const off = chat();
export const defaultOff = clause(
  "chat.stream.default",
  `stream is ${STREAM_DEFAULT ? "on" : "off"} when omitted: the response is one plain completion`,
  {
    row: "chat.request.stream.default",
    level: "required",
    probe: off,
    undecidedBy: ["chat.minimal"],
    over: completions,
    provenBy: ["stream-by-default"],
    judge: ([exchange]) => isNotStreamed(exchange),
  },
);

const LIMITS = [
  {
    name: "max",
    temperature: TEMPERATURE.max,
    allowed: true,
    provenBy: ["temperature-max-refused", "chat-temperature-refused"],
  },
  { name: "above", temperature: 2.1, allowed: false, provenBy: ["temperature-unlimited", "temperature-limit-off"] },
];

export const temperatureLimits = LIMITS.map(({ name, temperature, allowed, provenBy }) =>
  clause(
    `chat.stream.temperature.${name}`,
    `with stream true, temperature ${temperature} is ${allowed ? "accepted" : "not accepted"}`,
    {
      row: "limits.temperature.stream",
      level: "recommended",
      needs: ["chat.stream.accepted"],
      probe: stream({ temperature }),
      provenBy,
      ...(!allowed && { confirmed: true }),
      judge: ([exchange, ...confirmed]) => {
        const status = exchange?.answer?.status ?? 0;
        const served = isSuccess(exchange);
        if (isServerError(exchange) && !allowed) return refused(exchange, undefined, confirmed);
        if (served && !allowed && !wasServed(exchange)) return neitherServedNorRefused(exchange);
        if (!served && (status < 400 || status >= 500 || status === 401))
          return inconclusive(`the target returned ${status}`);
        if (served && allowed) return isChatStream(exchange);
        if (served === allowed) return holds(`the target returned ${status}`);
        return broken(
          `the specification ${allowed ? "allows" : "does not allow"} temperature ${temperature}`,
          `the target returned ${status}`,
        );
      },
    },
  ),
);
