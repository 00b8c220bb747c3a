import { expect, test } from "vitest";
import { parseModels } from "./models.ts";

test.each([
  ["assay-chat", [["assay-chat", 1]]],
  [
    "base=3, lora-a=1",
    [
      ["base", 3],
      ["lora-a", 1],
    ],
  ],
  ["org/model:7b", [["org/model:7b", 1]]],
  ["a,b", [["a,b", 1]]],
])("the models of %s", (text, models) => {
  expect(parseModels(text).map(({ model, weight }) => [model, weight])).toEqual(models);
});

test("a weight of 0 is refused", () =>
  expect(() => parseModels("a=0,b=1")).toThrow("not a whole number of at least 1"));
