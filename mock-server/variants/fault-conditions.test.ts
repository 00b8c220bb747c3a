import { describe, expect, it } from "vitest";
import { UsageError } from "../../settings/usage-error.ts";
import { activate } from "./fault-conditions.ts";

/** To which of some requests, sent one second apart, a fault applies. */
function hitsOf(text: string, headers: readonly Readonly<Record<string, string>>[] = [{}, {}, {}, {}]): boolean[] {
  let nowMs = 500;
  const [active] = activate([text], () => nowMs);
  return headers.map((given) => {
    const hit = active?.hits(given) ?? false;
    nowMs += 1000;
    return hit;
  });
}

describe("a condition", () => {
  it.each([
    ["chat-201", [true, true, true, true]],
    ["chat-201@first:2", [true, true, false, false]],
    ["chat-201@every:2", [false, true, false, true]],
    ["chat-201@after:2s", [false, false, true, true]],
    ["chat-201@before:2s", [true, true, false, false]],
    ["chat-201@after:1s@before:3s", [false, true, true, false]],
    ["chat-201@after:1s@first:2", [false, true, false, false]],
  ])("%s applies to %j", (text, wanted) => {
    expect(hitsOf(text)).toEqual(wanted);
  });

  it("compares the value of a header, at signs included, and ignores the case of its name", () => {
    const headers = [{ "x-user": "a@b" }, { "x-user": "a" }, {}];
    expect(hitsOf("chat-201@header:X-User=a@b", headers)).toEqual([true, false, false]);
  });

  it.each([
    "sometimes",
    "first",
    "first:0",
    "first:-1",
    "first:1.5",
    "every:x",
    "after:5",
    "after:soon",
    "header:x",
    "",
  ])("%j is not a condition", (condition) => {
    const read = () => activate([`chat-201@${condition}`]);
    expect(read).toThrow(UsageError);
    expect(read).toThrow("is not a condition. Write NAME, NAME@first:3");
  });
});
