/** The npm packages that carry the built k6, one per platform, and how that k6 is built. Plain Node, no dependency. */

import { PACKAGE } from "../cli/tool.mjs";

const scope = PACKAGE.slice(0, PACKAGE.indexOf("/"));

/**
 * A system and a processor, as Node, npm and `os` and `cpu` in package.json call them.
 * @typedef {{ os: string, cpu: string }} Platform
 */

/** @type {readonly Platform[]} */
export const PLATFORMS = ["linux", "darwin", "win32"].flatMap((os) => ["x64", "arm64"].map((cpu) => ({ os, cpu })));

/** @type {Platform} */
export const THIS_PLATFORM = { os: process.platform, cpu: process.arch };

export const packageOf = (/** @type {Platform} */ { os, cpu }) => `${scope}/k6-${os}-${cpu}`;

/** The npm package with the complete source of the k6 in all platform packages. */
export const SOURCE_PACKAGE = `${scope}/k6-source`;

/** Path of k6 in a platform package. */
export const programOf = (/** @type {string} */ os) => `bin/k6${os === "win32" ? ".exe" : ""}`;

/**
 * How k6 is built: linked statically, without symbols, and the same from the same sources on every machine. The environment
 * takes the place of a user's flags.
 */
export const GO_BUILD = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="];
export const GO_ENVIRONMENT = { CGO_ENABLED: "0", GOFLAGS: "" };
