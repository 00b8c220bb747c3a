/** How the verdict of a clause is shown in one line, and what a test tells a reporter about it. */

import type { CheckStatus, Verdict } from "../formats/verdicts.ts";
import type { ClauseVerdict } from "./model/findings.ts";

declare module "vitest" {
  interface TaskMeta {
    assay?: { readonly id: string; readonly status: CheckStatus; readonly verdict: Verdict; readonly reason: string };
  }
}

/** `video.submit.status  FAIL  an accepted submission …; the target returned 200 (exchange 14)` */
export const headline = (id: string, { verdict, reason }: Pick<ClauseVerdict, "verdict" | "reason">): string =>
  `${id}  ${verdict}  ${reason}`;
