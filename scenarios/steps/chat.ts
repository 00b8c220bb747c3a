/** One chat turn whose answer comes whole. */

import { Endpoint, type Reply } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { chatBody } from "./bodies.ts";
import { chatEndpoint } from "./endpoints.ts";

const endpoint = new Endpoint(chatEndpoint(service, settings.chatModel, false));
const options = { model: settings.chatModel, maxTokens: settings.maxTokens, stream: false };

/** Asks, and waits for the whole answer. */
export const chat = (prompt: Prompt): Reply => endpoint.send({ body: chatBody(prompt, options) });
