/** The source files of the repository, for tests that hold all of them to a rule. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const manifest = z.object({ files: z.array(z.string()) });

/** Folders of code that is published, as package.json lists them. */
export const SHIPPED: readonly string[] = manifest
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")))
  .files.filter((entry) => /^[\w-]+$/.test(entry) && entry !== "LICENSE");

/** Paths of all files of TypeScript and JavaScript in folders, tests and test data among them. */
export const filesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => /\.(ts|mjs|cjs|js)$/.test(file) && !file.includes("/node_modules/")),
  );

export const isTest = (file: string): boolean => file.endsWith(".test.ts");

/** Paths of the source files in folders: without tests and test data. */
export const sourcesIn = (folders: readonly string[]): string[] =>
  filesIn(folders).filter((file) => !isTest(file) && !/\/(?:golden|testdata)\//.test(file));

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** Paths of the pages that users read. */
export const pages = (): string[] => [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
