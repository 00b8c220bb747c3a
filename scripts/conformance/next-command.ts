/** The command that is most useful after a conformance run. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import { plainLine, shellWord } from "../../lib/text.ts";

/** Most clauses that are checked again by their names. */
const MOST_NAMED = 3;

/** Checks again what failed, loads what conforms; undefined where only the findings say what to do. */
export function nextCommand({
  target,
  exitCode,
  clauses,
}: Pick<ConformanceResult, "target" | "exitCode" | "clauses">): string | undefined {
  const failed = clauses.filter(({ verdict }) => verdict === "FAIL").map(({ id }) => id);
  const address = shellWord(plainLine(target));
  if (exitCode === 0) return `assay load chat-stream --target ${address} --rate 5 --duration 1m`;
  if (exitCode !== 1 || failed.length === 0) return undefined;
  const video = failed.slice(0, MOST_NAMED).some((id) => id.split(".").includes("video")) ? " --video" : "";
  return `assay conformance --target ${address}${video} --only ${shellWord(failed.slice(0, MOST_NAMED).join(","))}`;
}
