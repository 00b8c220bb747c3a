/** One chat request that is not streamed. */

import { Endpoint, type Reply } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBodies } from "./bodies.ts";
import { chatEndpoint } from "./endpoints.ts";
import { messagesPart, readyMessages } from "./messages.ts";

const endpoint = new Endpoint(chatEndpoint(service, settings.chatModel, false), readyMessages);
const bodyOf = chatBodies({ model: settings.chatModel, stream: false });

/** Sends a prompt and waits for the whole response. */
export const chat = (prompt: Prompt): Reply =>
  endpoint.send({ body: bodyOf(messagesPart(prompt), prompt.maxTokens ?? settings.maxTokens) });
