/** Name and version of this program, as results carry them. Plain Node, no dependency. */

import { readFileSync } from "node:fs";

/** @type {{ name: string, version: string }} */
const { name, version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The npm package of Assay. */
export const PACKAGE = name;

/** The version of all packages, which are published together. */
export const VERSION = version;

export const TOOL = `assay ${VERSION}`;
