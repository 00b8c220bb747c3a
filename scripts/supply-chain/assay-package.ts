/** The npm package of Assay itself, which depends on the packages with the built k6; and all packages of a release. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { VERSION } from "../../cli/tool.mjs";
import { sha256Of } from "../../toolchain/find-k6.mjs";
import { type Platform, packageOf } from "../../toolchain/platform-package.mjs";
import { ROOT } from "./components.ts";
import { npmPack, type Packed, packK6 } from "./k6-packages.ts";

/** Lines of SHA256SUMS. */
export const sumsOf = (files: readonly string[]): string =>
  files.map((file) => `${sha256Of(file)}  ${basename(file)}\n`).join("");

/**
 * Packs everything that is published, and writes SHA256SUMS, which lists it in the order of publishing.
 * @param folder takes the files; it is made where it is missing
 * @throws Error of git, go, npm or tar
 */
export function packRelease(platforms: readonly Platform[], folder: string): readonly Packed[] {
  // The source first, and Assay last, so that nothing published ever depends on what is not there yet.
  const packed = [...packK6(platforms, folder), packAssay(platforms, folder)];
  writeFileSync(join(folder, "SHA256SUMS"), sumsOf(packed.map(({ file }) => file)));
  return packed;
}

/** What a checkout has and a package does not need is left out. */
const Manifest = z.looseObject({ name: z.string(), scripts: z.unknown(), devDependencies: z.unknown() });

/**
 * Packs Assay. A checkout builds its own k6, so that only here its package gets those of platforms, in exact versions; npm installs
 * the one that fits.
 * @param folder takes the file
 * @throws Error of npm or tar
 */
function packAssay(platforms: readonly Platform[], folder: string): Packed {
  const work = mkdtempSync(join(tmpdir(), "assay-package-"));
  try {
    execFileSync("tar", ["-xzf", npmPack(ROOT, work), "-C", work]);
    const file = join(work, "package", "package.json");
    const { scripts, devDependencies, ...manifest } = Manifest.parse(JSON.parse(readFileSync(file, "utf8")));
    const optionalDependencies = Object.fromEntries(platforms.map((platform) => [packageOf(platform), VERSION]));
    writeFileSync(file, `${JSON.stringify({ ...manifest, optionalDependencies }, null, 2)}\n`);
    return { name: manifest.name, file: npmPack(join(work, "package"), folder) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
