/** Converts values of a wrong type to the right one, as lax services do; used by faults only. */

import type { FieldType } from "../../contract/fields.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { AcceptedField } from "../base/rules.ts";

/** The body with the value of every field converted to the field's type, where possible. */
export function coerced(fields: readonly AcceptedField[], body: JsonObject): JsonObject {
  const types = new Map(fields.map(({ path, type }) => [path, type]));
  const members = (object: JsonObject, prefix: string): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, member(value, `${prefix}${name}`)]));
  const member = (value: Json, path: string): Json =>
    Array.isArray(value)
      ? value.map((item: Json) => (isObject(item) ? members(item, `${path}[].`) : turned(item, types.get(path))))
      : turned(value, types.get(path));
  return members(body, "");
}

function turned(value: Json, type: FieldType | undefined): Json {
  if (value === null || typeof value === "object") return value;
  if (type === "string" || type === "texts") return String(value);
  if (type === "boolean") return value === true || value === "true" || value === 1 || value === "1";
  if (type !== "int" && type !== "number") return value;
  const number = Number(value);
  if (Number.isNaN(number)) return value;
  return type === "int" ? Math.trunc(number) : number;
}
