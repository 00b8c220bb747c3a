import { appendFileSync, existsSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFile, newFolder } from "../tests/support/commands/assay-process.ts";
import { linesOf, Tail, wholeLines } from "./file-lines.ts";

test("a file is read line by line, and nothing but a line feed ends one", async () => {
  const file = join(newFolder(), "lines");
  const long = "é".repeat(1 << 20);
  const lines = ['{"detail":"a\u2028b\u2029c\u0085d"}', "", `x${long}`, long, "carriage\rreturn", "cut off"];
  writeFileSync(file, lines.join("\n"));
  const read: unknown[] = [];
  for await (const line of linesOf(file)) read.push(line);
  expect(read).toEqual(lines);
  writeFileSync(file, "whole\n");
  for await (const line of linesOf(file)) read.push(line);
  expect(read.slice(lines.length)).toEqual(["whole"]);
});

test("a tail gives whole lines only, each once", async () => {
  const file = join(newFolder(), "growing");
  const tail = new Tail(file);
  expect(await tail.next()).toEqual([]);
  writeFileSync(file, "one\ntw");
  expect(await tail.next()).toEqual(["one"]);
  appendFileSync(file, "o\nthree\n");
  expect(await tail.next()).toEqual(["two", "three"]);
  expect(await tail.next()).toEqual([]);
});

test.skipIf(process.platform !== "linux")("a tail holds no file open between two looks", async () => {
  const file = newFile("growing", "one\n");
  const isOpen = () =>
    readdirSync("/proc/self/fd")
      .map((name) => `/proc/self/fd/${name}`)
      .some((descriptor) => existsSync(descriptor) && readlinkSync(descriptor) === file);
  expect(await new Tail(file).next()).toEqual(["one"]);
  expect(isOpen()).toBe(false);
});

test("a tail begins near the end of a file of any size", async () => {
  const file = newFile("sparse", "first\n");
  truncateSync(file, 10 * 2 ** 30);
  appendFileSync(file, "\nlast\n");
  expect((await new Tail(file).next()).at(-1)).toBe("last");
});

test("a last line that was cut off is left out", () => {
  const file = newFile("cut", '{"a":1}\n{"b"');
  expect(wholeLines(file)).toEqual(['{"a":1}']);
});
