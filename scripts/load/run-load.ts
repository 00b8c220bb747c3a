/** One load run: bundles the scenario, runs k6 on it, shows its progress and cancels the video tasks that are left open. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { LOAD_SETTINGS } from "../../settings/load-table.ts";
import { writeVariables } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { Progress } from "../cli/console.mjs";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { isEmpty } from "../cli/file-lines.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { cancelLeftovers } from "../tasks/cancel-leftovers.ts";
import { bundleScenario } from "../toolchain/bundle.ts";
import { GO_HINT, k6ForLoads } from "../toolchain/k6.ts";
import { connectionsOf } from "./connection.ts";
import { followProgress } from "./follow-progress.ts";
import { type K6End, segmentArguments } from "./k6-process.ts";
import { startLoad } from "./load-client.ts";
import type { LoadPlan } from "./plan-load.ts";
import { stockPlanOf } from "./stock/stock-plan.ts";

/** Exit codes of k6 after which the records say how the run went: ended, thresholds crossed, interrupted, killed. */
const CONCLUDED_FROM_RECORDS: readonly (number | null)[] = [0, 99, 105, null];

const STOPPING = "Stopping: requests in flight are cancelled and recorded. Press Ctrl-C again to stop at once.";
const KILLING = "Stopping at once; what was recorded so far is kept.";
const STOCK_NOTICE =
  "This k6 does not have Assay's extension: first tokens, gaps between chunks and schedule lag are not measured";

/**
 * Runs the load; afterwards the folder holds its records.
 * @param folder an empty result folder
 * @param progress shows how the run goes
 * @returns sentences for the user about video tasks that may still run, and errors of the scenario
 * @throws UsageError when k6 could not run the scenario, InconclusiveError when it was interrupted before it began
 */
export async function runLoad(plan: LoadPlan, folder: string, progress: Progress): Promise<readonly string[]> {
  const k6 = await k6ForLoads();
  const stock = stockPlanOf(plan, k6);
  if (k6.kind === "stock") progress.say(`${STOCK_NOTICE} (${k6.path}). ${GO_HINT}.`);
  await bundleScenario(plan.entry, join(folder, FILES.bundle), k6.kind);
  const connections = connectionsOf(plan.settings, plan.keys);
  const headers = connections.flatMap((connection) => Object.values(connection.headers ?? {}));
  const secrets = [...Object.values(plan.keys).flatMap((keys) => keys.split(",")), ...headers];
  const variables = { ...writeVariables(LOAD_SETTINGS, plan.settings), ...plan.keys };
  let interrupted = false;
  const more = plan.segment === undefined ? [] : segmentArguments(plan.segment);
  const client = startLoad(k6, { folder, variables, secrets, more }, stock);
  const followed = followProgress(join(folder, FILES.client), plan.settings, progress.show);
  const end = await whileInterruptible(
    (urgency) => {
      interrupted = true;
      progress.say(urgency === "gently" ? STOPPING : KILLING);
      client.stop(urgency);
    },
    () => client.ended,
  );
  await followed.stop();
  progress.end();
  const { warnings, cancels } = await cancelLeftovers(folder, ...connections);
  client.finish(cancels);
  if (!existsSync(folder)) throw new UsageError(removed(folder));
  if (isEmpty(join(folder, FILES.records))) throw nothingRecorded(end, interrupted, folder);
  if (!interrupted && !CONCLUDED_FROM_RECORDS.includes(end.code)) throw k6Failed(end, folder);
  return [...warnings, ...scenarioErrors(end, interrupted, folder)];
}

const removed = (folder: string): string =>
  `Cannot report the load: its result folder ${folder} was removed during the run, and what was measured with it. Open video tasks were cancelled from memory. Run it again, and leave the folder alone until the end.`;

/** A scenario that throws does not end k6, but its arrivals send no request. */
const scenarioErrors = ({ lastError }: K6End, interrupted: boolean, folder: string): string[] =>
  interrupted || lastError === ""
    ? []
    : [`k6 logged errors. The last: ${lastError.split("\n")[0]}. All are in ${join(folder, FILES.k6Log)}.`];

function nothingRecorded(end: K6End, interrupted: boolean, folder: string): Error {
  if (!interrupted) return k6Failed(end, folder);
  return new InconclusiveError("Nothing was measured: the run was interrupted before its first request.");
}

const k6Failed = ({ code, lastError }: K6End, folder: string): UsageError =>
  new UsageError(
    `Cannot run the load: k6 ended with ${code === null ? "a signal" : `exit code ${code}`}. Its last error: ${lastError || "none"}. Its complete log is ${join(folder, FILES.k6Log)}.`,
  );
