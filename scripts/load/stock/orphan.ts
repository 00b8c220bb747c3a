/** What the guard of a stock k6 has to know of it. */

import { z } from "zod";

export const orphan = z.object({
  pid: z.int(),
  /** The result folder. */
  folder: z.string(),
  /** Begins the facts in its log. */
  mark: z.string(),
  secrets: z.array(z.string()),
});
export type Orphan = z.infer<typeof orphan>;

/** The variable in which it is passed on: unlike arguments, other users cannot read it. */
export const ORPHAN_VARIABLE = "ASSAY_ORPHAN";

/** The number of the open file from which its log is read: the first after those that every process has. */
export const LOG_FILE = 3;
