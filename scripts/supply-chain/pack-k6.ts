/**
 * `npm run pack:k6 [-- --out FOLDER] [PLATFORM…]`: builds k6 for platforms such as linux-x64, all by default, and packs each as an
 * npm package, with the package of its source. Prints size and SHA-256 of each. The same commit gives the same files.
 */

import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { notify, print } from "../cli/console.mjs";
import { sha256Of } from "../toolchain/find-k6.mjs";
import { PLATFORMS } from "../toolchain/platform-package.mjs";
import { packK6 } from "./k6-packages.ts";

const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
const known = new Map(PLATFORMS.map((platform) => [`${platform.os}-${platform.cpu}`, platform]));
const chosen = positionals.length > 0 ? positionals : [...known.keys()];
const unknown = chosen.filter((name) => !known.has(name));

if (unknown.length > 0) {
  notify(`Cannot pack k6 for ${unknown.join(", ")}: name some of ${[...known.keys()].join(", ")}.`);
  process.exitCode = 3;
} else {
  const platforms = chosen.flatMap((name) => known.get(name) ?? []);
  for (const { file } of packK6(platforms, values.out ?? "out/packages"))
    print(`${sha256Of(file)}  ${(statSync(file).size / 1e6).toFixed(1).padStart(5)} MB  ${file}\n`);
}
