/** One chat request that is not streamed. */

import type { Reply } from "k6/x/assay";
import { settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBodies } from "./bodies.ts";
import { messagesPart, readyMessages } from "./messages.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const endpoint = serviceEndpoint(
  "chat",
  ({ chatEndpoint }, target) => chatEndpoint(target, settings.chatModel, false),
  readyMessages,
);
const bodyOf = chatBodies(settings, false);

/** Sends a prompt and waits for the whole response. */
export const chat = (prompt: Prompt): Reply => {
  const { maxTokens = settings.maxTokens } = prompt;
  return endpoint.send({ body: bodyOf(messagesPart(prompt), maxTokens), maxTokens });
};
