/** Where the program is: in a checkout, whose TypeScript tsx compiles, or installed as a package, which has it compiled. Plain Node. */

import { existsSync } from "node:fs";

/** The folder of the program. */
export const ROOT = new URL("../../", import.meta.url);

/** The compiled TypeScript of a package, a `.js` for each `.ts`, in the same folders. */
export const COMPILED = new URL("compiled/", ROOT);

/**
 * Packages that are bundled into the compiled ones, by what is imported of them, with what is used: whole, they and what they
 * depend on take three times the space of all others.
 * @type {Readonly<Record<string, { file: string, exports: string }>>}
 */
export const BUNDLED = {
  "echarts/dist/echarts.esm.min": { file: "packages/echarts.js", exports: "*" },
  mockttp: { file: "packages/mockttp.js", exports: "{ generateCACertificate, getLocal }" },
};

/** Whether this is an installed package: a checkout has a lockfile, which npm leaves out of packages, and may have old compiled files. */
export const isInstalled = () => existsSync(COMPILED) && !existsSync(new URL("package-lock.json", ROOT));
