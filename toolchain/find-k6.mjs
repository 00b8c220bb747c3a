/**
 * Finds or builds the k6 that carries Assay's extension. Plain Node, no dependency.
 *
 * Order: `ASSAY_K6`, the platform package of an installed Assay, a cached build, a build with the Go toolchain.
 */

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { showStep } from "../cli/console.mjs";
import { VERSION } from "../cli/tool.mjs";
import { toolEnvironment } from "../cli/tool-environment.mjs";
import { isInstalled, ROOT } from "./installed.mjs";
import {
  GO_BUILD,
  GO_ENVIRONMENT,
  PLATFORMS,
  packageOf,
  programOf,
  SOURCE_PACKAGE,
  THIS_PLATFORM,
} from "./platform-package.mjs";

const EXTENSION_MODULE = "k6/x/assay";
const KEPT_BUILDS = 6;
const KEPT_DAYS = 7;

/**
 * A k6 with the extension.
 * @typedef {{ path: string, version: string, origin: string }} K6
 */

/**
 * What finding one depends on, which tests replace.
 * @typedef {{ extension?: string, env?: NodeJS.ProcessEnv, resolvePackage?: (name: string) => string | undefined }} Place
 */

/** Folder of the Go sources that are compiled into k6, in a checkout; another package has them for an installed Assay. */
export const EXTENSION = fileURLToPath(new URL("extension", ROOT));

/** How to get what Assay builds k6 with. */
export const GO_HINT = `Install Go 1.26 or newer (https://go.dev/dl)${
  isInstalled() ? ` and ${SOURCE_PACKAGE}@${VERSION}` : ""
}, with which Assay builds its own k6`;

/**
 * The k6 to run, built if necessary.
 * @param {Place} place
 * @returns {Promise<K6>}
 * @throws Error that lists everything that was tried
 */
export async function ensureK6(place = {}) {
  /** @type {string[]} */
  const tried = [];
  const found = findK6(place, tried) ?? (await fromGo(place, tried));
  if (found) return found;
  throw new Error(
    [
      "Cannot find or build k6 with Assay's extension. Tried, in this order:",
      ...tried.map((line) => `  - ${line}`),
      `${GO_HINT}, and run this again, or set ASSAY_K6 to a k6 that Assay built.`,
    ].join("\n"),
  );
}

/**
 * The k6 that is available without a build; null when a build would be needed.
 * @param {Place} place
 * @param {string[]} tried takes a line for each place without one
 * @returns {K6 | null}
 * @throws Error when ASSAY_K6 names none, and when the platform package is damaged
 */
export const findK6 = (place = {}, tried = []) =>
  fromVariable(place, tried) ?? fromPackage(place, tried) ?? fromCache(place, tried);

/** @returns {K6 | null} */
function fromVariable(/** @type {Place} */ { env = process.env }, /** @type {string[]} */ tried) {
  const path = env.ASSAY_K6;
  if (!path) {
    tried.push("ASSAY_K6: not set");
    return null;
  }
  const { status, stdout } = spawnSync(path, ["version"], {
    env: toolEnvironment(),
    encoding: "utf8",
    timeout: 20_000,
  });
  const version = /^k6\S* v?(\S+)/m.exec(stdout ?? "")?.[1];
  if (status === 0 && version !== undefined && stdout.includes(EXTENSION_MODULE))
    return { path, version, origin: "ASSAY_K6" };
  const observed =
    status !== 0 || version === undefined
      ? `"${path} version" did not print the version of k6`
      : `it is k6 ${version} without Assay's extension, which cannot measure when chunks arrive`;
  throw new Error(`Cannot use ASSAY_K6=${path}: ${observed}. Set it to a k6 that Assay built, or unset it.`);
}

/** Why npm can leave out an optional package of a platform, and what helps. */
const WHY_MISSING = [
  "npm leaves it out with --omit=optional or --no-optional",
  "when package-lock.json or node_modules was made on another platform (https://github.com/npm/cli/issues/4828)",
  "and when it could not be fetched (https://github.com/npm/cli/issues/8320)",
].join(", ");

/** @returns {K6 | null} */
function fromPackage(/** @type {Place} */ place, /** @type {string[]} */ tried) {
  const { resolvePackage = isInstalled() ? resolveInstalled : undefined } = place;
  if (resolvePackage === undefined) {
    tried.push("platform package: not used in a checkout, which builds k6 from its sources");
    return null;
  }
  const name = packageOf(THIS_PLATFORM);
  if (!PLATFORMS.some((platform) => packageOf(platform) === name)) {
    tried.push(`platform package: there is none for ${process.platform} ${process.arch}`);
    return null;
  }
  const manifest = resolvePackage(name);
  if (manifest === undefined) {
    const again = `Remove node_modules and package-lock.json and run npm install again, or run npm install ${name}@${VERSION}`;
    tried.push(`platform package: ${name} is not installed; ${WHY_MISSING}. ${again}`);
    return null;
  }
  const { version, assay } = JSON.parse(readFileSync(manifest, "utf8"));
  const advice = `Install ${name}@${VERSION} again`;
  if (version !== VERSION)
    throw new Error(`Cannot use ${name}: it has version ${version}, and Assay has ${VERSION}. ${advice}.`);
  const path = join(dirname(manifest), programOf(process.platform));
  const digest = existsSync(path) ? sha256Of(path) : "nothing: the file is missing";
  if (digest !== assay.sha256)
    throw new Error(`Cannot use ${path}: its SHA-256 is ${digest}, and should be ${assay.sha256}. ${advice}.`);
  return { path, version: assay.k6, origin: `${name} ${version}` };
}

/** Path of the package.json of a package that Assay depends on; undefined when it is not installed. */
function resolveInstalled(/** @type {string} */ name) {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

/**
 * Folder of the Go sources: those of the checkout, or of the source package, which the main package does not depend on.
 * @returns {string | null}
 */
function sourcesOf(/** @type {Place} */ { extension, resolvePackage = isInstalled() ? resolveInstalled : undefined }) {
  if (extension !== undefined || resolvePackage === undefined) return extension ?? EXTENSION;
  const manifest = resolvePackage(SOURCE_PACKAGE);
  return manifest !== undefined && JSON.parse(readFileSync(manifest, "utf8")).version === VERSION
    ? dirname(manifest)
    : null;
}

/** @returns {K6 | null} */
function fromCache(/** @type {Place} */ place, /** @type {string[]} */ tried) {
  const { env = process.env } = place;
  const extension = sourcesOf(place);
  if (extension === null) {
    tried.push(`cached build and Go toolchain: the sources, ${SOURCE_PACKAGE}@${VERSION}, are not installed`);
    return null;
  }
  const folder = cacheFolder(env);
  const prefix = buildPrefix(extension);
  const go = goVersion(env);
  const builds = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.startsWith(prefix) && !name.endsWith(".tmp"))
    : [];
  const build = go === null ? builds[0] : builds.find((name) => name === buildName(prefix, go));
  if (build !== undefined) {
    const path = join(folder, build);
    markUsed(path);
    return { path, version: buildVersion(extension), origin: "cached build" };
  }
  tried.push(`cached build: none of these sources in ${folder}`);
  return null;
}

/** @returns {Promise<K6 | null>} */
async function fromGo(/** @type {Place} */ place, /** @type {string[]} */ tried) {
  const { env = process.env } = place;
  const extension = sourcesOf(place);
  if (extension === null) return null;
  const go = goVersion(env);
  if (go === null) {
    tried.push("Go toolchain: no go on PATH");
    return null;
  }
  const folder = cacheFolder(env);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, buildName(buildPrefix(extension), go));
  const failure = await build(extension, path, env);
  if (failure !== null) {
    tried.push(`Go toolchain (${go}): "go build" in ${extension} failed: ${failure}`);
    return null;
  }
  prune(folder);
  return { path, version: buildVersion(extension), origin: "built now" };
}

/** Compiles into a temporary name and renames, so that a broken build is never found later; null or the reason. */
async function build(
  /** @type {string} */ extension,
  /** @type {string} */ path,
  /** @type {NodeJS.ProcessEnv} */ env,
) {
  const temporary = `${path}.${process.pid}.tmp`;
  let downloaded = 0;
  let compiled = 0;
  /** @type {string[]} */
  const errors = [];
  const progress = showStep("Building k6 with Assay's extension (go build, once)", () =>
    compiled > 0 ? `${compiled} packages compiled` : downloaded > 0 ? `${downloaded} modules downloaded` : "",
  );
  const child = spawn("go", [...GO_BUILD, "-v", "-o", temporary, "."], {
    cwd: extension,
    env: { ...toolEnvironment(env), ...GO_ENVIRONMENT },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.setEncoding("utf8");
  let rest = "";
  child.stderr.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("go: downloading")) downloaded++;
      else if (/^[\w.]+(\/[\w.~-]+)*$/.test(line)) compiled++;
      else errors.push(line);
    }
  });
  const failure = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) =>
      resolve(code === 0 ? null : `exit code ${code}; ${[...errors, rest].slice(-8).join(" / ").trim()}`),
    );
  });
  progress.done(failure === null ? "done" : "failed");
  if (failure === null) renameSync(temporary, path);
  else rmSync(temporary, { force: true });
  return failure;
}

/** Notes that something in the cache was used; nothing where the cache cannot be written to. */
export function markUsed(/** @type {string} */ path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // It is used all the same.
  }
}

/** Removes builds that were not used lately, of any checkout; each is about 47 MB. The last ones stay however old they are. */
function prune(/** @type {string} */ folder) {
  const builds = readdirSync(folder)
    .filter((name) => name.startsWith("k6-"))
    .map((name) => ({ path: join(folder, name), used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  const since = Date.now() - KEPT_DAYS * 86_400_000;
  for (const { path, used } of builds.slice(KEPT_BUILDS)) if (used < since) rmSync(path, { force: true });
}

/** The folder for what is kept between runs, in the user's cache. */
export function cacheFolder(/** @type {NodeJS.ProcessEnv} */ env) {
  const base =
    env.XDG_CACHE_HOME ||
    (process.platform === "win32" && env.LOCALAPPDATA) ||
    join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  return join(base, "assay");
}

/** Name of a build up to its Go version: system, processor and what it is built from. */
const buildPrefix = (/** @type {string} */ extension) =>
  `k6-${process.platform}-${process.arch}-${sourcesHash(extension).slice(0, 16)}`;

/** Hash of all that is compiled from this repository, and of how. */
export function sourcesHash(/** @type {string} */ extension) {
  const hash = createHash("sha256").update(GO_BUILD.join(" "));
  const sources = readdirSync(extension, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    // What the source package has of other modules, go.sum pins.
    .filter((file) => /(?:\.go|\.s|^go\.mod|^go\.sum)$/.test(file) && !/_test\.go$|^vendor\//.test(file))
    .sort();
  for (const file of sources)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(extension, file)))
      .update("\0");
  return hash.digest("hex");
}

/** SHA-256 of a file. */
export const sha256Of = (/** @type {string} */ file) => createHash("sha256").update(readFileSync(file)).digest("hex");

const buildName = (/** @type {string} */ prefix, /** @type {string} */ go) =>
  `${prefix}-${go}${process.platform === "win32" ? ".exe" : ""}`;

/** Version of k6 that the extension's go.mod names. */
export function buildVersion(/** @type {string} */ extension) {
  return /go\.k6\.io\/k6\/v2 v(\S+)/.exec(readFileSync(join(extension, "go.mod"), "utf8"))?.[1] ?? "unknown";
}

/** The Go with which k6 can be built here; null without it or without the sources. */
export const goForBuild = (/** @type {Place} */ place = {}) =>
  sourcesOf(place) === null ? null : goVersion(place.env);

/** Such as `go1.26.8`; null without Go. */
export function goVersion(/** @type {NodeJS.ProcessEnv} */ env = process.env) {
  const { status, stdout } = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8", env: toolEnvironment(env) });
  return status === 0 ? stdout.trim() : null;
}
