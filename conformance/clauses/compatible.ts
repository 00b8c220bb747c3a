/** The widely used interfaces that the specification only names: checked with `--profile openai`, absent otherwise. */

import type { Exchange } from "../../formats/exchanges.ts";
import { clause } from "../builders/clause-builders.ts";
import type { Judged } from "../judges/acceptance.ts";
import {
  completions,
  embeddings,
  refusedRequests,
  streams as streamed,
  streamsWithUsage,
  textStreams,
} from "../judges/exchange-kinds.ts";
import { everyValue } from "../judges/field-checks.ts";
import { documentOf } from "../judges/json-path.ts";
import { usageAddsUp } from "../judges/responses.ts";
import {
  chunksAreWhole,
  deltasAreTexts,
  deltasMakeText,
  endsWithDone,
  errorHasMessage,
  eventsAreJson,
  ofWholeStream,
  saysWhyItEnded,
  usageIsStreamed,
} from "../judges/stream-events.ts";
import { broken, holds } from "../model/findings.ts";
import { chat, chatWithout, stream } from "../probes/chat.ts";
import { embed, embedWithout } from "../probes/embeddings.ts";

const CHAT = "service.chat.compatible";
const EMBEDDINGS = "service.embeddings.compatible";

export const completion = [
  clause({
    id: "chat.compatible.object",
    row: CHAT,
    level: "compatible",
    text: "object of a completion is chat.completion",
    over: completions,
    needs: ["chat.minimal"],
    probe: chat(),
    provenBy: ["chat-object-other"],
    judge: (exchanges) => everyValue(exchanges, "object", (value) => value === "chat.completion", '"chat.completion"'),
  }),
  clause({
    id: "chat.compatible.created",
    row: CHAT,
    level: "compatible",
    text: "created of a completion is an integer",
    over: completions,
    needs: ["chat.minimal"],
    probe: chat(),
    provenBy: ["chat-created-missing"],
    judge: (exchanges) => everyValue(exchanges, "created", Number.isInteger, "an integer"),
  }),
  clause({
    id: "chat.compatible.usage",
    row: CHAT,
    level: "recommended",
    text: "total_tokens is the sum of prompt_tokens and completion_tokens",
    over: completions,
    needs: ["chat.response.usage.total_tokens"],
    probe: chat(),
    provenBy: ["chat-usage-sum"],
    judge: ([exchange]) => usageAddsUp(exchange, ["prompt_tokens", "completion_tokens"]),
  }),
  clause({
    id: "embeddings.compatible.usage",
    row: EMBEDDINGS,
    level: "recommended",
    text: "total_tokens equals prompt_tokens",
    over: embeddings,
    needs: ["embeddings.response.usage.total_tokens"],
    probe: embed(),
    provenBy: ["embeddings-usage-sum"],
    judge: ([exchange]) => usageAddsUp(exchange, ["prompt_tokens"]),
  }),
];

export const errors = (
  [
    { area: "chat", row: CHAT, probe: chatWithout("messages") },
    { area: "embeddings", row: EMBEDDINGS, probe: embedWithout("input") },
  ] as const
).map(({ area, row, probe }) =>
  clause({
    id: `${area}.compatible.error`,
    row,
    level: "compatible",
    text: "a refusal has an error object with a message",
    over: refusedRequests(area),
    needs: [`${area}.without.${area === "chat" ? "messages" : "input"}`],
    probe,
    provenBy: [`${area}-error-shapeless`],
    judge: ([exchange]) => errorHasMessage(documentOf(exchange)),
  }),
);

function mediaType(exchange: Exchange | undefined): Judged {
  const type = exchange?.answer?.headers["content-type"] ?? "absent";
  if (/^text\/event-stream\s*(?:;|$)/i.test(type)) return holds(`content-type was ${type}`);
  return broken("a stream has the content type text/event-stream", `it was ${type}`);
}

const EVENTS = "chat.stream.compatible.events";
const STREAMS = [
  {
    id: "chat.stream.compatible.media-type",
    text: "the stream is declared as text/event-stream",
    judge: mediaType,
    faults: ["stream-media-type"],
  },
  {
    id: EVENTS,
    text: "the stream is server-sent events of JSON objects",
    judge: ofWholeStream(eventsAreJson),
    faults: ["stream-malformed"],
  },
  {
    id: "chat.stream.compatible.chunks",
    text: "each event is a chunk of a completion",
    judge: ofWholeStream(chunksAreWhole),
    faults: ["stream-object-other"],
    need: EVENTS,
  },
  {
    id: "chat.stream.compatible.content",
    text: "the deltas make up the response",
    judge: ofWholeStream(deltasMakeText),
    over: textStreams,
    judgeUnit: ofWholeStream(deltasAreTexts),
    faults: ["stream-content-wrong-type"],
    need: EVENTS,
  },
  {
    id: "chat.stream.compatible.finish",
    text: "a chunk says why the response ended",
    judge: ofWholeStream(saysWhyItEnded),
    faults: ["stream-no-end"],
    need: EVENTS,
  },
  {
    id: "chat.stream.compatible.done",
    text: "the stream ends with [DONE]",
    judge: ofWholeStream(endsWithDone),
    faults: ["stream-no-done", "stream-no-end"],
    need: EVENTS,
  },
];

export const streams = STREAMS.map(
  ({ id, text, judge, judgeUnit = judge, faults, over = streamed, need = "chat.stream.streamed" }) =>
    clause({
      id,
      row: CHAT,
      level: "compatible",
      text,
      needs: [need],
      probe: stream(),
      over,
      provenBy: faults,
      judge: ([exchange]) => judge(exchange),
      judgeUnit: ([exchange]) => judgeUnit(exchange),
    }),
);

export const usage = clause({
  id: "chat.stream.compatible.usage",
  row: CHAT,
  level: "compatible",
  text: "stream_options.include_usage gives a chunk with usage",
  over: streamsWithUsage,
  needs: [EVENTS],
  probe: stream({ stream_options: { include_usage: true } }),
  provenBy: ["stream-usage-missing"],
  judge: ([exchange]) => ofWholeStream(usageIsStreamed)(exchange),
});
