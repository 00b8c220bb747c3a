/** The YAML library. Few commands read a YAML file, and loading it is a tenth of the start of the others. For Node alone. */

import { createRequire } from "node:module";
import type { Document } from "yaml";

/** Loads the library when it is first called. */
export const yaml = (): typeof import("yaml") => createRequire(import.meta.url)("yaml");

/** Aliases (`*name`) of a document, each counted with those within what it stands for: a short text may stand for gigabytes. */
const MOST_ALIASES = 100;

/**
 * The value of a document.
 * @throws Error whose message is a reason, when its aliases stand for too much, or one for nothing
 */
export function documentValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Excessive alias count")) throw error;
    throw new Error(`its aliases (*name) stand for more than ${MOST_ALIASES} others; write out what they stand for`);
  }
}

/**
 * The value that a text holds.
 * @throws Error whose message is a reason, when it is not YAML, or as `documentValue` does
 */
export function parseYaml(text: string): unknown {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken === undefined) return documentValue(document);
  const { line, col } = lines.linePos(broken.pos[0]);
  throw new Error(`line ${line}, column ${col} is not YAML: ${broken.message.replace(/\.$/, "")}`);
}
