/** One streamed chat turn. */

import { Endpoint, type Reply } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBody } from "./bodies.ts";
import { chatEndpoint } from "./endpoints.ts";

const endpoint = new Endpoint(chatEndpoint(service, settings.chatModel, true));
const options = { model: settings.chatModel, maxTokens: settings.maxTokens, stream: true };

/** Asks, and reads the streamed answer to its end; every chunk is timed. */
export const streamChat = (prompt: Prompt): Reply => endpoint.send({ body: chatBody(prompt, options) });
