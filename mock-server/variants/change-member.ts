/** Changes of one member of a JSON value by the paths of `contract/fields.ts` (`a.b`, `a[].b`). Nothing is mutated. */

import { isObject, type Json } from "../../lib/json.ts";

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/** What becomes of a member: its new value, or undefined to leave it out. */
export type Change = (value: Json) => Json | undefined;

/** Changes the member at `path`, in every item where the path goes through arrays; a member that is absent stays so. */
export function changeAt(root: Json, path: string, change: Change): Json {
  return walk(root, path.replaceAll("[]", ".[]").split("."), change) ?? null;
}

/** Leaves the member at `path` out. */
export const without = (root: Json, path: string): Json => changeAt(root, path, () => undefined);

function walk(node: Json, steps: readonly string[], change: Change): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(node);
  if (step === "[]") return isArray(node) ? node.map((item) => walk(item, rest, change) ?? null) : node;
  if (!isObject(node)) return node;
  const old = node[step];
  if (old === undefined) return node;
  const { [step]: _, ...others } = node;
  const changed = walk(old, rest, change);
  if (changed === undefined) return others;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === step ? changed : value]));
}
