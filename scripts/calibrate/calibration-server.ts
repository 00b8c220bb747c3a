/** What a calibration loads, and where the truth about it is: the bundled mock, or a target of the user's own. */

import { join } from "node:path";
import { z } from "zod";
import { FILES } from "../../formats/file-names.ts";
import { requestRecord } from "../../formats/records.ts";
import { parseJson } from "../../lib/json.ts";
import type { Lines } from "../../reports/json-lines.ts";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { linesOf, Tail } from "../cli/file-lines.ts";
import { startMockProcess } from "./mock-process.ts";

/** A server for one step. */
export interface CalibrationServer {
  readonly url: string;
  /**
   * The ledger of the step whose records are in `folder`.
   * @throws InconclusiveError when none of its requests is in it
   */
  ledger(folder: string): Promise<Lines>;
  stop(): Promise<void>;
}

/** Starts a mock with these flags for the step in `folder`; its ledger is whole once it has ended. */
export async function mockServer(flags: readonly string[], folder: string): Promise<CalibrationServer> {
  const file = join(folder, FILES.ledger);
  const { url, stop } = await startMockProcess([...flags, "--ledger", file]);
  return {
    url,
    stop,
    ledger: async () => {
      await stop();
      return linesOf(file);
    },
  };
}

/** How long a server has to write the last rows of a step; the mock writes them each second. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 200;

const ledgerId = z.object({ id: z.string() });

/** A server that runs on, while another process appends to its ledger. Each call makes the server of the next step. */
export async function runningServer(url: string, file: string): Promise<() => CalibrationServer> {
  const tail = new Tail(file);
  await tail.next(); // What is in it before is not ours.
  return () => ({ url, stop: async () => undefined, ledger: (folder) => rowsOf(folder, tail, file) });
}

async function rowsOf(folder: string, tail: Tail, file: string): Promise<string[]> {
  const wanted = await measuredIds(join(folder, FILES.records));
  const asked = wanted.size;
  const lines: string[] = [];
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    for (const line of await tail.next()) {
      lines.push(line);
      wanted.delete(idOf(line));
    }
    if (wanted.size === 0) return lines;
    if (Date.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  // Some that are missing are an error of the step, which says so.
  if (wanted.size < asked) return lines;
  throw new InconclusiveError(
    `Cannot compare with ${file}: none of the ${asked} requests of the step came to be in it within ${PATIENCE_MS / 1_000} s. Name the file that this target writes a JSON line a request to, with the x-request-id as id, planned_ms and actual_ms (assay mock --ledger does).`,
  );
}

/** Ids of the requests that are compared. */
async function measuredIds(records: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const line of linesOf(records)) {
    const record = requestRecord.safeParse(parseJson(line));
    if (record.success && record.data.phase === "measure" && record.data.outcome === "ok") ids.add(record.data.id);
  }
  return ids;
}

const idOf = (line: string): string => {
  const row = ledgerId.safeParse(parseJson(line));
  return row.success ? row.data.id : "";
};
