import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { messagesOf, promptsIn, textOf, type WrittenPrompt } from "../../load/inputs/prompts.ts";

const text = await readFile(new URL("./default.jsonl", import.meta.url), "utf8");
const prompts = [...promptsIn([text], "default.jsonl")];
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const said = (prompt: WrittenPrompt): string =>
  messagesOf(prompt)
    .map(({ content }) => content)
    .join("\n");
const wordsOf = (prompt: WrittenPrompt): number =>
  [...segmenter.segment(said(prompt))].filter(({ isWordLike }) => isWordLike).length;
const having = (pattern: RegExp): number => prompts.filter((prompt) => pattern.test(said(prompt))).length;

describe("the bundled prompts", () => {
  it("are at least 200, no two alike", () => {
    expect(prompts.length).toBeGreaterThanOrEqual(200);
    expect(new Set(prompts.map(said)).size).toBe(prompts.length);
  });

  it("spread from a few words to about 2,000", () => {
    const words = prompts.map(wordsOf);
    const between = (from: number, to: number) => words.filter((count) => count >= from && count < to).length;
    expect(Math.min(...words)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...words)).toBeLessThan(3_000);
    expect(between(5, 30)).toBeGreaterThan(100);
    expect(between(30, 100)).toBeGreaterThan(30);
    expect(between(100, 300)).toBeGreaterThan(15);
    expect(between(300, 1_000)).toBeGreaterThan(20);
    expect(between(1_000, 3_000)).toBeGreaterThan(10);
  });

  it.each([
    "Latin",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Telugu",
    "Han",
    "Hiragana",
    "Hangul",
    "Thai",
    "Georgian",
    "Armenian",
    "Ethiopic",
  ])("are also written in %s", (script) => {
    expect(having(new RegExp(`\\p{Script=${script}}{2}`, "u"))).toBeGreaterThan(0);
  });

  it("hold code, tables, JSON, mathematics and emoji", () => {
    expect(having(/^```\w+$/m)).toBeGreaterThan(20);
    expect(new Set(prompts.flatMap((prompt) => /^```(\w+)$/m.exec(said(prompt))?.[1] ?? [])).size).toBeGreaterThan(12);
    expect(having(/^\|.*\|$/m)).toBeGreaterThan(0);
    expect(having(/\{"\w+":/)).toBeGreaterThan(2);
    expect(having(/\\int|\\begin\{pmatrix\}|∀|²/u)).toBeGreaterThan(2);
    expect(having(/\p{Extended_Pictographic}/u)).toBeGreaterThan(5);
  });

  it("are texts, inputs and conversations in which the user speaks last", () => {
    const conversations = prompts.flatMap((prompt) => ("messages" in prompt ? [prompt.messages] : []));
    expect(conversations.length).toBeGreaterThan(15);
    expect(conversations.every((messages) => messages.at(-1)?.role === "user")).toBe(true);
    expect(conversations.filter((messages) => messages.some(({ role }) => role === "system")).length).toBeGreaterThan(
      10,
    );
    expect(conversations.filter((messages) => messages.length > 3).length).toBeGreaterThan(8);
    expect(prompts.filter((prompt) => "input" in prompt).length).toBeGreaterThan(20);
    expect(prompts.filter((prompt) => "prompt" in prompt).length).toBeGreaterThan(100);
    expect(prompts.every((prompt) => textOf(prompt).trim() !== "")).toBe(true);
  });
});
