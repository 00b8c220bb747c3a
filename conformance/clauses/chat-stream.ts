/** Chat with stream true: the specification shows that the response is streamed, not how. */

import { STREAM_DEFAULT, TEMPERATURE } from "../../contract/service.ts";
import type { FailureKind } from "../../formats/exchanges.ts";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import { shorten } from "../../lib/text.ts";
import { clause, refusal } from "../builders/clause-builders.ts";
import { isNotStreamed, isStreamed, streamServed } from "../judges/chat-stream.ts";
import { completions, limitedStreams, streams } from "../judges/exchange-kinds.ts";
import { limitsKept, streamLimitKept } from "../judges/max-tokens.ts";
import { errorWithin } from "../judges/recognisable-stream.ts";
import { failureInWords, isSuccess, returned } from "../judges/status.ts";
import { broken, elsewhere, holds, inconclusive, noted } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { chat, LONG_REPLY, stream, USER_MESSAGE, WITH_USAGE } from "../probes/chat.ts";
import { TEXTS } from "../probes/texts.ts";

const probe = stream();
/** Streams of other contents, which the target must serve as well. */
const moreStreams = TEXTS.map(({ text }) => stream({ messages: [{ ...USER_MESSAGE, content: text }] }));
/** Not of the target's making: the end of the run, a fault of this machine, a client that left, a coding that Assay cannot read. */
const OWN_FAULTS: readonly FailureKind[] = ["deadline", "dns", "machine", "proxy", "client", "coding"];

export const accepted = clause(
  "chat.stream.accepted",
  "stream true returns 200 and what is recognisable as a stream of a chat",
  {
    row: ["chat.request.stream", "endpoints.chat.stream"],
    level: "required",
    over: streams,
    explainedBy: ["chat.minimal"],
    undecidedBy: ["chat.minimal"],
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
    judge: ([exchange]) => streamServed(exchange),
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
  provenBy: ["stream-truncated", "stream-reset", "stream-bad-chunk", "stream-error-frame", "stream-error-event"],
  judge: ([exchange]) => {
    const { failure, answer } = exchange ?? {};
    if (failure !== undefined && OWN_FAULTS.includes(failure.kind)) return inconclusive(failure.message);
    if (failure !== undefined) return broken("a stream comes to its end", `it was cut (${failureInWords(failure)})`);
    // What a run reads of a body in all is bounded too, and then less of each.
    if (answer?.truncated && answer.body.length < SIZE_LIMITS.checked / 4)
      return inconclusive("only its beginning was read: the bodies of the run are longer than 32 MiB together");
    if (answer?.truncated) return broken("a stream comes to its end", "it went on past the cap of the body");
    const error = errorWithin(exchange);
    if (error !== undefined) return broken("a stream comes to its end", `it ended with an error: ${error}`);
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
  undecidedBy: ["chat.stream.accepted"],
  probe,
  anyResponse: true,
  judge: ([exchange]) => {
    const answer = exchange?.answer;
    if (answer === undefined || !isSuccess(exchange)) return elsewhere(returned(exchange));
    const type = answer.headers["content-type"] ?? "no content type";
    return noted(
      `${type}, ${answer.chunks.length} chunks, beginning with ${JSON.stringify(shorten(answer.body, 120))}`,
    );
  },
});

const limitedTo = (tokens: number): Probe => stream({ messages: [LONG_REPLY], max_tokens: tokens });

const SHORTEST = "chat.stream.max_tokens.1";

export const shortest = clause(SHORTEST, "with stream true, max_tokens 1 is accepted", {
  row: "chat.request.max_tokens",
  level: "required",
  needs: ["chat.stream.accepted"],
  probe: limitedTo(1),
  anyResponse: true,
  accepts: true,
  provenBy: ["chat-max-tokens-one-500", "chat-max-tokens-short-refused"],
  judge: ([exchange]) => streamServed(exchange),
});

const limits = { row: "chat.request.max_tokens.meaning", over: limitedStreams };

export const maxTokens = [
  clause("chat.stream.max_tokens.usage", "the usage of a stream does not exceed max_tokens by more than one", {
    ...limits,
    level: "required",
    needs: [SHORTEST],
    // The specification does not name stream_options; a target that refuses it shows no usage.
    probe: stream({ ...WITH_USAGE, messages: [LONG_REPLY], max_tokens: 1 }),
    provenBy: ["chat-max-tokens-ignored"],
    judge: limitsKept,
  }),
  clause("chat.stream.max_tokens.kept", "max_tokens ends a streamed reply that needs more tokens", {
    ...limits,
    level: "recommended",
    needs: [SHORTEST],
    probe: limitedTo(1),
    others: [stream({ messages: [LONG_REPLY], max_tokens: 64 })],
    alsoSent: [2, 3, 4, 5, 6, 7, 8, 9, 10].map(limitedTo),
    provenBy: ["stream-max-tokens-uncounted", "chat-max-tokens-ignored"],
    judge: ([exchange], [unlimited]) => streamLimitKept(exchange, unlimited?.[0]),
  }),
];

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

const INSIDE = [
  { name: "min", temperature: TEMPERATURE.min, provenBy: ["temperature-zero-refused"] },
  { name: "max", temperature: TEMPERATURE.max, provenBy: ["temperature-max-refused", "stream-temperature-max-500"] },
];

/** The limits of temperature hold for streams as well. */
export const temperatures = INSIDE.map(({ name, temperature, provenBy }) =>
  clause(`chat.stream.temperature.${name}`, `with stream true, temperature ${temperature} is accepted`, {
    row: "limits.temperature.stream",
    level: "required",
    needs: ["chat.stream.accepted"],
    probe: stream({ temperature }),
    anyResponse: true,
    accepts: true,
    provenBy: [...provenBy, "chat-temperature-refused"],
    judge: ([exchange]) => streamServed(exchange),
  }),
);

const OUTSIDE = [
  { name: "below", temperature: -0.1, control: TEMPERATURE.min, provenBy: ["temperature-unlimited"] },
  {
    name: "above",
    temperature: 2.1,
    control: TEMPERATURE.max,
    provenBy: ["temperature-unlimited", "temperature-limit-off", "stream-temperature-unlimited"],
  },
];

export const temperatureLimits = OUTSIDE.map(({ name, temperature, control, provenBy }) =>
  refusal(`chat.stream.temperature.${name}`, `with stream true, temperature ${temperature} is not accepted`, {
    row: "limits.temperature.stream",
    needs: ["chat.stream.accepted"],
    probe: stream({ temperature }),
    control: stream({ temperature: control }),
    again: 0,
    provenBy,
  }),
);
