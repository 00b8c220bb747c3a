import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { configurationPage } from "./configuration-page.ts";

test("the page of all settings in docs is the one that the command prints", async () => {
  const page = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configurationPage());
});
