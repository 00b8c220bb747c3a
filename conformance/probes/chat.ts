/** Chat requests: minimal, with single fields replaced or left out. */

import { PATHS } from "../../contract/service.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { PLACEHOLDERS, type RequestProbe, request, SHORT_REPLY_TOKENS, type Tweaks } from "../model/probe.ts";
import { without } from "./without.ts";

export const USER_MESSAGE = { role: "user", content: "Say hello in one word." } as const;

const UNLIMITED: JsonObject = { model: PLACEHOLDERS.chatModel, messages: [USER_MESSAGE] };
const MINIMAL: JsonObject = { ...UNLIMITED, max_tokens: SHORT_REPLY_TOKENS };

/** The required fields alone: the target chooses how long its reply is, and gets more time for it. */
export const chatUnlimited: RequestProbe = { ...request("POST", PATHS.chat, UNLIMITED), isPatient: true };

/** A minimal chat request with the given fields in addition. */
export const chat = (fields: JsonObject = {}, tweaks: Tweaks = {}): RequestProbe =>
  request("POST", PATHS.chat, { ...MINIMAL, ...fields }, tweaks);

/** A minimal request with the key alone, for a target that refuses it as a bearer token. */
export const bareKey = (minimal: (fields: JsonObject, tweaks: Tweaks) => RequestProbe): RequestProbe => ({
  ...minimal({}, { key: "bare" }),
  afterRefused: minimal({}, {}),
});

/** A chat request that leaves out one required field. */
export const chatWithout = (field: string): RequestProbe => request("POST", PATHS.chat, without(MINIMAL, field));

/** A chat request with one message. */
export const chatMessage = (message: JsonObject): RequestProbe => chat({ messages: [message] });

/** A chat request with a single message, one member of which is left out. */
export const messageWithout = (field: string): RequestProbe => chatMessage(without(USER_MESSAGE, field));

/** A conversation of the roles that the specification names. */
export const FIVE_MESSAGES = [
  { role: "system", content: "Answer briefly." },
  USER_MESSAGE,
  { role: "user", content: "Say it in French." },
  { role: "user", content: "Say it in Italian." },
  { role: "user", content: "Say it in Spanish." },
] as const;

/** A reply to it needs many tokens, so that a limit of a few takes effect. */
export const LONG_REPLY = {
  role: "user",
  content: "Write the numbers from one to fifty as English words, separated by spaces.",
} as const;

/** A text as long as a page of a document that somebody asks about. */
export const LONG_TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(178).slice(0, 8_000);

/** A streamed chat request. */
export const stream = (fields: Record<string, Json> = {}): RequestProbe => chat({ stream: true, ...fields });

/** Asks for the usage of a stream, as the widely used interface does. */
export const WITH_USAGE = { stream_options: { include_usage: true } } as const;

/** A chat request to the path that lacks the prefix. */
export const chatUnprefixed = (path: string): RequestProbe => request("POST", path, MINIMAL);
