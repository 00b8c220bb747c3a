import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { cataloguePage } from "./catalogue-page.ts";
import { loadBehaviours, loadFaults } from "./variants/load-variants.ts";

const [behaviours, faults] = [await loadBehaviours(), await loadFaults()];

it("the page of the catalogue in docs is the one that the command prints", async () => {
  const page = await readFile(new URL("../docs/mock-catalogue.md", import.meta.url), "utf8");
  expect(page).toBe(cataloguePage(behaviours, faults));
});

it("there are enough of both, and no name stands for two things", () => {
  expect(faults.length).toBeGreaterThanOrEqual(100);
  expect(behaviours.length).toBeGreaterThanOrEqual(41);
  const names = [...behaviours, ...faults].map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
