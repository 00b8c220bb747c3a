import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newFile, newFolder } from "../tests/support/commands/assay-process.ts";
import { wholeLines } from "./file-lines.ts";
import { createResultFolder, writeWhole } from "./result-folder.ts";

describe("a result folder that is named", () => {
  test("is created with its parents", () => {
    const folder = join(newFolder(), "a", "b");
    expect(createResultFolder(folder, "load")).toBe(folder);
    expect(readdirSync(folder)).toEqual([".assay"]);
  });

  test("may exist if it is empty", () => {
    const folder = newFolder();
    expect(createResultFolder(folder, "load")).toBe(folder);
  });

  test.each(["run.json", "tasks.jsonl", "thesis.doc"])("with a file %s is refused and left alone", (name) => {
    const folder = newFolder();
    writeFileSync(join(folder, name), "mine\n");
    expect(() => createResultFolder(folder, "load")).toThrow(
      `Cannot write results to ${folder}: it is not empty. Name a new folder with --out`,
    );
    expect(wholeLines(join(folder, name))).toEqual(["mine"]);
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("is one run's alone", () => {
    const folder = newFolder();
    createResultFolder(folder, "load");
    expect(() => createResultFolder(folder, "load")).toThrow("it is not empty");
  });

  test("that cannot be made is refused with the reason", () => {
    const file = newFile("file");
    expect(() => createResultFolder(join(file, "below"), "load")).toThrow(
      "a part of this path is a file. Name a new or empty folder with --out",
    );
    expect(() => createResultFolder(file, "load")).toThrow(
      `Cannot write results to ${file}: it is a file, and results are written to a folder. Name a new or empty folder`,
    );
    expect(wholeLines(file)).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")("on a file system that takes no folder is refused", () => {
    for (const folder of ["/proc/assay", "/proc/assay/below"]) {
      expect(() => createResultFolder(folder, "load")).toThrow(
        `Cannot write results to ${folder}: there is no such file or folder`,
      );
    }
  });
});

describe("a result folder that is not named", () => {
  const cwd = process.cwd();
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 18, 0, 5) });
    process.chdir(newFolder());
  });
  afterEach(() => {
    vi.useRealTimers();
    process.chdir(cwd);
  });

  test("is a new one for each of several runs in one second", () => {
    const names = [1, 2, 3].map(() => basename(createResultFolder(undefined, "chat")));
    expect(names).toEqual(["chat-2026-11-21-180005", "chat-2026-11-21-180005-2", "chat-2026-11-21-180005-3"]);
  });

  test("is refused where a file has the place of all of them", () => {
    writeFileSync("out", "");
    expect(() => createResultFolder(undefined, "chat")).toThrow(`${join(process.cwd(), "out")}: it is a file`);
  });

  test("leaves one that exists alone, even an empty one", () => {
    mkdirSync(join("out", "chat-2026-11-21-180005"), { recursive: true });
    expect(basename(createResultFolder(undefined, "chat"))).toBe("chat-2026-11-21-180005-2");
  });
});

test("a report takes the place of a link, and nothing is written through one", () => {
  const [folder, outside] = [newFolder(), join(newFolder(), "outside")];
  writeFileSync(outside, "before");
  for (const name of ["run.json", `run.json.${process.pid}.tmp`]) symlinkSync(outside, join(folder, name));
  writeWhole(folder, "run.json", "report");
  expect([readFileSync(outside, "utf8"), readFileSync(join(folder, "run.json"), "utf8")]).toEqual(["before", "report"]);
});
