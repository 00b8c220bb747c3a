/** Prints the coverage page of the document as Markdown: `npm run coverage:contract`. */

import { LEDGER } from "../contract/ledger.ts";
import { loadFaults } from "../mock-server/catalogue.ts";
import { loadClauses } from "./catalogue.ts";
import { coveragePage } from "./coverage-page.ts";

const faults = new Set((await loadFaults()).map(({ name }) => name));
process.stdout.write(coveragePage(LEDGER, await loadClauses(), faults));
