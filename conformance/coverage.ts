/** Prints the coverage page of the specification as Markdown: `npm run coverage:contract`. */

import { LEDGER } from "../contract/ledger.ts";
import { loadClauses } from "./engine/load-clauses.ts";
import { coveragePage } from "./model/coverage-page.ts";

process.stdout.write(coveragePage(LEDGER, await loadClauses()));
