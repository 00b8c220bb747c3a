/**
 * Finds or builds the k6 that carries Assay's extension. Plain Node, no dependency.
 *
 * Order: `ASSAY_K6`, a cached build, a build with the Go toolchain, a stock `k6` on PATH.
 */

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { showStep } from "../cli/console.mjs";
import { toolEnvironment } from "../cli/tool-environment.mjs";
import { GO_BUILD, GO_ENVIRONMENT } from "./platform-package.mjs";

const EXTENSION_MODULE = "k6/x/assay";
const KEPT_BUILDS = 6;

/**
 * A k6 binary: `assay` has the extension, `stock` does not.
 * @typedef {{ path: string, kind: "assay" | "stock", version: string, origin: string }} K6
 */

/**
 * The k6 to run, built if necessary.
 * @param {string} extension folder of the extension's Go sources
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<K6>}
 * @throws Error that lists everything that was tried
 */
export async function ensureK6(extension, env = process.env) {
  /** @type {string[]} */
  const tried = [];
  const found =
    fromVariable(env, tried) ??
    fromCache(extension, env, tried) ??
    (await fromGo(extension, env, tried)) ??
    fromPath(env, tried);
  if (found) return found;
  throw new Error(
    [
      "Cannot find or build k6 with Assay's extension. Tried, in this order:",
      ...tried.map((line) => `  - ${line}`),
      "Install Go 1.26 or newer (https://go.dev/dl) and run this again, or set ASSAY_K6 to a k6 that has the extension.",
    ].join("\n"),
  );
}

/**
 * The k6 that is available without a build; null when a build would be needed.
 * @param {string} extension folder of the extension's Go sources
 * @param {NodeJS.ProcessEnv} env
 * @returns {K6 | null}
 */
export function findK6(extension, env = process.env) {
  return fromVariable(env, []) ?? fromCache(extension, env, []) ?? fromPath(env, []);
}

/** @returns {K6 | null} */
function fromVariable(/** @type {NodeJS.ProcessEnv} */ env, /** @type {string[]} */ tried) {
  const path = env.ASSAY_K6;
  if (!path) {
    tried.push("ASSAY_K6: not set");
    return null;
  }
  const k6 = inspect(path, "ASSAY_K6");
  if (!k6)
    throw new Error(
      `Cannot use ASSAY_K6=${path}: "${path} version" did not print the version of k6. Set it to a k6 binary or unset it.`,
    );
  return k6;
}

/** @returns {K6 | null} */
function fromCache(
  /** @type {string} */ extension,
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {string[]} */ tried,
) {
  const folder = cacheFolder(env);
  const prefix = buildPrefix(extension);
  const go = goVersion(env);
  const builds = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.startsWith(prefix) && !name.endsWith(".tmp"))
    : [];
  const build = go === null ? builds[0] : builds.find((name) => name === buildName(prefix, go));
  if (build !== undefined) {
    const path = join(folder, build);
    return { path, kind: "assay", version: buildVersion(extension), origin: "cached build" };
  }
  tried.push(`cached build: none of these sources in ${folder}`);
  return null;
}

/** @returns {Promise<K6 | null>} */
async function fromGo(
  /** @type {string} */ extension,
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {string[]} */ tried,
) {
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
  return { path, kind: "assay", version: buildVersion(extension), origin: "built now" };
}

/** @returns {K6 | null} */
function fromPath(/** @type {NodeJS.ProcessEnv} */ env, /** @type {string[]} */ tried) {
  const path = onPath("k6", env);
  const k6 = path === null ? null : inspect(path, "PATH");
  if (!k6) tried.push("stock k6: no k6 on PATH");
  return k6;
}

/** @returns {K6 | null} */
function inspect(/** @type {string} */ path, /** @type {string} */ origin) {
  const { status, stdout } = spawnSync(path, ["version"], {
    env: toolEnvironment(),
    encoding: "utf8",
    timeout: 20_000,
  });
  const version = /^k6\S* v?(\S+)/m.exec(stdout ?? "")?.[1];
  if (status !== 0 || version === undefined) return null;
  return { path, kind: stdout.includes(EXTENSION_MODULE) ? "assay" : "stock", version, origin };
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

/** Keeps the newest builds only; each is about 47 MB. */
function prune(/** @type {string} */ folder) {
  const builds = readdirSync(folder)
    .filter((name) => name.startsWith("k6-"))
    .map((name) => ({ path: join(folder, name), used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { force: true });
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
    .filter((file) => /(?:\.go|\.s|^go\.mod|^go\.sum)$/.test(file) && !file.endsWith("_test.go"))
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

/** Such as `go1.26.8`; null without Go. */
export function goVersion(/** @type {NodeJS.ProcessEnv} */ env = process.env) {
  if (onPath("go", env) === null) return null;
  const { status, stdout } = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8", env: toolEnvironment(env) });
  return status === 0 ? stdout.trim() : null;
}

function onPath(/** @type {string} */ program, /** @type {NodeJS.ProcessEnv} */ env) {
  const names = process.platform === "win32" ? [`${program}.exe`, `${program}.cmd`] : [program];
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        if (statSync(path).isFile()) return path;
      } catch {
        // not in this folder
      }
    }
  }
  return null;
}
