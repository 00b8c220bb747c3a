/** Starts the process that checks traffic, which needs what loads TypeScript. */

import { importEntry } from "../../toolchain/import-entry.mjs";

await importEntry("runs/proxy/check-traffic.ts");
