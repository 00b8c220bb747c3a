/** What changed in a cluster, a line per change. Pure. */

import { groupedBy } from "../../lib/grouped.ts";
import { plainLine, shorten } from "../../lib/text.ts";
import { type ClusterPart, type ClusterState, GONE, isRunner, type Stage } from "./cluster-state.ts";

/** Lines for what is otherwise than before; runners that changed to the same share one. */
export function changesBetween(before: ClusterState | undefined, now: ClusterState): string[] {
  const known = new Map(before?.parts.map((part) => [part.role, inWords(part)]));
  const groups = groupedBy(
    now.parts.filter((each) => known.get(each.role) !== inWords(each)),
    (part) => `${isRunner(part) ? "runner" : part.role}: ${inWords(part)}`,
  );
  return [
    ...(before?.stage === now.stage ? [] : [`TestRun: ${stageInWords(now.stage)}`]),
    ...[...groups.values()].map((parts) => `${namesOf(parts)}: ${parts[0] ? inWords(parts[0]) : ""}`),
  ];
}

const stageInWords = (stage: Stage): string => (stage === "" ? "applied" : stage);

/** `runner 2`, `runners 1 to 4, 7`, `initializer`. */
export function namesOf(parts: readonly ClusterPart[]): string {
  const [first] = parts;
  if (first === undefined || !isRunner(first)) return first?.role ?? "";
  const numbers = parts.map(({ role }) => Number(role)).sort((a, b) => a - b);
  return `runner${numbers.length === 1 ? "" : "s"} ${ranges(numbers).join(", ")}`;
}

function ranges(numbers: readonly number[]): string[] {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`));
}

const LONGEST_MESSAGE = 200;

/** `running`, `waiting, ImagePullBackOff: …`, `ended with exit code 137, OOMKilled`. */
export function inWords({ state, reason, message, exitCode }: ClusterPart): string {
  if (state === "absent") return "has no pod yet";
  if (state === "running") return "running";
  if (reason === GONE) return `ended: ${GONE}, as when a node is drained`;
  const why = reason === "" ? "" : `, ${reason}`;
  if (state === "waiting")
    return `waiting${why}${message === "" ? "" : `: ${shorten(plainLine(message), LONGEST_MESSAGE)}`}`;
  return `ended${exitCode === undefined ? "" : ` with exit code ${exitCode}`}${reason === "Completed" || reason === "Error" ? "" : why}`;
}
