/** Where the program is: in a checkout, or installed as a package. Plain Node. */

import { existsSync } from "node:fs";

/** The folder of the program. */
export const ROOT = new URL("../", import.meta.url);

/** The compiled TypeScript of a package: `ENTRIES`, with all that they import in common files, and the types of scenarios. */
export const COMPILED = new URL("compiled/", ROOT);

/** The TypeScript that plain Node imports (`import-entry.mjs`). */
export const ENTRIES = [
  "cli/program.ts",
  "runs/load/count-words.ts",
  "runs/proxy/check-traffic.ts",
  "runs/proxy/forward-traffic.ts",
];

/** Whether this is an installed package: a checkout has a lockfile, which npm leaves out of packages, and may have old compiled files. */
export const isInstalled = () => existsSync(COMPILED) && !existsSync(new URL("package-lock.json", ROOT));
