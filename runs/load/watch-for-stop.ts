/** Ends a load before its time when one of its conditions holds, and writes why. */

import { join } from "node:path";
import { writeWhole } from "../../cli/result-folder.ts";
import { clientLine } from "../../formats/client.ts";
import { FILES } from "../../formats/file-names.ts";
import type { Stop } from "../../formats/stop.ts";
import { parseJson } from "../../lib/json.ts";
import { StopConditions } from "../../reports/load/live/stop-conditions.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { evaluateLines } from "../views/run-database.ts";
import { budgetsOf } from "./budgets.ts";
import { type Followed, followLines } from "./follow-lines.ts";
import type { LoadPlan } from "./plan-load.ts";

interface Watched {
  readonly isRunning: () => boolean;
  /** Ends the load; called once at most. */
  readonly end: (stop: Stop) => void;
}

/**
 * Follows the files of a load. The reason is written first, so that it is known whatever happens afterwards.
 * A load that is ending already is left alone.
 */
export function watchForStop(
  folder: string,
  plan: Pick<LoadPlan, "scenario" | "settings">,
  { isRunning, end }: Watched,
): Followed & Pick<StopConditions, "states"> {
  const { settings } = plan;
  const { abortOn, abortWhenGone, warmup } = settings;
  const conditions = new StopConditions({
    abortOn,
    abortWhenGone,
    warmup,
    objectives: objectivesOf(settings),
    evaluate: evaluateLines,
    budgets: budgetsOf(plan),
  });
  const look = async (line: string): Promise<void> => {
    const parsed = clientLine.safeParse(parseJson(line));
    if (!parsed.success || parsed.data.final === true) return;
    const stop = await conditions.look(parsed.data);
    if (stop === undefined || !isRunning()) return;
    save(folder, stop);
    end(stop);
  };
  const records = conditions.needsNoRecords ? [] : [join(folder, FILES.records)];
  const followed = followLines([join(folder, FILES.client), ...records], async ([health = [], records = []]) => {
    for (const line of records) conditions.addRecord(line);
    for (const line of health) if (isRunning()) await look(line);
  });
  return { ...followed, states: () => conditions.states() };
}

/** On a full disk the run is ended all the same; its report then says that it was interrupted. */
function save(folder: string, stop: Stop): void {
  try {
    writeWhole(folder, FILES.stop, `${JSON.stringify(stop)}\n`);
  } catch {
    // The notice on the terminal says why.
  }
}
