import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { mockCataloguePage } from "./mock-catalogue-page.ts";

it("docs/mock-catalogue.md is the page that the command prints", async () => {
  const page = await readFile(new URL("../../docs/mock-catalogue.md", import.meta.url), "utf8");
  expect(page).toBe(mockCataloguePage(await loadClauses()));
});
