/** One server-sent event with JSON as its data. */

import type { Json } from "../../lib/json.ts";

export const sseEvent = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
