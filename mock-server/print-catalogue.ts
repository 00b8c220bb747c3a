/** Prints the page of the mock's catalogue: `npm run --silent catalogue:mock > docs/mock-catalogue.md`. */

import { cataloguePage } from "./catalogue-page.ts";
import { loadBehaviours, loadFaults } from "./variants/load-variants.ts";

process.stdout.write(cataloguePage(await loadBehaviours(), await loadFaults()));
