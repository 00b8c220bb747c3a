/** The npm packages with the built k6, one per platform, and the one with its source. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import { EXTENSION, sha256Of } from "../../toolchain/find-k6.mjs";
import {
  GO_BUILD,
  GO_ENVIRONMENT,
  type Platform,
  packageOf,
  programOf,
  SOURCE_PACKAGE,
} from "../../toolchain/platform-package.mjs";
import { licencesOf } from "./components.ts";
import { type BuildFacts, buildFacts, modificationNotice, writeManifest, writeSource } from "./k6-source.ts";

/** A file to publish. */
export interface Packed {
  readonly name: string;
  readonly file: string;
}

/**
 * Builds k6 for platforms and packs it, each with its licence and notices, and the source of all.
 * @param folder takes the files; it is made where it is missing
 * @returns the packages, in the order of publishing: the source first, so that no k6 is ever without
 * @throws Error of git, go or npm
 */
export function packK6(platforms: readonly Platform[], folder: string): readonly Packed[] {
  const facts = buildFacts();
  const work = mkdtempSync(join(tmpdir(), "assay-k6-"));
  mkdirSync(folder, { recursive: true });
  try {
    const source = join(work, "source");
    writeSource(source, facts);
    const packed = [{ name: SOURCE_PACKAGE, file: npmPack(source, folder) }];
    for (const platform of platforms) {
      const made = join(work, packageOf(platform));
      writePlatform(platform, { source, folder: made, facts });
      packed.push({ name: packageOf(platform), file: npmPack(made, folder) });
    }
    return packed;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Packs what npm would publish of a folder, and returns the path of the file. */
export function npmPack(from: string, to: string): string {
  const printed = execFileSync("npm", ["pack", "--silent", "--pack-destination", resolve(to)], {
    cwd: from,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  return join(to, printed.trim().split("\n").at(-1) ?? "");
}

interface PlatformBuild {
  /** The unpacked source. */
  readonly source: string;
  readonly folder: string;
  readonly facts: BuildFacts;
}

function writePlatform(platform: Platform, { source, folder, facts }: PlatformBuild): void {
  const { os, cpu } = platform;
  const program = join(folder, programOf(os));
  const env = { ...goEnvironment(platform), GOPROXY: "off" };
  execFileSync("go", [...GO_BUILD, "-mod=vendor", "-o", program, "."], { cwd: source, env });
  writeFileSync(
    join(folder, "README.md"),
    `# k6 with Assay's extension, for ${os} ${cpu}\n\n${modificationNotice(facts)}`,
  );
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES"), notices(source, env));
  cpSync(join(EXTENSION, "LICENSE"), join(folder, "LICENSE"));
  writeManifest(folder, {
    name: packageOf(platform),
    description: `k6 with Assay's extension, for ${os} ${cpu}`,
    os: [os],
    cpu: [cpu],
    // A program that Yarn would keep in a zip file cannot be started.
    preferUnplugged: true,
    assay: { ...facts, sha256: sha256Of(program) },
  });
}

const GO_ARCH: Readonly<Record<string, string>> = { x64: "amd64" };
const GO_OS: Readonly<Record<string, string>> = { win32: "windows" };

/** Lets Go compile for a platform. */
export const goEnvironment = ({ os, cpu }: Platform): NodeJS.ProcessEnv => ({
  ...toolEnvironment(),
  ...GO_ENVIRONMENT,
  GOOS: GO_OS[os] ?? os,
  GOARCH: GO_ARCH[cpu] ?? cpu,
});

const Module = z.object({ path: z.string(), version: z.string() });

/** Files in which a module states its licence, its authors, or what they ask to be passed on. */
const NOTICE_FILE = /^(?:licen[cs]e|copying|copyright|notice|patents|authors)(?:[.-]|$)/i;

/**
 * The licences and notices of Go and of every module that is compiled for a platform.
 * @throws Error for a module without any
 */
function notices(source: string, env: NodeJS.ProcessEnv): string {
  const go = (...args: string[]): string => execFileSync("go", args, { cwd: source, env, encoding: "utf8" }).trim();
  const format = '{{with .Module}}{{if not .Main}}{"path":"{{.Path}}","version":"{{.Version}}"}{{end}}{{end}}';
  const lines = new Set(go("list", "-mod=vendor", "-deps", "-f", format, ".").split("\n"));
  const modules = [...lines].filter((line) => line !== "").map((line) => Module.parse(JSON.parse(line)));
  const root = go("env", "GOROOT");
  const std = noticeTexts(
    root,
    readdirSync(root).filter((name) => NOTICE_FILE.test(name)),
  );
  return [`Go's standard library ${go("env", "GOVERSION")}\n\n${std}`, ...modules.map((each) => noticeOf(each, source))]
    .join(`\n${"=".repeat(80)}\n\n`)
    .replaceAll("\r\n", "\n");
}

function noticeOf({ path, version }: z.infer<typeof Module>, source: string): string {
  const folder = join(source, "vendor", path);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => NOTICE_FILE.test(file.replace(/^.*[/\\]/, "")) && !file.endsWith(".go"),
  );
  const [licence] = licencesOf(path, []);
  if (files.length === 0 && licence === undefined) throw new Error(`Cannot find the licence of ${path} ${version}.`);
  const text = files.length === 0 ? `Licence: ${licence}\n` : noticeTexts(folder, files);
  return `${path} ${version}\n\n${text}`;
}

const noticeTexts = (folder: string, files: readonly string[]): string =>
  [...files]
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trimEnd())
    .join("\n\n")
    .concat("\n");
