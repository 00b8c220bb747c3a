/** From the collected folders of the runners to the merged report of the run. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { isEmpty, wholeLines } from "../../cli/file-lines.ts";
import { clientLine } from "../../formats/client.ts";
import { FILES } from "../../formats/file-names.ts";
import type { RecordHeader } from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import { parseJson } from "../../lib/json.ts";
import { partsOf, segmentOfPart, WHOLE } from "../../reports/load/read/segments.ts";
import { openTasksOf } from "../tasks/open-tasks.ts";
import { loadResultOf, recordHeaderOf, writeLoadViews } from "../views/load-views.ts";
import { inPlace, type Place } from "./kubectl.ts";

/** The runners of a run, and where what they wrote is now. */
export interface Collected {
  /** Of the run. */
  readonly name: string;
  /** Of `kubectl`, for hints. */
  readonly place: Place;
  /** How many it had. */
  readonly parallelism: number;
  /** Folders by the name of their runner. */
  readonly folders: ReadonlyMap<string, string>;
  /** Each runner had a claim of its own, which went with its pod. */
  readonly hadOwnClaims?: boolean;
}

/**
 * How many runners a run had whose TestRun was deleted: by their names, and by the segment that each recorded.
 * @param folders by the name of their runner
 */
export async function runnersIn(name: string, folders: Collected["folders"]): Promise<number> {
  const numbers = [...folders.keys()].map((runner) => Number(runner.slice(name.length + 1)));
  const held = [...folders.values()].filter(holdsRecords);
  const headers = await Promise.all(held.map(recordHeaderOf));
  return Math.max(...numbers, ...headers.map(runnersOf), 1);
}

/** Of how many equal segments that of a runner is one, within the part of the load that its cluster has. */
const runnersOf = ({ segment, settings }: RecordHeader): number =>
  Math.round(partsOf(segment ?? WHOLE) / partsOf(segmentOfPart(settings.segment)));

/** What is wrong with the folders of runners, a sentence each without its end. */
export async function troublesOf({ name, parallelism, folders, hadOwnClaims }: Collected): Promise<readonly string[]> {
  const expected = Array.from({ length: parallelism }, (_, index) => `${name}-${index + 1}`);
  const lost = expected.filter((runner) => !holdsRecords(folders.get(runner)));
  const ends = new Map([...folders].map(([runner, folder]) => [runner, endOf(folder)]));
  const someCameToTheEnd = [...ends.values()].includes("complete");
  const why = `it ended before its load began${hadOwnClaims ? ", or its pod was deleted with its claim, or still runs" : ""}`;
  const troubles = lost.map((runner) => `${runner} left no records: ${why}`);
  for (const [runner, folder] of folders) {
    const end = ends.get(runner);
    if (lost.includes(runner) || end === "complete") continue;
    if (end === "killed") troubles.push(`${runner} was killed: its records have no end`);
    // Where all were stopped, their user did it.
    else if (someCameToTheEnd)
      troubles.push(`${runner} was stopped before the end of the load, as when a node is drained`);
    else continue;
    if (await mayHaveOpenTasks(folder)) {
      troubles.push(`${runner} may have left video tasks open: assay clean-up ${folder} cancels them`);
    }
  }
  return troubles;
}

const holdsRecords = (folder: string | undefined): folder is string =>
  folder !== undefined && readdirSync(folder).includes(FILES.records) && !isEmpty(join(folder, FILES.records));

function endOf(folder: string): "complete" | "stopped" | "killed" {
  if (!readdirSync(folder).includes(FILES.client)) return "killed";
  const last = wholeLines(join(folder, FILES.client)).at(-1);
  const line = last === undefined ? undefined : clientLine.safeParse(parseJson(last)).data;
  if (line?.final !== true) return "killed";
  return line.stopped === undefined ? "complete" : "stopped";
}

async function mayHaveOpenTasks(folder: string): Promise<boolean> {
  if (!readdirSync(folder).includes(FILES.tasks)) return false;
  const { tasks, unanswered } = await openTasksOf(folder);
  return tasks.length + unanswered.length > 0;
}

/**
 * Merges what the runners wrote, and writes the reports of it.
 * @param folder of the reports
 * @param hasPods whether the pods of the runners are still there
 * @throws InconclusiveError when no runner left records
 */
export async function reportRunners(
  { name, place, parallelism, folders }: Collected,
  folder: string,
  hasPods: boolean,
): Promise<RunResult> {
  const held = [...folders.values()].filter(holdsRecords);
  if (held.length === 0) {
    const see = hasPods ? `See kubectl logs -l k6_cr=${name}${inPlace(place)}, and check` : "Check";
    throw new InconclusiveError(
      `Cannot report on ${name}: no runner left records. ${see} that the runners may write to the claim.`,
    );
  }
  const run = await loadResultOf(held, { isMerged: parallelism > 1 });
  await writeLoadViews(folder, run, held);
  return run;
}
