/** The formats that results are written in, and how their files end. */

import { UsageError } from "../../settings/usage-error.ts";

export const FORMATS = ["json", "html", "md", "junit"] as const;
export type Format = (typeof FORMATS)[number];

export const ENDINGS: Readonly<Record<Format, string>> = { json: "json", html: "html", md: "md", junit: "junit.xml" };

/** Reads a list such as `html,md`. @throws UsageError that names the formats there are */
export function parseFormats(text: string): readonly Format[] {
  return text.split(",").map((name) => {
    const format = FORMATS.find((known) => known === name.trim());
    if (format === undefined)
      throw new UsageError(`Cannot write "${name}": it is none of the formats ${FORMATS.join(", ")}.`);
    return format;
  });
}
