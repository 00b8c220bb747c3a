/** Tests leave no folders behind. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import configuration from "../../vitest.config.ts";
import { newFolder, removeFolders } from "../support/commands/assay-process.ts";
import { filesIn, isTest, SHIPPED, textOf } from "../support/pages/source-files.ts";

test("the folders of a test file are removed when it ends", () => {
  const folders = [newFolder(), newFolder()];
  for (const folder of folders) writeFileSync(join(folder, "file"), "");
  removeFolders();
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
});

test("every test of ours runs with that", () => {
  const projects = configuration.test?.projects?.flatMap((project) =>
    typeof project === "object" && "test" in project ? project.test : [],
  );
  const without = projects?.filter((project) => !project?.setupFiles?.includes("tests/support/around-file.ts"));
  expect(without?.map((project) => project?.name)).toEqual(["conformance"]);
});

test("a test that makes a temporary folder of another kind removes it", () => {
  const files = filesIn([...SHIPPED, "tests"]).filter((file) => isTest(file) && !file.includes("temporary-folders"));
  const texts = files.map((file) => ({ file, text: textOf(file) }));
  const making = texts.filter(({ text }) => text.includes("mkdtemp"));
  expect(making.filter(({ text }) => !/\brm(Sync)?\(/.test(text)).map(({ file }) => file)).toEqual([]);
});
