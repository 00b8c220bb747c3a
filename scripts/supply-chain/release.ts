/**
 * `npm run release -- --dry-run [--out FOLDER] [PLATFORM…]`: makes everything that is published, for platforms such as linux-x64, all by
 * default: the packages, the bills of materials, and SHA256SUMS, which lists the packages in the order of publishing. It installs
 * them in an empty folder and runs the demo there. Without `--dry-run` it then publishes them.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { notify, print } from "../cli/console.mjs";
import { sha256Of } from "../toolchain/find-k6.mjs";
import { PLATFORMS, THIS_PLATFORM } from "../toolchain/platform-package.mjs";
import { packRelease } from "./assay-package.ts";
import { ROOT } from "./components.ts";
import { verifyRelease } from "./verify-release.ts";

const { values, positionals } = parseArgs({
  options: { out: { type: "string", default: "out/release" }, "dry-run": { type: "boolean", default: false } },
  allowPositionals: true,
});
const known = new Map(PLATFORMS.map((platform) => [`${platform.os}-${platform.cpu}`, platform]));
const chosen = positionals.length > 0 ? positionals : [...known.keys()];

function problem(): string | undefined {
  const unknown = chosen.filter((name) => !known.has(name));
  if (unknown.length > 0)
    return `${unknown.join(", ")} is not a platform: name some of ${[...known.keys()].join(", ")}`;
  if (existsSync(values.out) && readdirSync(values.out).length > 0)
    return `${values.out} holds files: name a new folder with --out`;
  if (!values["dry-run"] && chosen.length < known.size) return "a part of the platforms is for --dry-run only";
  return undefined;
}

function release(): void {
  const platforms = chosen.flatMap((name) => known.get(name) ?? []);
  const packed = packRelease(platforms, values.out).map(({ file }) => file);
  for (const file of packed)
    print(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${sha256Of(file)}  ${basename(file)}\n`);
  // It fails when a licence is not allowed.
  execFileSync("npm", ["run", "--silent", "sbom", "--", resolve(values.out)], { cwd: ROOT, stdio: "inherit" });
  const here = platforms.findIndex(({ os, cpu }) => os === THIS_PLATFORM.os && cpu === THIS_PLATFORM.cpu);
  // The source is the first file.
  const [k6, assay] = [here < 0 ? undefined : packed[here + 1], packed.at(-1)];
  if (k6 === undefined || assay === undefined) notify("Not verified: k6 for this platform is not among them.");
  else print(`installed in an empty folder, without Go: the demo runs, ${verifyRelease([k6, assay]).toFixed(0)} s\n`);
  if (values["dry-run"]) return;
  for (const file of packed)
    execFileSync("npm", ["publish", file, "--access", "public", "--provenance"], { stdio: "inherit" });
}

const refusal = problem();
if (refusal === undefined) release();
else {
  notify(`Cannot make a release: ${refusal}.`);
  process.exitCode = 3;
}
