/** The widely used interfaces that the specification only names: checked with `--profile openai`, absent otherwise. */

import { CHUNK_MEMBERS, COMPLETION_MEMBERS } from "../../contract/openai-interface.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { clause } from "../builders/clause-builders.ts";
import type { Judged } from "../judges/acceptance.ts";
import { formatOfStream } from "../judges/chat-stream.ts";
import { batchesAgree, decodesInClients } from "../judges/embeddings.ts";
import {
  base64Embeddings,
  completions,
  completionsAndStreams,
  embeddings,
  refusedRequests,
  streams as streamed,
  streamsWithoutUsage,
  streamsWithUsage,
  textCompletions,
  textStreams,
} from "../judges/exchange-kinds.ts";
import { everyValue } from "../judges/field-checks.ts";
import { allAgree, oneIdEach, oneLengthPerModel } from "../judges/identities.ts";
import { chunksHaveMembers, hasMembers } from "../judges/interface-members.ts";
import { mediaTypeIsJson, usageAddsUp, usageCountsText } from "../judges/responses.ts";
import { isSuccess } from "../judges/status.ts";
import {
  beginsWithoutMark,
  beginsWithRole,
  deltasAreTexts,
  deltasMakeText,
  endsWithDone,
  errorHasMessage,
  eventsAreJson,
  finishesOnce,
  hasNoUsage,
  hasOneId,
  ofWholeStream,
  saysWhyItEnded,
  staysTheSame,
  tokensCoverChunks,
  usageIsStreamed,
  usageStandsAlone,
} from "../judges/stream-events.ts";
import type { ExchangeKind } from "../model/clause.ts";
import { brokenAlready, holds, notApplicable } from "../model/findings.ts";
import { chat, chatWithout, stream, USER_MESSAGE, WITH_USAGE } from "../probes/chat.ts";
import { ALONE, BATCHES, embed, embedWithout, INPUTS } from "../probes/embeddings.ts";
import { TEXTS } from "../probes/texts.ts";
import { BASE64_FAULTS } from "./embeddings-response.ts";

const CHAT = "service.chat.compatible";
const EMBEDDINGS = "service.embeddings.compatible";
/** What the members of a completion need to be judged. */
const COMPLETION = ["chat.minimal", "chat.stream.default"];
const MEMBERS = "chat.compatible.members";
const INTERFACE = "the OpenAI-compatible interface";

export const completion = [
  clause(MEMBERS, "the members that only the interface states are as it states them", {
    row: CHAT,
    level: "compatible",
    over: completions,
    needs: COMPLETION,
    explainedBy: ["chat.response.choices.finish_reason"],
    probe: chat(),
    provenBy: ["chat-object-other", "chat-created-missing", "chat-created-fraction", "chat-finish-reason-unknown"],
    judge: ([exchange]) => hasMembers(COMPLETION_MEMBERS)(exchange),
  }),
  clause("chat.compatible.usage", "total_tokens is the sum of prompt_tokens and completion_tokens", {
    row: CHAT,
    level: "recommended",
    over: completions,
    needs: ["chat.response.usage.total_tokens"],
    probe: chat(),
    provenBy: ["chat-usage-sum"],
    judge: ([exchange]) => usageAddsUp(exchange, ["prompt_tokens", "completion_tokens"]),
  }),
  clause("embeddings.compatible.usage", "total_tokens equals prompt_tokens", {
    row: EMBEDDINGS,
    level: "recommended",
    over: embeddings,
    needs: ["embeddings.response.usage.total_tokens"],
    probe: embed(),
    provenBy: ["embeddings-usage-sum"],
    judge: ([exchange]) => usageAddsUp(exchange, ["prompt_tokens"]),
  }),
];

/** Whoever bills by tokens counts those of each text. */
export const usageOfTexts = (
  [
    { area: "chat", row: CHAT, probe: chat(), over: textCompletions },
    { area: "embeddings", row: EMBEDDINGS, probe: embed(), over: embeddings },
  ] as const
).map(({ area, row, probe, over }) =>
  clause(`${area}.compatible.usage.text`, "usage counts the tokens of each text", {
    row,
    level: "recommended",
    over,
    needs: [`${area}.response.usage.count`],
    probe,
    provenBy: [`${area}-usage-zero`],
    judge: usageCountsText,
  }),
);

/** A client may read a response that does not say that it is JSON as text. */
export const mediaTypes = (
  [
    { area: "chat", row: CHAT, probe: chat(), over: completions, word: "a completion" },
    { area: "embeddings", row: EMBEDDINGS, probe: embed(), over: embeddings, word: "a list of embeddings" },
  ] as const
).map(({ area, row, probe, over, word }) =>
  clause(`${area}.compatible.media-type`, `${word} is declared as JSON`, {
    row,
    level: "compatible",
    over,
    needs: area === "chat" ? COMPLETION : ["embeddings.minimal"],
    probe,
    provenBy: [`${area}-content-type-text`],
    judge: mediaTypeIsJson,
  }),
);

/** The official clients ask for base64 by default; that for JavaScript decodes whatever comes. */
export const base64 = clause("embeddings.compatible.base64", "encoding_format base64 gives strings", {
  row: EMBEDDINGS,
  level: "compatible",
  over: base64Embeddings,
  needs: ["embeddings.response.base64"],
  explainedBy: ["embeddings.response.data.embedding"],
  probe: embed({ encoding_format: "base64" }),
  provenBy: ["embeddings-base64-arrays"],
  judge: (exchanges) =>
    everyValue(exchanges, "data[].embedding", (value) => typeof value === "string", "a string", INTERFACE),
});

export const base64Decodes = clause(
  "embeddings.compatible.base64.decodes",
  "a base64 vector is the float32 values of the array, with padding",
  {
    row: EMBEDDINGS,
    level: "compatible",
    over: base64Embeddings,
    needs: ["embeddings.compatible.base64"],
    probe: embed({ encoding_format: "base64" }),
    others: ALONE,
    provenBy: [...BASE64_FAULTS, "embeddings-base64-unpadded"],
    judge: ([exchange], plain) => decodesInClients(exchange, plain.flat()),
    judgeUnit: ([exchange]) => decodesInClients(exchange),
  },
);

export const batches = clause("embeddings.compatible.ordered", "each vector of a batch is that of its input alone", {
  row: EMBEDDINGS,
  level: "compatible",
  needs: ["embeddings.response.data.indexes.distinct", "embeddings.response.data.embedding"],
  probe: BATCHES[0],
  others: BATCHES.slice(1),
  provenBy: ["embeddings-order", "embeddings-order-many", "embeddings-batch-scaled"],
  judge: (own, others) => batchesAgree([own, ...others].flat()),
});

/** The same request twice more, which a service may answer from a cache, and streams. */
const REPEATED = [chat({}, { repeat: 1 }), chat({}, { repeat: 2 }), chat({ stream: false }), stream()] as const;

export const uniqueIds = clause("chat.compatible.id.unique", "each completion, streamed or not, has its own id", {
  row: CHAT,
  level: "compatible",
  needs: ["chat.response.id.some"],
  probe: chat(),
  others: REPEATED,
  over: completionsAndStreams,
  identity: oneIdEach,
  provenBy: ["chat-same-id", "chat-id-of-request"],
  judge: (own, others) => allAgree(oneIdEach, [own, ...others].flat()),
});

export const dimensions = clause(
  "embeddings.compatible.dimensions",
  "all vectors of one model in the run have one length",
  {
    row: EMBEDDINGS,
    level: "compatible",
    needs: ["embeddings.response.data.embedding"],
    probe: embed(),
    others: [embed({ input: INPUTS })],
    over: embeddings,
    identity: oneLengthPerModel,
    provenBy: ["embeddings-dimensions-vary"],
    judge: (own, others) => allAgree(oneLengthPerModel, [own, ...others].flat()),
  },
);

/** A service that accepts one of these refuses others, each of which the run sends anyway. */
export const errors = (
  [
    { area: "chat", row: CHAT, probe: chatWithout("messages"), others: [chatWithout("model"), chat({ model: {} })] },
    {
      area: "embeddings",
      row: EMBEDDINGS,
      probe: embedWithout("input"),
      others: [embedWithout("model"), embed({ model: {} })],
    },
  ] as const
).map(({ area, row, probe, others }) =>
  clause(`${area}.compatible.error`, "a refusal has an error object with a message", {
    row,
    level: "compatible",
    over: refusedRequests(area),
    needs: [`${area}.minimal`],
    probe,
    others,
    provenBy: [`${area}-error-shapeless`],
    judge: (own, more) => {
      const refused = [own, ...more].flat().find((exchange) => !isSuccess(exchange));
      return refused === undefined ? notApplicable("no invalid request was refused") : errorHasMessage(refused);
    },
  }),
);

function mediaType(exchange: Exchange | undefined): Judged {
  const type = exchange?.answer?.headers["content-type"] ?? "absent";
  if (/^text\/event-stream\s*(?:;|$)/i.test(type)) return holds(`content-type was ${type}`);
  return brokenAlready("a stream has the content type text/event-stream", `it was ${type}`);
}

const EVENTS = "chat.stream.compatible.events";
const CHUNKS = "chat.stream.compatible.chunks";
const FINISH = "chat.stream.compatible.finish";

/** What holds for streams, each judged as a whole. */
interface StreamRow {
  readonly id: string;
  readonly text: string;
  readonly judge: (exchange: Exchange | undefined) => Judged;
  /** Default: `judge`. */
  readonly judgeUnit?: (exchange: Exchange | undefined) => Judged;
  readonly faults: readonly string[];
  readonly level?: "compatible" | "recommended";
  readonly over?: ExchangeKind;
  readonly needs?: readonly string[];
  readonly explainedBy?: readonly string[];
}

const STREAMS: readonly StreamRow[] = [
  {
    id: "media-type",
    text: "the stream is declared as text/event-stream",
    judge: formatOfStream(mediaType),
    faults: ["stream-media-type"],
    needs: [],
  },
  {
    id: "start",
    text: "the stream begins with its first event, without a byte order mark",
    judge: beginsWithoutMark,
    faults: ["stream-bom"],
    needs: ["chat.stream.streamed"],
  },
  {
    id: "events",
    text: "the stream is server-sent events of JSON objects",
    judge: formatOfStream(ofWholeStream(eventsAreJson)),
    faults: ["stream-malformed", "stream-no-data-field", "stream-no-blank-lines"],
    needs: [],
  },
  {
    id: "chunks",
    text: "each event is a chunk, whose members are as the interface states them",
    judge: chunksHaveMembers(CHUNK_MEMBERS, "FAIL"),
    faults: [
      "stream-object-other",
      "stream-id-missing",
      "stream-created-fraction",
      "stream-index-missing",
      "stream-delta-missing",
      "stream-content-wrong-type",
      "stream-finish-empty",
      "stream-finish-unknown",
    ],
  },
  {
    id: "chunks.absent",
    text: "the members of a chunk that may be null are there",
    judge: chunksHaveMembers(CHUNK_MEMBERS, "WARN"),
    level: "recommended",
    faults: ["stream-finish-absent"],
  },
  {
    id: "content",
    text: "the deltas make up the response",
    judge: deltasMakeText,
    judgeUnit: deltasAreTexts,
    over: textStreams,
    explainedBy: [CHUNKS],
    faults: ["stream-no-content"],
  },
  {
    id: "role",
    text: "the first delta has the role assistant",
    judge: beginsWithRole,
    over: textStreams,
    explainedBy: [CHUNKS],
    faults: ["stream-no-role"],
  },
  {
    id: "id",
    text: "all chunks of a stream have one id",
    judge: hasOneId,
    explainedBy: [CHUNKS],
    faults: ["stream-other-ids"],
  },
  {
    id: "same",
    text: "created and model are the same in all chunks, and the role comes once",
    judge: staysTheSame,
    level: "recommended",
    faults: ["stream-created-changes", "stream-model-changes", "stream-role-each"],
  },
  {
    id: "finish",
    text: "a chunk says why the response ended",
    judge: saysWhyItEnded,
    explainedBy: [CHUNKS],
    faults: ["stream-no-end"],
  },
  {
    id: "finish.once",
    text: "nothing of a choice follows its finish_reason",
    judge: finishesOnce,
    explainedBy: [CHUNKS, "chat.stream.compatible.usage"],
    needs: [FINISH],
    faults: ["stream-finish-twice"],
  },
  {
    id: "usage.alone",
    text: "usage that the request does not ask for is in a chunk without choices",
    judge: usageStandsAlone,
    over: streamsWithoutUsage,
    faults: ["stream-usage-with-finish"],
  },
  {
    id: "usage.asked",
    text: "a stream has no usage that its request does not ask for",
    judge: hasNoUsage,
    level: "recommended",
    over: streamsWithoutUsage,
    faults: ["stream-usage-always"],
  },
  {
    id: "done",
    text: "the stream ends with [DONE], once",
    judge: endsWithDone,
    explainedBy: [CHUNKS, FINISH],
    faults: ["stream-no-done", "stream-done-twice"],
  },
];

export const streams = STREAMS.map(
  ({ id, text, level = "compatible", judge, judgeUnit = judge, faults, explainedBy = [], over = streamed, ...row }) =>
    clause(`chat.stream.compatible.${id}`, text, {
      row: CHAT,
      level,
      needs: row.needs ?? [EVENTS],
      explainedBy: [...explainedBy, "chat.minimal"],
      undecidedBy: ["chat.stream.streamed", "chat.stream.accepted"],
      probe: stream(),
      over,
      provenBy: faults,
      judge: ([exchange]) => ofWholeStream(judge)(exchange),
      judgeUnit: ([exchange]) => ofWholeStream(judgeUnit)(exchange),
    }),
);

export const usage = clause(
  "chat.stream.compatible.usage",
  "stream_options.include_usage gives one chunk with usage, the last one, without choices",
  {
    row: CHAT,
    level: "compatible",
    over: streamsWithUsage,
    needs: [EVENTS],
    explainedBy: [CHUNKS],
    undecidedBy: ["chat.stream.accepted"],
    probe: stream(WITH_USAGE),
    again: 5,
    alsoSent: [
      stream({ ...WITH_USAGE, temperature: 0 }),
      ...TEXTS.map(({ text }) => stream({ ...WITH_USAGE, messages: [{ ...USER_MESSAGE, content: text }] })),
    ],
    provenBy: ["stream-usage-missing", "stream-usage-twice", "stream-usage-first", "stream-usage-choices"],
    judge: ([exchange]) => ofWholeStream(usageIsStreamed)(exchange),
  },
);

export const tokens = clause(
  "chat.stream.compatible.usage.tokens",
  "completion_tokens of a stream is no less than its chunks with content",
  {
    row: CHAT,
    level: "recommended",
    over: streamsWithUsage,
    needs: ["chat.stream.compatible.usage"],
    probe: stream(WITH_USAGE),
    provenBy: ["stream-usage-few"],
    judge: ([exchange]) => ofWholeStream(tokensCoverChunks)(exchange),
  },
);
