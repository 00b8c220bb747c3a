/** What a calibration loads, and its ground truth: the bundled mock, or a target of the user's own. */

import { join } from "node:path";
import { z } from "zod";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { linesOf, readableLinesOf, Tail } from "../../cli/file-lines.ts";
import { FILES } from "../../formats/file-names.ts";
import { requestRecord } from "../../formats/records.ts";
import { parseJson } from "../../lib/json.ts";
import type { Lines } from "../../reports/json-lines.ts";
import { startMockProcess } from "./mock-process.ts";

/** A server for one step. */
export interface CalibrationServer {
  readonly url: string;
  /**
   * The ground truth of the step whose records are in `folder`.
   * @throws InconclusiveError when it has none of the step's requests
   */
  groundTruth(folder: string): Promise<Lines>;
  stop(): Promise<void>;
}

/** Starts a mock with these flags for the step in `folder`; its ledger is complete once it has ended. */
export async function mockServer(flags: readonly string[], folder: string): Promise<CalibrationServer> {
  const file = join(folder, FILES.ledger);
  const { url, stop } = await startMockProcess([...flags, "--ledger", file]);
  return {
    url,
    stop,
    groundTruth: async () => {
      await stop();
      return linesOf(file);
    },
  };
}

/** How long a server has to write the last rows of a step; the mock writes them each second. */
const MAX_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 200;

const rowId = z.object({ id: z.string() });

/** A server that keeps running and appends its ground truth to a file. Each call gives the server of the next step. */
export async function runningServer(url: string, file: string): Promise<() => CalibrationServer> {
  const tail = new Tail(file);
  await tail.next(); // Earlier rows belong to other requests.
  return () => ({ url, stop: async () => undefined, groundTruth: (folder) => rowsOf(folder, tail, file) });
}

async function rowsOf(folder: string, tail: Tail, file: string): Promise<string[]> {
  const wanted = await measuredIds(join(folder, FILES.records));
  const requested = wanted.size;
  const lines: string[] = [];
  for (const end = performance.now() + MAX_WAIT_MS; ; ) {
    for (const line of await tail.next()) {
      lines.push(line);
      wanted.delete(idOf(line));
    }
    if (wanted.size === 0) return lines;
    if (performance.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  // If only some are missing, the comparison reports them.
  if (wanted.size < requested) return lines;
  throw new InconclusiveError(
    `Cannot compare with ${file}: none of the ${requested} requests of the step appeared in it within ${MAX_WAIT_MS / 1_000} s. Name the file to which this target writes a JSON line per request, with the x-request-id as id, planned_ms and actual_ms (assay mock --ledger does).`,
  );
}

/** Ids of the requests that are compared. */
async function measuredIds(records: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const line of readableLinesOf(records)) {
    const record = requestRecord.safeParse(parseJson(line));
    if (record.success && record.data.phase === "measure" && record.data.outcome === "ok") ids.add(record.data.id);
  }
  return ids;
}

const idOf = (line: string): string => {
  const row = rowId.safeParse(parseJson(line));
  return row.success ? row.data.id : "";
};
