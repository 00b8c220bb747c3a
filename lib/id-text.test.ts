import fc from "fast-check";
import { expect, test } from "vitest";
import { idText, numberText } from "./id-text.ts";

test.each([
  ["a string", '{"id":"task-1"}', "task-1"],
  ["a number", '{"id":1001}', "1001"],
  ["a number beyond 2^53", '{"id":12345678901234567891}', "12345678901234567891"],
  ["a number beyond a double", '{"id":1e999}', "1e999"],
  ["a number with white space around it", '{ "id" :\n\t-12345678901234567891 }', "-12345678901234567891"],
  ["a number after other members", '{"a":{"id":1},"b":[{"id":2}],"c":"\\"id\\":3","id":4}', "4"],
  ["a number before others", '{"id":4,"usage":{"id":5}}', "4"],
  ["the last of two numbers", '{"id":1,"id":12345678901234567891}', "12345678901234567891"],
  ["a name with escapes", '{"\\u0069d":12345678901234567891}', "12345678901234567891"],
  ["a value that is the name", '{"a":"id","id":7}', "7"],
  ["null", '{"id":null}', undefined],
  ["an object", '{"id":{"id":1}}', undefined],
  ["empty", '{"id":""}', undefined],
  ["nothing", '{"task_id":1}', undefined],
])("the id is %s", (_, json, text) => {
  const { id } = JSON.parse(json);
  expect(idText(id, json, "id")).toBe(text);
});

test("is the number that the parser reads, in any object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, other) => {
      const json = JSON.stringify(object);
      // Not the object itself: its -0 is written as 0.
      const read: typeof object = JSON.parse(json);
      for (const name of [...Object.keys(object), other]) {
        const value = Object.hasOwn(read, name) ? read[name] : undefined;
        const text = numberText(json, name);
        expect(text === undefined ? undefined : JSON.parse(text)).toEqual(
          typeof value === "number" ? value : undefined,
        );
      }
    }),
  );
});
