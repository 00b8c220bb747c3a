/** Services that cannot read some characters. */

import type { Json } from "../../lib/json.ts";
import { refuseWhen } from "./transforms.ts";
import { type Fault, fault, type RequestView } from "./variant.ts";

const CHARACTERS: readonly { readonly name: string; readonly what: string; readonly pattern: RegExp }[] = [
  { name: "escapes", what: "a character that JSON escapes", pattern: /["\\\n\t]/ },
  { name: "non-ascii", what: "a letter outside ASCII", pattern: /[\u0080-\uffff]/ },
  { name: "emoji", what: "an emoji", pattern: /\p{Extended_Pictographic}/u },
];

/** The texts of a request, whatever its route. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(textsIn);
}

const holds =
  (pattern: RegExp) =>
  ({ body }: RequestView): boolean =>
    textsIn(body).some((text) => pattern.test(text));

export const texts: readonly Fault[] = (["chat", "embeddings"] as const).flatMap((route) =>
  CHARACTERS.map(
    ({ name, what, pattern }): Fault =>
      fault(
        `${route}-${name}-refused`,
        route,
        `a request with ${what} is refused`,
        refuseWhen(holds(pattern), "unsupported character"),
      ),
  ),
);
