/**
 * `npm run release -- --dry-run [--out FOLDER] [PLATFORM…]`: makes everything that is published, for platforms such as linux-x64, all by
 * default: the packages, the bills of materials, the changelog, and SHA256SUMS, which lists the packages first, in the order of
 * publishing. It installs them in an empty folder and runs the demo there. Without `--dry-run` it then publishes them.
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { notify, print } from "../../cli/console.mjs";
import { VERSION } from "../../cli/tool.mjs";
import { EXTENSION, sha256Of } from "../../toolchain/find-k6.mjs";
import { PLATFORMS, THIS_PLATFORM } from "../../toolchain/platform-package.mjs";
import { packRelease, sumsOf } from "./assay-package.ts";
import { ROOT } from "./components.ts";
import { goEnvironment } from "./k6-packages.ts";
import { originOf } from "./k6-source.ts";
import { verifyRelease } from "./verify-release.ts";

const { values, positionals } = parseArgs({
  options: { out: { type: "string", default: "out/release" }, "dry-run": { type: "boolean", default: false } },
  allowPositionals: true,
});
const known = new Map(PLATFORMS.map((platform) => [`${platform.os}-${platform.cpu}`, platform]));
const chosen = positionals.length > 0 ? positionals : [...known.keys()];
const out = resolve(values.out);

function problem(): string | undefined {
  const unknown = chosen.filter((name) => !known.has(name));
  if (unknown.length > 0)
    return `${unknown.join(", ")} is not a platform: name some of ${[...known.keys()].join(", ")}`;
  if (existsSync(out) && readdirSync(out).length > 0) return `${values.out} holds files: name a new folder with --out`;
  if (!values["dry-run"] && chosen.length < known.size) return "a part of the platforms is for --dry-run only";
  return values["dry-run"] ? undefined : notReady();
}

/** What a version that is published has, and one that is tried may lack. */
function notReady(): string | undefined {
  const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");
  if (originOf(textOf("package.json")).repository === undefined)
    return "package.json names no repository, with which npm compares the provenance of a package: npm pkg set repository.url=git+https://HOST/NAME.git";
  if (!textOf("CHANGELOG.md").includes(`\n## ${VERSION}\n`))
    return `CHANGELOG.md has no part ${VERSION}: give what is unreleased its version`;
  return undefined;
}

function release(): void {
  const platforms = chosen.flatMap((name) => known.get(name) ?? []);
  // Of most platforms this machine can run nothing.
  for (const platform of platforms)
    execFileSync("go", ["vet", "-trimpath", "./..."], {
      cwd: EXTENSION,
      env: goEnvironment(platform),
      stdio: "inherit",
    });
  const packed = packRelease(platforms, out).map(({ file }) => file);
  for (const file of packed)
    print(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${sha256Of(file)}  ${basename(file)}\n`);
  // It fails when a licence is not allowed.
  execFileSync("npm", ["run", "--silent", "sbom", "--", out], { cwd: ROOT, stdio: "inherit" });
  copyFileSync(join(ROOT, "CHANGELOG.md"), join(out, "CHANGELOG.md"));
  const others = readdirSync(out).filter((name) => /\.(?:json|md)$/.test(name));
  appendFileSync(join(out, "SHA256SUMS"), sumsOf(others.sort().map((name) => join(out, name))));
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
