import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../settings/usage-error.ts";
import { firstCharacters, messagesOf, type Prompt, parsePrompts, textOf } from "./prompts.ts";

const FILE = "chats.jsonl";
const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => value.trim() !== "");
const prompt: fc.Arbitrary<Prompt> = fc.oneof(
  fc.record({ prompt: text }, { noNullPrototype: true }),
  fc.record({ input: fc.oneof(text, fc.array(text, { minLength: 1 })) }, { noNullPrototype: true }),
  fc.record(
    {
      messages: fc.array(fc.record({ role: fc.constantFrom("system", "user", "assistant"), content: text }), {
        minLength: 1,
      }),
    },
    { noNullPrototype: true },
  ),
);
const plain = (prompts: readonly Prompt[]): unknown => JSON.parse(JSON.stringify(prompts));

describe("a prompts file of JSON lines", () => {
  it("gives back what was written, whatever the texts, line ends and blank lines", () => {
    fc.assert(
      fc.property(
        fc.array(prompt, { minLength: 1 }),
        fc.constantFrom("\n", "\r\n", "\n\n", "\n \t\n"),
        (written, end) => {
          const file = written.map((line) => JSON.stringify(line)).join(end) + end;
          expect(plain(parsePrompts(file, FILE))).toEqual(plain(written));
        },
      ),
    );
  });

  it("gives back the same from one JSON array", () => {
    fc.assert(
      fc.property(fc.array(prompt, { minLength: 1 }), (written) => {
        expect(plain(parsePrompts(JSON.stringify(written, null, 2), FILE))).toEqual(plain(written));
      }),
    );
  });

  it("either reads any text or says what is wrong with it", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `[${json}]`),
        ),
        (file) => {
          try {
            expect(parsePrompts(file, FILE).length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
            expect(String(error)).toContain(`Cannot read prompts from ${FILE}: `);
          }
        },
      ),
    );
  });

  it("ignores a byte order mark, and members that it does not know", () => {
    expect(parsePrompts('\uFEFF{"prompt": "Hi", "id": 7}', FILE)).toEqual([{ prompt: "Hi" }]);
  });

  it("says which line is wrong, how it starts and what a line looks like", () => {
    expect(() => parsePrompts('{"prompt": "Hi"}\n\n[{\n', FILE)).toThrow(
      'Cannot read prompts from chats.jsonl: line 3 is not a JSON object (it starts with "[{"). ' +
        'Each line holds one object such as {"prompt": "…"}; see docs/load.md, Prompts.',
    );
  });

  it.each([
    ['{"text": "Hi"}', "line 1 has none of messages, prompt, input, conversations"],
    ['{"prompt": "Hi", "input": "Hi"}', "line 1 has both prompt and input; it may have one"],
    ['{"prompt": ""}', 'line 1 has a "prompt" that is not a text, or an empty one'],
    ['{"input": ["a", 1]}', 'line 1 has an "input" that is neither a text nor a list of texts, or an empty one'],
    ['{"messages": []}', 'line 1 has "messages" that are not a list of {"role": "…", "content": "…"}'],
    ['{"messages": [{"role": "user"}]}', 'line 1 has "messages" that are not a list'],
    ['[{"prompt": "Hi"}, 3]', 'item 2 is not a JSON object (it starts with "3")'],
    ['{"prompt": "cut o', 'line 1 starts like a JSON object but is not one (it ends with "…"prompt": "cut o")'],
    ['"a text, but in no object"', 'line 1 is not a JSON object (it starts with ""a text, but in …")'],
    ["\n \n", "it contains no prompt"],
  ])("refuses %s", (file, reason) => {
    expect(() => parsePrompts(file, FILE)).toThrow(reason);
  });
});

describe("the layout of ShareGPT", () => {
  const turns = (...said: readonly (readonly [string, string])[]) => ({
    id: "QWJhYvA_0",
    conversations: said.map(([from, value]) => ({ from, value })),
  });
  const whole = turns(["system", "Be brief."], ["human", "Hi"], ["gpt", "Hello!"], ["human", "Why?"], ["gpt", "So."]);
  const expected = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "Why?" },
    ],
  };

  it("is read from an array and from lines, up to what the user said last", () => {
    expect(parsePrompts(JSON.stringify([whole, whole]), FILE)).toEqual([expected, expected]);
    expect(parsePrompts(`${JSON.stringify(whole)}\n${JSON.stringify(whole)}`, FILE)).toEqual([expected, expected]);
  });

  it("may hold conversations in which no user speaks; they are skipped", () => {
    expect(parsePrompts(JSON.stringify([turns(), turns(["gpt", "Hello!"]), whole]), FILE)).toEqual([expected]);
    expect(() => parsePrompts(JSON.stringify([turns()]), FILE)).toThrow("it contains no prompt");
  });

  it("is refused with an unknown speaker", () => {
    expect(() => parsePrompts(JSON.stringify([turns(["constructor", "Hi"])]), FILE)).toThrow(
      'item 1 has "conversations" with a turn that is not {"from": "human", "gpt" or "system", "value": "…"}',
    );
  });
});

describe("a prompt", () => {
  it("feeds a chat: a text is what the user says", () => {
    expect(messagesOf({ prompt: "Hi" })).toEqual([{ role: "user", content: "Hi" }]);
    expect(messagesOf({ input: ["a", "b"] })).toEqual([{ role: "user", content: "a\nb" }]);
    expect(messagesOf({ messages: [{ role: "tool", content: "x" }] })).toEqual([{ role: "tool", content: "x" }]);
  });

  it("feeds an embedding or a video: of a conversation what the user said last", () => {
    const messages = ["a", "b", "c"].map((content, at) => ({ role: at === 1 ? "user" : "assistant", content }));
    expect(textOf({ messages })).toBe("b");
    expect(textOf({ messages: [{ role: "system", content: "s" }] })).toBe("s");
    expect(textOf({ prompt: "p" })).toBe("p");
    expect(textOf({ input: "i" })).toBe("i");
  });

  it("is cut to characters, never within one", () => {
    expect(firstCharacters("a😀b😀c", 2)).toBe("a😀");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (whole, max) => {
        const cut = firstCharacters(whole, max);
        expect([...cut]).toEqual([...whole].slice(0, max));
      }),
    );
  });
});
