/** Prints the coverage page of the specification as Markdown: `npm run coverage:contract`. */

import { print } from "../../cli/console.mjs";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { LEDGER } from "../../contract/ledger.ts";
import { coveragePage } from "./coverage-page.ts";

print(coveragePage(LEDGER, await loadClauses()));
