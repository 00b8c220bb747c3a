/** Prompts as the messages of chat requests, streamed or whole. */

import { asJson } from "../inputs.ts";
import { messagesOf } from "../prompts.ts";

/** The messages of a prompt, as JSON. */
export const messagesAsJson = asJson("messages", messagesOf);
