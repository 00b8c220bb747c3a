import { expect, test } from "vitest";
import { redactor } from "../../lib/redact.ts";
import { withoutSplitSecrets } from "./split-secrets.ts";

const KEY = "sk-0123456789";
const { text } = redactor([KEY], []);
const event = (content: string, index = 0): string =>
  `data: ${JSON.stringify({ id: "a", choices: [{ index, delta: { content } }] })}\n\n`;

test.each([
  ["two events", ["the key is sk-01234", "56789."]],
  ["an event per character", [...`is ${KEY}?`]],
  ["events of base64", ["c2stMDEyMz", "Q1Njc4OQ=="]],
])("a secret that is spread over %s is taken out", (_, contents) => {
  const body = `: hello\n${contents.map((content) => event(content)).join("")}data: [DONE]\n\n`;
  const clean = withoutSplitSecrets(body, text);
  const read = [...clean.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
  expect(read).toEqual(["<redacted>", ...contents.slice(1).map(() => "")]);
  expect(clean).toMatch(/^: hello\ndata: \{[\s\S]*data: \[DONE\]\n\n$/);
});

test("events without one, or with parts of one in different members, stay as they are", () => {
  for (const body of [event("sk-0123") + event("456789", 1).replace("content", "other"), event("a") + event("b"), "{}"])
    expect(withoutSplitSecrets(body, text)).toBe(body);
  const deep = `data: ${"[".repeat(100_000)}\n`;
  expect(withoutSplitSecrets(deep, text)).toBe(deep);
});
