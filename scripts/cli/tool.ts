/** Name and version of this program, as results carry them. */

import { readFileSync } from "node:fs";
import { z } from "zod";

const description = z.object({ version: z.string() });

export const VERSION = description.parse(
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
).version;

export const TOOL = `assay ${VERSION}`;
