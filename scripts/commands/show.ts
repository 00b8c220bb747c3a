/** `assay show`: the requests of a load, from its records: one as a timeline, or a list of those that failed or were slow. */

import { Command } from "commander";
import { z } from "zod";
import { jsonFlag } from "../../cli/command-settings.ts";
import { printResult } from "../../cli/console.mjs";
import type { NotableRequest } from "../../formats/run-requests.ts";
import { literal } from "../../lib/duckdb.mjs";
import { plainLine } from "../../lib/text.ts";
import {
  FAILED_OR_OF_FAILED,
  medianSql,
  notableOf,
  recordsOf,
  SLOW_BY,
  type SlowBy,
  slowestSql,
} from "../../reports/load/read/notable-requests.ts";
import { requestCurl } from "../../reports/load/views/request-curl.ts";
import { requestCsv, requestTable, requestTimeline } from "../../reports/load/views/request-rows.ts";
import { waterfallLines } from "../../reports/load/views/waterfall.ts";
import { NUMBERED } from "../../reports/tables/stored-requests.ts";
import { columns } from "../../reports/terminal-text.ts";
import { recordFoldersOf, recordHeaderOf } from "../../runs/views/load-views.ts";
import { RunDatabase } from "../../runs/views/run-database.ts";
import { readInstant } from "../../settings/instants.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { COUNT } from "../../settings/values.ts";

interface ShowFlags {
  readonly failed?: boolean;
  readonly slowest?: string;
  readonly by?: string;
  readonly csv?: boolean;
}

const isSlowBy = (text: string): text is SlowBy => Object.hasOwn(SLOW_BY, text);

export const command = new Command("show")
  .argument("<dir>", "result folder of a load")
  .argument("[id]", "id of a request, a trace or a video task: shows all of its requests")
  .option("--failed", "list the requests that failed after the warm-up, in the order of the records")
  .option("--slowest <n>", "list the slowest of the measured requests that were ok")
  .option("--by <what>", `what the slowest are slow by: ${Object.keys(SLOW_BY).join(", ")}`, "ttft")
  .option("--csv", "print the list as CSV")
  .addOption(jsonFlag())
  .addHelpText(
    "after",
    "\nExamples:\n  assay show out/load-1 --failed\n  assay show out/load-1 --slowest 50 --by e2e --csv\n",
  )
  .action(async (folder: string, id: string | undefined, flags: ShowFlags) => {
    if (id !== undefined) return showOne(folder, id);
    const requests = await listed(folder, flags);
    printResult(flags.csv === true ? requestCsv(requests) : listText(requests), () => requests);
  });

/** Listed at most; more of them would be no list to read. */
const MOST = 100_000;

async function listed(folder: string, { failed, slowest, by = "ttft" }: ShowFlags): Promise<NotableRequest[]> {
  if ((failed === true) === (slowest !== undefined)) {
    throw new UsageError(
      `Cannot show requests of ${folder}: name the request to show: its id, --failed, or --slowest 20.`,
    );
  }
  if (!isSlowBy(by)) {
    throw new UsageError(`Cannot list the slowest by "${by}". ${didYouMean(by, Object.keys(SLOW_BY), "Choices")}`);
  }
  const picked =
    failed === true
      ? `SELECT n AS picked, n AS place FROM ${NUMBERED} AS r WHERE ${FAILED_OR_OF_FAILED} LIMIT ${MOST}`
      : slowestSql(by, Math.min(MOST, COUNT.read(slowest ?? "")));
  const { records, origin } = await requestsOf(folder, picked);
  return records.map((record) => notableOf(record, origin));
}

const listText = (requests: readonly NotableRequest[]): string => {
  if (requests.length === 0) return "No request of this kind was recorded after the warm-up.\n";
  const { head, rows } = requestTable(requests);
  return `${columns([head, ...rows.map((row) => row.map(plainLine))]).join("\n")}\n`;
};

/** Prints all requests of an id: that of one request, of a trace, or of a video task. */
async function showOne(folder: string, id: string): Promise<void> {
  const of = ["id", "trace_id", "task"].map((member) => `r.${member} = ${literal(id)}`).join(" OR ");
  const picked = `SELECT n AS picked, n AS place FROM ${NUMBERED} AS r WHERE ${of} LIMIT ${MOST}`;
  const { records: found, medians, origin, target } = await requestsOf(folder, picked);
  if (found.length === 0) {
    throw new UsageError(
      `Cannot show ${plainLine(id)}: no request, trace or video task of ${folder} has this id. assay show ${folder} --failed and --slowest 20 list requests.`,
    );
  }
  const timelines = found.map((record) => {
    const lines = requestTimeline(record, origin).map(([name, text]) => [`  ${name}`, plainLine(text)]);
    const curl = requestCurl(record, target);
    const command = curl === undefined ? "" : `  send one like it: ${plainLine(curl)}\n`;
    const median = medians.find(({ op }) => op === record.op);
    const drawn = waterfallLines(notableOf(record, origin), median && notableOf(median, origin));
    return `${plainLine(record.id)}\n${[...columns(lines), ...drawn].join("\n")}\n${command}\n`;
  });
  printResult(timelines.join(""), () => found);
}

/**
 * The requests of a load that a query picks. Lines that cannot be read are left out: `assay report` names them.
 * @returns with the median request of each operation, the instant of second 0, in milliseconds, and the base address of the target
 */
async function requestsOf(folder: string, picked: string) {
  const parts = recordFoldersOf(folder);
  const headers = await Promise.all(parts.map(recordHeaderOf));
  const database = await RunDatabase.of(parts);
  try {
    const records = await recordsOf(database, picked);
    const medians = await recordsOf(database, medianSql());
    const [due] = await database.all(
      "SELECT min(scheduled_us) / 1000 AS first FROM requests",
      z.object({ first: z.number().nullable() }),
    );
    const start = Math.min(...headers.map(({ startedAt }) => readInstant(startedAt)));
    // A damaged header may name no instant.
    const origin = Number.isNaN(start) ? (due?.first ?? 0) : start;
    return { records, medians, origin, target: headers[0]?.settings.target ?? "" };
  } finally {
    database.close();
  }
}
