import { expect, test } from "vitest";
import { tightStore } from "../../../tests/support/results/scratch-memory.ts";
import { IdNumbers, IdSet } from "./id-set.ts";

const COUNT = 100_000;
const name = (index: number) => `r-${index}`;
const anywhere = (index: number) => `${(index * 7_919_993) % 1_000_003}-r`;
const ofManyUsers = (index: number) => `${index % 3_000}-${Math.floor(index / 3_000)}`;

test.each([
  ["in a row", name],
  ["without a number at the end", anywhere],
  ["of many beginnings", ofManyUsers],
  ["that begin with zeros", (index: number) => `r${String(index).padStart(6, "0")}`],
])("a text that was added is known, and no other of a hundred thousand like it: %s", (_, name) => {
  const ids = new IdSet(tightStore(100_000));
  const added = (): number => Array.from({ length: COUNT }, (_, index) => ids.add(name(index))).filter(Boolean).length;
  expect([added(), added()]).toEqual([COUNT, 0]);
  expect(ids.add("")).toBe(true);
  expect(ids.add("")).toBe(false);
});

test("texts that look alike are different ones", () => {
  const texts = [
    "",
    "0",
    "00",
    "7",
    "07",
    "007",
    "-7",
    "a7",
    "a07",
    "1e7",
    "９",
    "9007199254740993",
    "9007199254740992",
    "a\u00007",
  ];
  const ids = new IdSet();
  expect(texts.filter((text) => ids.add(text))).toEqual(texts);
  expect(texts.filter((text) => ids.add(text))).toEqual([]);
});

test("texts are numbered in the order in which they are first seen", () => {
  const numbers = new IdNumbers(tightStore(100_000));
  const all = Array.from({ length: COUNT }, (_, index) => index);
  expect(all.every((index) => numbers.numberOf(name(index)) === index)).toBe(true);
  expect(all.every((index) => numbers.numberOf(name(index)) === index)).toBe(true);
  expect([numbers.size, numbers.get(name(7)), numbers.get("s")]).toEqual([COUNT, 7, undefined]);
});
