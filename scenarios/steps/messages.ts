/** Prompts as the messages of chat requests, streamed or not. */

import type { BodyPart } from "k6/x/assay";
import { partOf, readyAsJson } from "../inputs.ts";
import { messagesOf, type Prompt } from "../prompts.ts";

export const readyMessages = readyAsJson("messages", messagesOf);

/** The messages of a prompt, as JSON. */
export const messagesPart = (prompt: Prompt): BodyPart => partOf(prompt, messagesOf);
