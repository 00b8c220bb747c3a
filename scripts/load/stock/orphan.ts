/** What is passed to the journal of a stock k6 whose `assay` was killed. */

import { z } from "zod";

export const orphan = z.object({
  /** The result folder. */
  folder: z.string(),
  /** Begins the facts in its log. */
  mark: z.string(),
  secrets: z.array(z.string()),
});
export type Orphan = z.infer<typeof orphan>;

/** The number of the open file from which its log is read: the first after those that every process has. */
export const LOG_FILE = 3;
