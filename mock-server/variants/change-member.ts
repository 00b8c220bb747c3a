/** Changes one member of a JSON value by the paths of `contract/fields.ts` (`a.b`, `a[].b`), without mutation. */

import { isObject, type Json } from "../../lib/json.ts";

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The new value of a member, or undefined to remove it. */
export type Change = (value: Json) => Json | undefined;

/** Changes the member at `path`, in every item of the arrays on the path; an absent member stays absent. */
export function changeAt(root: Json, path: string, change: Change): Json {
  return walk(root, path.replaceAll("[]", ".[]").split("."), change) ?? null;
}

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
