import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { askedFor, departureOf } from "./request-rules.ts";

const sending = (body?: object): Exchange => ({
  id: 1,
  probe: "p",
  request: {
    method: "POST",
    url: "http://h/v1/x",
    headers: {},
    ...(body !== undefined && { body: JSON.stringify(body) }),
  },
  startedAt: "",
});
const MESSAGE = { role: "user", content: "hi" };
const CHAT = { model: "m", messages: [MESSAGE] };

test.each([
  [{ ...CHAT, temperature: 2.1 }, { ...CHAT, temperature: 2 }, "keeps temperature within 0 to 2", "temperature 2.1"],
  [{ ...CHAT, temperature: "1" }, { ...CHAT, temperature: 1 }, "has temperature as a number", 'temperature "1"'],
  [{ messages: [MESSAGE] }, CHAT, "requires model", "a request without model"],
  [{ ...CHAT, messages: [{ role: "user" }] }, CHAT, "requires content", "a request without content"],
  [{ ...CHAT, model: 7 }, CHAT, "has model as a string", "model 7"],
  [{ prompt: "p", duration: 7 }, { prompt: "p", duration: 5 }, "keeps duration to 5 or 10", "duration 7"],
  [
    { prompt: "a".repeat(2001) },
    { prompt: "a".repeat(2000) },
    "keeps prompt to at most 2000 characters",
    "a prompt of 2001 characters",
  ],
  [{ aspect_ratio: "4:3" }, { aspect_ratio: "16:9" }, "keeps aspect_ratio to 16:9, 9:16 or 1:1", 'aspect_ratio "4:3"'],
])("%j departs by its own field", (body, control, statement, sent) => {
  expect(departureOf(sending(body), sending(control))).toEqual({ statement: `the document ${statement}`, sent });
});

test("where nothing differs, no statement is made up", () => {
  expect(departureOf(sending(CHAT), sending(CHAT)).statement).toBe("the document does not allow this request");
});

test("an allowed request is told by what it holds besides the required", () => {
  expect(askedFor(sending({ ...CHAT, temperature: 0, stream: false }))).toBe(" with temperature 0, stream false");
  expect(askedFor(sending(CHAT))).toBe(" with model and messages alone");
  expect(askedFor(sending())).toBe("");
});
