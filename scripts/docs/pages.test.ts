/** The generated pages of docs/; `npm run docs` writes them, otherwise a page that is out of date fails. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { reliabilityPage } from "../../tests/faults/reliability-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { withDefinitions } from "./metrics-page.ts";
import { mockCataloguePage } from "./mock-catalogue-page.ts";
import { scalePage } from "./scale-page.ts";
import { withTables } from "./tables-section.ts";

const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  configuration: configurationPage,
  conformance: async () =>
    conformancePage(readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8"), await loadClauses()),
  "file-formats": () => withTables(readFileSync(new URL("../../docs/file-formats.md", import.meta.url), "utf8")),
  metrics: () => withDefinitions(readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8")),
  reliability: reliabilityPage,
  scale: scalePage,
  "mock-catalogue": async () => mockCataloguePage(await loadClauses()),
};

test.each(Object.entries(PAGES))("docs/%s.md", async (name, page) => {
  await expect(await page()).toMatchFileSnapshot(`../../docs/${name}.md`);
});
