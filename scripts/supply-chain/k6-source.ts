/**
 * The complete corresponding source of k6 with Assay's extension, as the AGPL calls it: the extension, k6 and all modules at
 * their versions, and how to build them. It is an npm package, published where those with the built k6 are.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { VERSION } from "../../cli/tool.mjs";
import { buildVersion, EXTENSION, GO_HINT, goVersion, sourcesHash } from "../../toolchain/find-k6.mjs";
import { GO_BUILD, GO_ENVIRONMENT, SOURCE_PACKAGE } from "../../toolchain/platform-package.mjs";
import { ROOT } from "./components.ts";

/** What a built k6 consists of. */
export interface BuildFacts {
  /** Version of k6 that was modified. */
  readonly k6: string;
  readonly go: string;
  /** Last commit of the extension, and its date. */
  readonly commit: string;
  readonly date: string;
  /** Hash of the extension's sources and of how they are built. */
  readonly sources: string;
}

const git = (...args: string[]): string => execFileSync("git", args, { cwd: EXTENSION, encoding: "utf8" }).trim();

/** @throws Error of git or go */
export function buildFacts(): BuildFacts {
  const go = goVersion();
  if (go === null) throw new Error(`Cannot build k6: there is no go on PATH. ${GO_HINT}.`);
  const [commit = "", date = ""] = git("log", "-1", "--format=%H %cs", "--", ".").split(" ");
  const isChanged = git("status", "--porcelain", "--", ".") !== "";
  const suffix = isChanged ? ", with changes that are not committed" : "";
  return {
    k6: buildVersion(EXTENSION),
    go,
    commit: `${commit}${suffix}`,
    date,
    sources: sourcesHash(EXTENSION),
  };
}

/** The sentences that say what was modified, under which licence, and where the source is. */
export const modificationNotice = ({ k6, go, commit, date, sources }: BuildFacts): string =>
  `This is k6 v${k6} (https://github.com/grafana/k6), modified: Assay added a streaming client, an arrival pacer and two outputs.
Last modified on ${date}: commit ${commit} of the extension, SHA-256 of its sources ${sources}. Compiled with ${go}.

k6 and the extension are licensed under the GNU Affero General Public License, version 3 only (LICENSE), without any warranty.
Their complete corresponding source, with all modules and the script that builds this program offline, is the npm package
${SOURCE_PACKAGE}@${VERSION}, which \`npm pack ${SOURCE_PACKAGE}@${VERSION}\` downloads.
`;

/** The script that builds the k6 of a platform package from its source, without network. */
const buildScript = ({ go }: BuildFacts): string => `#!/bin/sh
# Builds k6 with Assay's extension, offline: sh build.sh. GOOS and GOARCH choose another platform.
# ${go} gives the same bytes as the published program.
set -eu
cd "$(dirname "$0")"
export ${Object.entries(GO_ENVIRONMENT)
  .map(([name, value]) => `${name}="${value}"`)
  .join(" ")} GOTOOLCHAIN=local GOPROXY=off
go ${GO_BUILD.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")} -mod=vendor -o "\${1:-k6}" .
`;

/** Files that npm would not pack, or would obey. */
const LEFT_OUT = [".gitignore", ".npmignore"];

/**
 * Writes the source package.
 * @param folder an empty folder
 * @throws Error of go, which downloads modules that are missing
 */
export function writeSource(folder: string, facts: BuildFacts): void {
  const listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  for (const file of listed.filter((name) => name !== "" && existsSync(join(EXTENSION, name))))
    cpSync(join(EXTENSION, file), join(folder, file));
  execFileSync("go", ["mod", "vendor"], { cwd: folder, env: { ...process.env, ...GO_ENVIRONMENT } });
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (LEFT_OUT.some((name) => file.endsWith(name))) rmSync(join(folder, file));
  writeFileSync(join(folder, "build.sh"), buildScript(facts), { mode: 0o755 });
  writeFileSync(join(folder, "NOTICE"), modificationNotice(facts));
  writeManifest(folder, {
    name: SOURCE_PACKAGE,
    description: "Complete corresponding source of k6 with Assay's extension",
  });
}

const Origin = z.object({ repository: z.unknown().optional() });

/** Where the packages are from, as npm compares it with their provenance: the same in each. */
export const originOf = (manifest: string): z.infer<typeof Origin> => Origin.parse(JSON.parse(manifest));

/** Writes the package.json of a package with k6. */
export function writeManifest(folder: string, own: Readonly<Record<string, unknown>>): void {
  const origin = originOf(readFileSync(join(ROOT, "package.json"), "utf8"));
  const manifest = { ...own, version: VERSION, license: "AGPL-3.0-only", ...origin };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
