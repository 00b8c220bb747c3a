/** A family of departures from the widely used interfaces: the document permits them, `--profile openai` does not. */

import { changed, eachFrame, textOf } from "../variants/transforms.ts";
import { type Fault, fault, whenAccepted } from "../variants/variant.ts";

const moreThanTheSum = (prefix: "chat" | "embeddings"): Fault =>
  fault({
    name: `${prefix}-usage-sum`,
    about: "total_tokens is more than the sum of the others",
    breaks: [`${prefix}.compatible.usage`],
    route: prefix,
    transform: changed("usage.total_tokens", (total) => Number(total) + 1000),
  });

const shapeless = (prefix: "chat" | "embeddings"): Fault =>
  fault({
    name: `${prefix}-error-shapeless`,
    about: "a refusal is a bare object without an error",
    breaks: [`${prefix}.compatible.error`],
    route: prefix,
    transform: (given) => (given.status < 400 ? given : { ...given, body: { detail: "no" } }),
  });

export default [
  moreThanTheSum("chat"),
  moreThanTheSum("embeddings"),
  shapeless("chat"),
  shapeless("embeddings"),
  fault({
    name: "chat-object-other",
    about: "object of a completion is another",
    breaks: ["chat.compatible.object"],
    route: "chat",
    transform: whenAccepted(changed("object", () => "completion")),
  }),
  fault({
    name: "chat-created-missing",
    about: "a completion has no created",
    breaks: ["chat.compatible.created"],
    route: "chat",
    transform: whenAccepted(changed("created", () => undefined)),
  }),
  fault({
    name: "stream-object-other",
    about: "object of a chunk is another",
    breaks: ["chat.stream.compatible.chunks"],
    route: "chat.stream",
    transformStream: eachFrame((frame) => textOf(frame).replace("chat.completion.chunk", "chunk")),
  }),
  fault({
    name: "stream-content-wrong-type",
    about: "content of every delta is a number",
    breaks: ["chat.stream.compatible.content"],
    route: "chat.stream",
    transformStream: eachFrame((frame) => textOf(frame).replace(/"content":"(?:[^"\\]|\\.)*"/, '"content":7')),
  }),
  fault({
    name: "stream-usage-missing",
    about: "a stream has no usage although it was asked for",
    breaks: ["chat.stream.compatible.usage"],
    route: "chat.stream",
    transformStream: (stream) => ({ ...stream, frames: stream.frames.filter(({ kind }) => kind !== "usage") }),
  }),
];
