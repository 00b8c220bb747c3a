/** One chat turn whose answer comes whole. */

import { Endpoint, type Reply } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBodies } from "./bodies.ts";
import { chatEndpoint } from "./endpoints.ts";
import { messagesPart, readyMessages } from "./messages.ts";

const endpoint = new Endpoint(chatEndpoint(service, settings.chatModel, false), readyMessages);
const bodyOf = chatBodies({ model: settings.chatModel, stream: false });

/** Asks, and waits for the whole answer. */
export const chat = (prompt: Prompt): Reply =>
  endpoint.send({ body: bodyOf(messagesPart(prompt), prompt.maxTokens ?? settings.maxTokens) });
