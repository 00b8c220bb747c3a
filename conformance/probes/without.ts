/** An object less one member. */

import type { JsonObject } from "../../lib/json.ts";

export const without = (body: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
