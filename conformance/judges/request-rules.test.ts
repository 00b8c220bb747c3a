import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { requestedFields, violatedRule } from "./request-rules.ts";

const pathOf = (body: object = {}): string => {
  if ("messages" in body) return "/v1/chat/completions";
  return "input" in body ? "/v1/embeddings" : "/v1/videos/generations";
};
const sending = (body?: object): Exchange => ({
  id: 1,
  probe: "p",
  request: {
    method: "POST",
    url: `http://h${pathOf(body)}`,
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

test.each<[object, string]>([
  [{ ...CHAT, messages: [{ role: "system", content: "Be brief." }, MESSAGE] }, "messages of the roles system, user"],
  [{ ...CHAT, messages: [{ ...MESSAGE, content: 'a "b"\n' }] }, 'content "a \\"b\\"\\n"'],
  [{ ...CHAT, messages: [{ ...MESSAGE, content: "é".repeat(80) }] }, "a content of 80 characters"],
  [{ ...CHAT, messages: [MESSAGE, MESSAGE, MESSAGE] }, "3 messages"],
  [{ model: "m", input: ["a", "b"] }, "input as a list of 2"],
])("what is special about %j is named", (body, words) => {
  expect(requestedFields(sending(body))).toBe(` with ${words}`);
});
