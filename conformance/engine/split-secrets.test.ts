import { expect, test } from "vitest";
import { redactor } from "../../lib/redact.ts";
import { withoutSplitSecrets } from "./split-secrets.ts";
import { formWith } from "./written-exchange.ts";

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

test("a secret that is spread over events is found beside one that is taken out with the quotes around it", () => {
  const form = formWith(redactor([KEY, `"${KEY}"`], []));
  const body = [...KEY].map((character) => event(character).replace('"a"', `"${KEY}"`)).join("");
  const { answer } = form.exchange({
    ...{ id: 1, probe: "p", startedAt: "2026-01-01T00:00:00Z" },
    request: { method: "POST", url: "http://h", headers: {} },
    answer: { status: 200, headers: {}, body, truncated: false, chunks: [], headersMs: 0, endMs: 1 },
  });
  const read = [...(answer?.body ?? "").matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
  expect(read).toEqual(["<redacted>", ...[...KEY].slice(1).map(() => "")]);
});

test("events without one, or with parts of one in different members, stay as they are", () => {
  for (const body of [event("sk-0123") + event("456789", 1).replace("content", "other"), event("a") + event("b"), "{}"])
    expect(withoutSplitSecrets(body, text)).toBe(body);
  const deep = `data: ${"[".repeat(100_000)}\n`;
  expect(withoutSplitSecrets(deep, text)).toBe(deep);
});
