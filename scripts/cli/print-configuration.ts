/** Prints the page of all settings: `npm run --silent configuration > docs/configuration.md`. */

import { configurationPage } from "./configuration-page.ts";

process.stdout.write(configurationPage());
