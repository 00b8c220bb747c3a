/** Starts the process that passes traffic on, which needs what loads TypeScript. */

import { importEntry } from "../../toolchain/import-entry.mjs";

await importEntry("runs/proxy/forward-traffic.ts");
