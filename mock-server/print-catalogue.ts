/** Prints the page of the mock's catalogue: `npm run --silent catalogue:mock > docs/mock-catalogue.md`. */

import { loadBehaviours, loadFaults } from "./catalogue.ts";
import { cataloguePage } from "./catalogue-page.ts";

process.stdout.write(cataloguePage(await loadBehaviours(), await loadFaults()));
