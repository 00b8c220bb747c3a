/** Finds every fault and behaviour in its folder; nothing is registered anywhere else. */

import { readdir } from "node:fs/promises";
import { z } from "zod";
import { unknownName } from "../base/unknown-name.ts";
import type { Fault, Variant } from "./variant.ts";

const isFunction = z.custom<(...values: never) => unknown>((value) => typeof value === "function");

const variationShape = z.looseObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  about: z.string().min(1),
  path: isFunction.optional(),
  rules: isFunction.optional(),
  transform: isFunction.optional(),
  stream: isFunction.optional(),
});
const faultShape = variationShape.extend({ breaks: z.array(z.string()) });

const isVariation = (value: unknown): value is Variant => variationShape.safeParse(value).success;
const isFault = (value: unknown): value is Fault => faultShape.safeParse(value).success;

export const DEFAULT_BEHAVIOUR = "strict";

/** Every fault of the mock, sorted by name; read once a process. */
export const loadFaults = once(() => load("faults", isFault));

/** Every behaviour of the mock, sorted by name; read once a process. */
export const loadBehaviours = once(() => load("behaviours", isVariation));

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Picks entries by name.
 * @throws UsageError with the nearest known name.
 */
export function pick<T extends Variant>(kind: string, names: readonly string[], from: readonly T[]): readonly T[] {
  return names.map((name) => {
    const found = from.find((entry) => entry.name === name);
    if (found !== undefined) return found;
    throw unknownName(
      kind,
      name,
      from.map((entry) => entry.name),
    );
  });
}

/** Reads a folder: each file's default export is one entry or a family of them. */
async function load<T extends Variant>(folder: string, is: (value: unknown) => value is T): Promise<readonly T[]> {
  const place = new URL(`../${folder}/`, import.meta.url);
  const files = (await readdir(place)).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts")).sort();
  const entries = await Promise.all(files.map((file) => entriesOf(new URL(file, place), is)));
  const all = entries.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = all.find((entry, i) => entry.name === all[i - 1]?.name);
  if (twice !== undefined)
    throw new Error(`Cannot load the ${folder}: two entries are named "${twice.name}". Rename one.`);
  return all;
}

async function entriesOf<T>(file: URL, is: (value: unknown) => value is T): Promise<readonly T[]> {
  const module: { default?: unknown } = await import(file.href);
  const exported = Array.isArray(module.default) ? module.default : [module.default];
  return exported.map((entry: unknown) => {
    if (is(entry)) return entry;
    throw new Error(
      `Cannot load ${file.pathname}: its default export is no entry. Export fault({…}) or behaviour({…}).`,
    );
  });
}
