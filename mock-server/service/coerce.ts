/** Reads wrong types as the right ones, as lax services do: only a fault asks for it. */

import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

type Kind = "text" | "integer" | "number" | "boolean";

const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  chat: { model: "text", stream: "boolean", temperature: "number", max_tokens: "integer" },
  embeddings: { model: "text", encoding_format: "text" },
  video: { model: "text", prompt: "text", duration: "integer", resolution: "text", aspect_ratio: "text" },
};

/** The body with every scalar member of a known kind turned into that kind, where it can be. */
export function coerced(area: string, body: Json): Json {
  const kinds = KINDS[area];
  if (!isObject(body) || kinds === undefined) return body;
  const members = Object.entries(body).map(([name, value]) => [name, turn(value, kinds[name])]);
  const turned: JsonObject = Object.fromEntries(members);
  if (area === "embeddings") return { ...turned, ...inputOf(body["input"]) };
  return area === "chat" ? withMessages(turned) : turned;
}

function turn(value: Json, kind: Kind | undefined): Json {
  if (kind === undefined || value === null || typeof value === "object") return value;
  if (kind === "text") return String(value);
  if (kind === "boolean") return value === true || value === "true" || value === 1 || value === "1";
  const number = Number(value);
  if (Number.isNaN(number)) return value;
  return kind === "integer" ? Math.trunc(number) : number;
}

function inputOf(input: Json | undefined): { input?: Json } {
  if (input === undefined) return {};
  return { input: Array.isArray(input) ? input.map((item: Json) => turn(item, "text")) : turn(input, "text") };
}

function withMessages(body: JsonObject): Json {
  if (!Array.isArray(body["messages"])) return body;
  const messages = body["messages"].map((message: Json) =>
    isObject(message)
      ? Object.fromEntries(Object.entries(message).map(([name, value]) => [name, turn(value, "text")]))
      : message,
  );
  return { ...body, messages };
}
