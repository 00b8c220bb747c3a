/** Results of made-up loads, each in a database of its own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { requestBounds } from "../../../reports/load/metrics/request-bounds.ts";
import { type Read, readShards, type Shard } from "../../../reports/load/read/shards.ts";
import { type AnalyzedLoad, analyzeLoad as analyze, type LoadInput } from "../../../reports/load/summarize-load.ts";
import type { Database } from "../../../reports/tables/database.ts";
import { withPoints } from "../../../runs/views/load-views.ts";
import { RunDatabase } from "../../../runs/views/run-database.ts";
import { instant } from "./load-run.ts";

/** Does something with an empty database, and closes it. */
export async function inDatabase<T>(
  use: (database: Database, folder: string) => Promise<T>,
  storage: Parameters<typeof RunDatabase.empty>[1] = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
  const database = await RunDatabase.empty([folder], storage);
  try {
    return await use(database, folder);
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

/** The result of a load, whose records are read from files as those of a result folder are. */
export const summarizeLoad = async (input: LoadInput): Promise<RunResult> => (await analyzeLoad(input)).run;

/** The same, with what it was computed from; the database is closed. */
export const analyzeLoad = (input: LoadInput): Promise<AnalyzedLoad> =>
  inDatabase(async (database, folder) => analyze(await inFiles(input, folder), database));

/** The result as a report has it: with the requests that its page shows as points. */
export const summarizeWithPoints = (input: LoadInput): Promise<RunResult> =>
  inDatabase(async (database, folder) => {
    const { run, span } = await analyze(await inFiles(input, folder), database);
    return withPoints(run, database, span.origin);
  });

/** The same, in a database that is open until the process ends. */
export async function analyzeOpen(input: LoadInput): Promise<AnalyzedLoad> {
  const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
  const database = await RunDatabase.empty([folder]);
  const analyzed = await analyze(await inFiles(input, folder), database);
  rmSync(folder, { recursive: true });
  return analyzed;
}

/** Does something with the tables of these requests, and closes them. */
export const withRead = <T>(
  records: readonly RequestRecord[],
  ...rest: [use: (read: Read) => T | Promise<T>, slos?: readonly string[], client?: readonly string[]]
): Promise<T> => withShards([records], ...rest);

/** The same of a load of several load generators. */
export const withShards = <T>(
  shards: readonly (readonly RequestRecord[])[],
  use: (read: Read) => T | Promise<T>,
  slos: readonly string[] = [],
  client: readonly string[] = [],
): Promise<T> =>
  inDatabase(async (database) => {
    const settings = { scenario: "chat-stream", target: "http://t", duration: 60_000, warmup: 0 };
    const header = { schema: "assay.records/1", settings, seed: 1, startedAt: instant(0) };
    const read = shards.map((records) => ({
      records: [header, ...records].map((line) => JSON.stringify(line)),
      client,
    }));
    const bounds = requestBounds(slos.map(parseSlo));
    return use(await readShards(database, read, { bounds }));
  });

async function inFiles(input: LoadInput, folder: string): Promise<LoadInput> {
  const shards: Shard[] = [];
  for (const [index, shard] of input.shards.entries()) {
    const path = join(folder, `records-${index}.jsonl`);
    const lines: string[] = [];
    for await (const line of shard.records) if (typeof line === "string") lines.push(line);
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    shards.push({ ...shard, records: lines, path });
  }
  return { ...input, shards };
}
