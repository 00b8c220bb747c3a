import { spawnSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { newFolder } from "../tests/support/commands/assay-process.ts";
import { readTextFile } from "./text-file.ts";

const folder = newFolder();
const fileOf = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test("a text is read without its byte order mark", () => {
  expect(readTextFile(fileOf("marked", "\uFEFFa\r\né"))).toBe("a\r\né");
  expect(readTextFile(fileOf("empty", ""))).toBe("");
});

test("what is no text is named at once", () => {
  const huge = fileOf("huge", "");
  truncateSync(huge, 3 * 2 ** 30);
  const pipe = join(folder, "pipe");
  spawnSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  for (const [path, reason] of [
    [folder, "it is a folder, not a file"],
    [pipe, "it is a pipe or a device, not a file"],
    ["/dev/zero", "it is a pipe or a device, not a file"],
    [huge, "it is larger than 256 MiB"],
    [fileOf("gz", gzipSync("text")), "it is compressed with gzip"],
    [fileOf("table", "PAR1..."), "it is a Parquet file, and only prompts are read from one"],
    [fileOf("latin", Buffer.from([0x61, 0xe9, 0x0a])), "it is not text in UTF-8"],
    [join(folder, "none"), "ENOENT: no such file"],
  ] as const) {
    expect(() => readTextFile(path), path).toThrow(reason);
  }
});
