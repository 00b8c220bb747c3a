/** Tests leave no folders behind. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import configuration from "../../vitest.config.ts";
import { newFolder, removeFolders } from "../support/assay-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

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
  const without = projects?.filter((project) => !project?.setupFiles?.includes("tests/support/remove-folders.ts"));
  expect(without?.map((project) => project?.name)).toEqual(["conformance"]);
});

test("a test that makes a temporary folder of another kind removes it", () => {
  const files = ["conformance", "formats", "lib", "mock-server", "reports", "scenarios", "scripts", "settings", "tests"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(".test.ts") && !file.includes("temporary-folders"));
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const making = texts.filter(({ text }) => text.includes("mkdtemp"));
  expect(making.filter(({ text }) => !/\brm(Sync)?\(/.test(text)).map(({ file }) => file)).toEqual([]);
});
