import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { requestedFields, violatedRule } from "./request-rules.ts";

const PATHS = { chat: "/v1/chat/completions", videos: "/v1/videos/generations" } as const;
const sending = (body?: object): Exchange => ({
  id: 1,
  probe: "p",
  request: {
    method: "POST",
    url: `http://h${body !== undefined && "messages" in body ? PATHS.chat : PATHS.videos}`,
    headers: {},
    ...(body !== undefined && { body: JSON.stringify(body) }),
  },
  startedAt: "",
});
const MESSAGE = { role: "user", content: "hi" };
const CHAT = { model: "m", messages: [MESSAGE] };

test.each([
  [
    { ...CHAT, temperature: 2.1 },
    { ...CHAT, temperature: 2 },
    "requires temperature to be from 0 to 2",
    "temperature 2.1",
  ],
  [
    { ...CHAT, temperature: "1" },
    { ...CHAT, temperature: 1 },
    "requires temperature to be a number",
    'temperature "1"',
  ],
  [{ messages: [MESSAGE] }, CHAT, "requires model", "a request without model"],
  [{ ...CHAT, messages: [{ role: "user" }] }, CHAT, "requires content", "a request without content"],
  [{ ...CHAT, model: 7 }, CHAT, "requires model to be a string", "model 7"],
  [{ prompt: "p", duration: 7 }, { prompt: "p", duration: 5 }, "requires duration to be 5 or 10", "duration 7"],
  [
    { prompt: "a".repeat(2001) },
    { prompt: "a".repeat(2000) },
    "requires prompt to be at most 2000 characters long",
    "a prompt of 2001 characters",
  ],
  [
    { aspect_ratio: "4:3" },
    { aspect_ratio: "16:9" },
    "requires aspect_ratio to be 16:9, 9:16 or 1:1",
    'aspect_ratio "4:3"',
  ],
])("%j violates a rule of its own field", (body, control, statement, sent) => {
  expect(violatedRule(sending(body), sending(control))).toEqual({ statement: `the specification ${statement}`, sent });
});

test("where nothing differs, no statement is made up", () => {
  expect(violatedRule(sending(CHAT), sending(CHAT)).statement).toBe("the specification does not allow this request");
});

test("a valid request is named by its optional fields", () => {
  expect(requestedFields(sending({ ...CHAT, temperature: 0, stream: false }))).toBe(
    " with temperature 0, stream false",
  );
  expect(requestedFields(sending(CHAT))).toBe(" with model and messages alone");
  expect(requestedFields(sending())).toBe("");
});
