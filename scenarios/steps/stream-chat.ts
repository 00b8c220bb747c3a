/** One streamed chat request. */

import { Endpoint, type Reply } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBodies } from "./bodies.ts";
import { chatEndpoint } from "./endpoints.ts";
import { messagesPart, readyMessages } from "./messages.ts";

const endpoint = new Endpoint(chatEndpoint(service, settings.chatModel, true), readyMessages);
const bodyOf = chatBodies({ model: settings.chatModel, stream: true });

/** Sends a prompt and reads the streamed response to its end; every chunk is timed. */
export const streamChat = (prompt: Prompt): Reply =>
  endpoint.send({ body: bodyOf(messagesPart(prompt), prompt.maxTokens ?? settings.maxTokens) });
