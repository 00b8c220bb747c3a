import { spawnSync } from "node:child_process";
import { closeSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../tests/support/commands/assay-process.ts";
import { SHIPPED, sourcesIn, textOf } from "../tests/support/pages/source-files.ts";
import { appendToOwnFile, openOwnFile } from "./own-files.ts";

const folder = newFolder();

const outside = join(folder, "outside");
writeFileSync(outside, "before");

test("a file is created for its user alone, and appended to", () => {
  const own = join(folder, "own");
  appendToOwnFile(own, "a");
  appendToOwnFile(own, "b");
  expect([readFileSync(own, "utf8"), statSync(own).mode & 0o777]).toEqual(["ab", 0o600]);
});

test.each<[string, (path: string) => void, string]>([
  ["a symbolic link", (path) => symlinkSync(outside, path), "it is a symbolic link"],
  ["a symbolic link to nothing", (path) => symlinkSync(join(folder, "nothing"), path), "it is a symbolic link"],
  ["a hard link", (path) => linkSync(outside, path), "the file has another name elsewhere"],
  ["a folder", (path) => mkdirSync(path), "EISDIR"],
  ["a pipe without a reader", (path) => void spawnSync("sh", ["-c", 'mkfifo "$0"', path]), "ENXIO"],
])("%s is not written to", (name, make, reason) => {
  const path = join(folder, name);
  make(path);
  expect(() => appendToOwnFile(path, "a")).toThrow(reason);
  expect(readFileSync(outside, "utf8")).toBe("before");
});

test("a symbolic link is not written to where the system has no flag against links, as on Windows", () => {
  const [link, own] = [join(folder, "link-there"), join(folder, "own-there")];
  symlinkSync(outside, link);
  expect(() => openOwnFile(link, 0)).toThrow("it is a symbolic link");
  closeSync(openOwnFile(own, 0));
  expect(readFileSync(outside, "utf8")).toBe("before");
});

/** Calls that open a file for writing, and what makes each safe: it creates the file, or the descriptor is open already. */
const OPENS = /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|copyFile(?:Sync)?|openSync)\(([^;]*)/g;
const SAFE = /"wx\+?"|"r"|COPYFILE_EXCL|^(?:file(?:\.handle)?),/;

/** What is not in a result folder: the program itself, a folder of its own for each mock, and files that the user or the runner names. */
const ELSEWHERE =
  /^(?:lib\/own-files|scripts\/supply-chain|runs\/(?:ci\/tell-runner|history\/history-file)|toolchain\/(?:compile-package|dependencies)|mock-server\/)/;

test("whatever is shipped creates each file that it writes, or opens it without following links", () => {
  const open = sourcesIn(SHIPPED)
    .filter((file) => !ELSEWHERE.test(file))
    .flatMap((file) =>
      [...textOf(file).matchAll(OPENS)]
        .filter(([, given = ""]) => !SAFE.test(given))
        .map(([call]) => `${file}: ${call}`),
    );
  expect(open).toEqual([]);
});
