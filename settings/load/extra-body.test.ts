import { describe, expect, test } from "vitest";
import { formatExtraBody, parseExtraBody, readExtraBody } from "./extra-body.ts";

describe("further members of chat requests", () => {
  test.each([
    ['{"ignore_eos": true}', { ignore_eos: true }],
    [' {"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ["{}", {}],
    ["extra.json", "extra.json"],
    ["2-extra.json", "2-extra.json"],
    ["../../load/spec/{a}.json", "../../load/spec/{a}.json"],
  ])("%s is read, and written so that it is read the same", (text, expected) => {
    const read = readExtraBody(text);
    expect(read).toEqual(expected);
    expect(readExtraBody(formatExtraBody(read))).toEqual(read);
  });

  test.each([
    ['{"ignore_eos": yes}', "it is not valid JSON; write an object such as"],
    ["[1]", "it is an array of 1, where an object was expected"],
    ["null", "it is null, where an object was expected"],
    ["7", "it is the number 7, where an object was expected"],
    ['"x"', 'it is the string "x", where an object was expected'],
    ['{"top_k":1,"stream":false}', "it has the member stream, which Assay sets itself"],
    ['{"messages":[]}', "leave it out and use --prompts"],
    ['{"model":"x"}', "leave it out and use --chat-model"],
    ['{"max_tokens":1}', "leave it out and use --max-tokens"],
  ])("%s is refused", (text, reason) => {
    expect(() => readExtraBody(text)).toThrow(reason);
  });

  test("in a file may be neither nothing nor another name", () => {
    expect(() => parseExtraBody("")).toThrow("it is not valid JSON");
    expect(() => parseExtraBody("extra.json")).toThrow("it is not valid JSON");
  });
});
