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
const bodyOf = chatBodies({ model: settings.chatModel, stream: true });

/** Sends a prompt and reads the streamed response to its end; every chunk is timed. */
export const streamChat = (prompt: Prompt): Reply =>
  endpoint.send({ body: bodyOf(messagesPart(prompt), prompt.maxTokens ?? settings.maxTokens) });
