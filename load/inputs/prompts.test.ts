import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { bytesInUtf8 } from "../../lib/text.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { firstCharacters, messagesOf, promptsIn, textOf, type WrittenPrompt } from "./prompts.ts";

const parsePrompts = (text: string, fileName: string): readonly WrittenPrompt[] => [...promptsIn([text], fileName)];

const FILE = "chats.jsonl";
const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => value.trim() !== "");
const prompt: fc.Arbitrary<WrittenPrompt> = fc.oneof(
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
const plain = (prompts: readonly WrittenPrompt[]): unknown => JSON.parse(JSON.stringify(prompts));

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

  it("says how a line starts and what a line looks like", () => {
    expect(() => parsePrompts('{"prompt": "Hi"}\n\n[{\n', FILE)).toThrow(
      'Cannot read prompts from chats.jsonl: line 3 is not a JSON object (it starts with "[{"). ' +
        'Each line holds one object such as {"prompt": "…"}, or is a prompt itself; see docs/inputs.md.',
    );
    expect(() => parsePrompts('{"prompt": "cut o', FILE)).toThrow(
      'line 1 starts like a JSON object but is not one (it ends with "…"prompt": "cut o")',
    );
  });

  it("names an entry that is too long, without holding all of it", () => {
    function* endless(start: string): Generator<string> {
      yield start;
      for (;;) yield "x".repeat(2 ** 20);
    }
    expect(() => [...promptsIn(endless("a\n"), FILE)]).toThrow("line 2 is longer than 16 MiB");
    expect(() => [...promptsIn(endless('[{"prompt": "'), FILE)]).toThrow("item 1 is longer than 16 MiB");
  });
});

const messages = z.array(z.object({ role: z.string(), content: z.string() }));
const Cases = z.array(
  z.object({
    name: z.string(),
    file: z.string(),
    problem: z.string().optional(),
    prompts: z.array(z.object({ messages, text: z.string() })).optional(),
  }),
);
const shared = Cases.parse(
  JSON.parse(readFileSync(new URL("../../scenarios/testdata/prompt-files.json", import.meta.url), "utf8")),
);

describe.each(shared)("$name", ({ file, problem, prompts }) => {
  it.each([1, 3, 1_000])("is read as the extension reads it, in pieces of %d characters", (length) => {
    const pieces = Array.from({ length: Math.ceil(file.length / length) }, (_, at) =>
      file.slice(at * length, (at + 1) * length),
    );
    const read = () =>
      [...promptsIn(pieces, FILE)].map((prompt) => ({
        messages: messagesOf(prompt),
        text: textOf(prompt),
      }));
    if (problem === undefined) expect(read()).toEqual(prompts);
    else expect(read).toThrow(`Cannot read prompts from ${FILE}: ${problem}`);
  });
});

const LongEntries = z.array(
  z.object({ name: z.string(), start: z.string(), repeated: z.string(), times: z.int(), end: z.string() }).extend({
    problem: z.string().optional(),
  }),
);
const long = LongEntries.parse(
  JSON.parse(readFileSync(new URL("../../scenarios/testdata/long-entries.json", import.meta.url), "utf8")),
);

test.each(long)("$name is read or refused as the extension does", ({ start, repeated, times, end, problem }) => {
  const read = () => [...promptsIn([start, repeated.repeat(times), end], FILE)].length;
  if (problem === undefined) expect(read()).toBeGreaterThan(0);
  else expect(read).toThrow(`Cannot read prompts from ${FILE}: ${problem}. `);
});

test("bytes of a text are those of UTF-8", () => {
  const any = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.constant("\ud83d a\ude42é漢🙂"),
  );
  fc.assert(fc.property(any, (each) => bytesInUtf8(each) === Buffer.byteLength(each)));
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
