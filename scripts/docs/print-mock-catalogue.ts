/** Prints the page of the mock's catalogue: `npm run --silent catalogue:mock > docs/mock-catalogue.md`. */

import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { mockCataloguePage } from "./mock-catalogue-page.ts";

process.stdout.write(mockCataloguePage(await loadClauses()));
