/**
 * Imports the TypeScript of the program from plain Node. A package has it compiled. A checkout compiles it when a source has
 * changed, which takes a second or two, and keeps it in the user's cache: whoever writes to that folder decides what runs, so it is one
 * that only this user can write to. Where there is none, the sources are imported as they are, which takes that long at each start.
 * Plain Node.
 */

import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheFolder, markUsed } from "./find-k6.mjs";
import { COMPILED, isInstalled, ROOT } from "./installed.mjs";

/**
 * What a checkout was compiled to.
 * @typedef {{ folder: string, sources: readonly [path: string, changedMs: number, bytes: number][] }} Compiled
 */

/** What no process has begun with for so long is removed: one that still runs may load a part on demand. */
const KEPT_MS = 2 * 24 * 3_600_000;

/** Imports a module of the program. @param {string} path one of `ENTRIES` */
export async function importEntry(path) {
  const folder = isInstalled() ? COMPILED : await compiledCheckout();
  if (folder !== undefined) return import(new URL(path.replace(/\.ts$/, ".js"), folder).href);
  await import("./typescript.mjs");
  return import(new URL(path, ROOT).href);
}

/** The address of what this checkout is compiled to; undefined where that cannot be kept. */
async function compiledCheckout() {
  process.setSourceMapsEnabled(true);
  const cache = privateFolder(process.env);
  const folder = cache && (await compiledIn(cache).catch(() => undefined));
  return folder && pathToFileURL(`${folder}/`);
}

/** A folder in the user's cache that nobody else can write to; undefined when that cannot be had. */
function privateFolder(/** @type {NodeJS.ProcessEnv} */ env) {
  const folder = join(cacheFolder(env), "compiled");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}

async function compiledIn(/** @type {string} */ cache) {
  const name = createHash("sha256").update(ROOT.href).digest("hex").slice(0, 16);
  const list = join(cache, `${name}.json`);
  const known = read(list);
  if (known !== undefined && existsSync(known.folder) && known.sources.every(isUnchanged)) {
    markUsed(known.folder);
    return known.folder;
  }
  const begunMs = Date.now();
  const folder = join(cache, `${name}-${randomUUID()}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const { compileForCheckout } = await import("./compile.mjs");
  const paths = await compileForCheckout(folder).catch((error) => {
    remove();
    throw error;
  });
  const sources = [...paths, "package-lock.json"].map(sourceAt);
  if (sources.every((source) => source !== undefined && source[1] < begunMs)) {
    writeFileSync(`${folder}.json`, JSON.stringify({ folder, sources }), { flag: "wx" });
    renameSync(`${folder}.json`, list);
  } else {
    // One that changed meanwhile may be compiled as it was before.
    process.once("exit", remove);
  }
  removeUnused(cache);
  return folder;
}

/** @returns {Compiled | undefined} */
function read(/** @type {string} */ list) {
  try {
    return JSON.parse(readFileSync(list, "utf8"));
  } catch {
    return undefined;
  }
}

const isUnchanged = (/** @type {Compiled["sources"][number]} */ source) =>
  source.join() === sourceAt(source[0])?.join();

/** @returns {Compiled["sources"][number] | undefined} */
function sourceAt(/** @type {string} */ path) {
  const stats = statSync(new URL(path, ROOT), { throwIfNoEntry: false });
  return stats && [path, stats.mtimeMs, stats.size];
}

/** Of any checkout: one that was moved or deleted does not come back. */
function removeUnused(/** @type {string} */ cache) {
  for (const each of readdirSync(cache)) {
    const path = join(cache, each);
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - used > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
