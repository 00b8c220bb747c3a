/**
 * Looks for a secret, and for parts of it, in everything that was written: in the bytes as they are, and in what they are
 * when addresses, JSON, HTML, base64, hexadecimal digits and gzip are decoded. Written apart from the redactor.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync, constants as zlib } from "node:zlib";

/** So many characters of a secret are a leak; fewer may be left beside an ellipsis. */
const PART = 8;
/** Decodings one within the other. */
const DEPTH = 3;

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  lt: "<",
  gt: ">",
  bsol: "\\",
  sol: "/",
  plus: "+",
  equals: "=",
  lowbar: "_",
};

const DECODINGS: Readonly<Record<string, (text: string) => string>> = {
  address: (text) => text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => character(Number.parseInt(code, 16))),
  JSON: (text) =>
    text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([!-/:-@[-`{-~]))/gi, (_, unit, byte, same) =>
      same === undefined ? character(Number.parseInt(unit ?? byte, 16)) : String(same),
    ),
  HTML: (text) =>
    text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));/gi, (whole, hexadecimal, decimal, name) => {
      if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
      return character(hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16));
    }),
};

const hasPart = (text: string, parts: readonly string[]): boolean => parts.some((part) => text.includes(part));

/** The decodings under which parts of secrets are in some bytes, such as `base64` or `JSON, address`; none without a leak. */
export function leaksIn(bytes: Buffer, secrets: readonly string[]): readonly string[] {
  const parts = secrets.flatMap((secret) =>
    Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART).toLowerCase()),
  );
  const found = new Set<string>();
  const look = (text: string, path: readonly string[]): void => {
    if (hasPart(text.toLowerCase(), parts)) found.add(path.join(", ") || "as it is");
    if (path.length === DEPTH) return;
    for (const packed of packedIn(text)) look(packed, [...path, "gzip"]);
    for (const [name, runs] of [
      ["base64", base64Runs(text)],
      ["hexadecimal", hexRuns(text)],
    ] as const) {
      if (runs !== "") look(runs, [...path, name]);
    }
    for (const [name, decode] of Object.entries(DECODINGS)) {
      const decoded = decode(text);
      if (decoded !== text) look(decoded, [...path, name]);
    }
  };
  look(bytes.toString("latin1"), []);
  return [...found];
}

/** What runs of base64 hold, read from each of the 4 places where a group may begin. */
function base64Runs(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/_-]{11,}/g) ?? [];
  return runs
    .flatMap((run) => [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), "base64").toString("latin1")))
    .join("\n");
}

function hexRuns(text: string): string {
  const runs = text.match(/[0-9a-f]{16,}/gi) ?? [];
  return runs
    .flatMap((run) => [0, 1].map((start) => Buffer.from(run.slice(start), "hex").toString("latin1")))
    .join("\n");
}

function packedIn(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf("\x1f\x8b\x08"); at >= 0 && found.length < 50; at = text.indexOf("\x1f\x8b\x08", at + 1)) {
    try {
      // After the header without options, which is what zlib writes; whatever follows the stream is left out.
      const packed = Buffer.from(text.slice(at + 10), "latin1");
      found.push(inflateRawSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH }).toString("latin1"));
    } catch {
      // not compressed
    }
  }
  return found;
}

/** All files below a folder, with their permissions. */
export function filesBelow(
  folder: string,
): { readonly path: string; readonly mode: number; readonly isFolder: boolean }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const path = join(folder, name);
    const status = lstatSync(path);
    return { path, mode: status.mode & 0o777, isFolder: status.isDirectory() };
  });
}

/** The command lines of all processes that run now; none where the system has no list of them. */
export function commandLines(): string[] {
  return procFolders().flatMap((folder) => {
    try {
      return [readFileSync(join(folder, "cmdline"), "latin1")];
    } catch {
      return []; // it has ended
    }
  });
}

/** The programs of processes whose environment holds a text, as it is or within JSON. */
export function programsKnowing(text: string): string[] {
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  return procFolders().flatMap((folder) => {
    try {
      const environment = readFileSync(join(folder, "environ"), "latin1");
      return forms.some((form) => environment.includes(form)) ? [readlinkSync(join(folder, "exe"))] : [];
    } catch {
      return []; // it has ended, or is another user's
    }
  });
}

function procFolders(): string[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [join("/proc", name)] : []));
  } catch {
    return [];
  }
}
