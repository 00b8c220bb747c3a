/** One streamed chat request. */

import type { Reply } from "k6/x/assay";
import { settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBodies } from "./bodies.ts";
import { messagesPart, readyMessages } from "./messages.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const endpoint = serviceEndpoint(
  "chat.stream",
  ({ chatEndpoint }, target) => chatEndpoint(target, settings.chatModel, true),
  readyMessages,
);
const bodyOf = chatBodies(settings, true);

/** Sends a prompt and reads the streamed response to its end; every chunk is timed. */
export const streamChat = (prompt: Prompt): Reply => {
  const { maxTokens = settings.maxTokens } = prompt;
  return endpoint.send({ body: bodyOf(messagesPart(prompt), maxTokens), maxTokens });
};
