/** Every way to edit one value of a JSON document by hand. */

import { isObject } from "../../lib/json.ts";

export interface Edited {
  /** Of the value, such as `metrics.ttft.p95`. */
  readonly path: string;
  /** The document with that value changed. */
  readonly document: unknown;
}

/** The documents in each of which one value is changed or left out. */
export function* editedValues(document: unknown, path = ""): Generator<Edited> {
  if (Array.isArray(document)) {
    for (const [index, item] of document.entries()) {
      for (const edit of editedValues(item, `${path}[${index}]`)) {
        yield { ...edit, document: document.with(index, edit.document) };
      }
    }
    yield { path, document: document.slice(1).concat(document.length === 0 ? [1] : []) };
  } else if (isObject(document)) {
    for (const [name, member] of Object.entries(document)) {
      const { [name]: _, ...rest } = document;
      const own = path === "" ? name : `${path}.${name}`;
      yield { path: own, document: rest };
      for (const edit of editedValues(member, own)) yield { ...edit, document: { ...document, [name]: edit.document } };
    }
    yield { path: path === "" ? "another" : `${path}.another`, document: { ...document, another: 1 } };
  } else yield { path, document: changed(document) };
}

function changed(value: unknown): unknown {
  if (typeof value === "number") return value === 0 ? 1 : value * 1.001;
  if (typeof value === "boolean") return !value;
  return typeof value === "string" ? `${value}x` : 0;
}
