/** `assay sql`: a query over the tables of loads. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { jsonFlag } from "../../cli/command-settings.ts";
import { notify, print, printResult } from "../../cli/console.mjs";
import { endSentence } from "../../lib/text.ts";
import { formatNumber } from "../../reports/numbers.ts";
import { MOST_ROWS, queryCsv, queryObjects, queryTable, tablesText } from "../../reports/tables/query-result.ts";
import { TABLES } from "../../reports/tables/run-tables.ts";
import { recordFoldersOf, recordHeaderOf } from "../../runs/views/load-views.ts";
import type { RunDatabase } from "../../runs/views/run-database.ts";
import { notOneOf } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";

const FORMATS = ["table", "csv", "json", "parquet"] as const;
type Format = (typeof FORMATS)[number];

interface SqlFlags {
  readonly format?: string;
  readonly out?: string;
  readonly tables?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  assay sql --tables
  assay sql out/load-1 "SELECT outcome, count(*), median(ttft_us) / 1000 AS ttft_ms FROM requests GROUP BY outcome"
  assay sql out/load-1 out/load-2 "SELECT shard, max(gap_us) FROM gaps GROUP BY shard" --format csv
  assay sql out/load-1 "FROM requests" --format parquet --out requests.parquet
`;

export const command = new Command("sql")
  .usage("[options] <dir...> <query>")
  .argument("[words...]", "result folders of loads, and last a query: one SELECT in the SQL of DuckDB")
  .option("--format <format>", `how the result is printed: ${FORMATS.join(", ")}`, "table")
  .option("--out <file>", "new file for the result; with --format parquet")
  .option("--tables", "describe the tables and their columns")
  .addOption(jsonFlag())
  .addHelpText("after", EXAMPLES)
  .action(async (words: readonly string[], flags: SqlFlags) => {
    if (flags.tables === true) return printResult(tablesText(), () => TABLES.map(described));
    const format = formatOf(flags);
    const { folders, sql } = askedFor(words);
    for (const folder of folders) await recordHeaderOf(folder);
    const { RunDatabase } = await import("../../runs/views/run-database.ts");
    const database = await RunDatabase.of(folders);
    try {
      await answer(database, sql, format, flags);
    } finally {
      database.close();
    }
  });

const described = ({ name, meaning, columns }: (typeof TABLES)[number]) => ({
  name,
  meaning,
  columns: columns.map(({ name: column, type, unit, meaning: what }) => ({ name: column, type, unit, meaning: what })),
});

function formatOf({ format = "table", out }: SqlFlags): Format {
  const known = FORMATS.find((each) => each === format);
  if (known === undefined)
    throw new UsageError(`Cannot print the result: --format ${endSentence(notOneOf(format, FORMATS))}`);
  if ((known === "parquet") === (out !== undefined)) return known;
  throw new UsageError(
    known === "parquet"
      ? "Cannot write Parquet to a terminal. Name a new file with --out."
      : `Cannot write ${known} to a file: --out is for --format parquet. Direct standard output to a file.`,
  );
}

/** The folders of the records, and the query. */
function askedFor(words: readonly string[]): { readonly folders: readonly string[]; readonly sql: string } {
  const sql = words.at(-1);
  if (sql === undefined || words.length < 2 || existsSync(sql)) {
    throw new UsageError(
      `Cannot query ${words.join(", ") || "a load"}: ${sql === undefined ? "no result folder and no query is given" : "a result folder and a query are needed"}. Such as: assay sql DIR "SELECT count(*) FROM requests". assay sql --tables lists the tables.`,
    );
  }
  return { folders: words.slice(0, -1).flatMap(recordFoldersOf), sql };
}

async function answer(database: RunDatabase, sql: string, format: Format, { out, json }: SqlFlags): Promise<void> {
  if (out !== undefined) {
    const path = resolve(out);
    if (existsSync(path)) throw new UsageError(`Cannot write ${path}: it exists. Name a new file with --out.`);
    await database.lock(path);
    await database.writeParquet(sql, path);
    return printResult(`${path}\n`, () => ({ file: path }));
  }
  await database.lock();
  if (format === "csv" && json !== true) return printCsv(database, sql);
  const rows: (readonly unknown[])[] = [];
  let names: readonly string[] = [];
  let count = 0;
  for await (const part of database.rows(sql)) {
    names = part.names;
    count += part.rows.length;
    if (format === "json" || json === true || rows.length < MOST_ROWS) rows.push(...part.rows);
  }
  const objects = () => queryObjects({ names, rows });
  if (format === "json") return printResult(`${JSON.stringify(objects(), null, 2)}\n`, objects);
  printResult(queryTable({ names, rows }), objects);
  if (count > MOST_ROWS) {
    notify(`${formatNumber(count - MOST_ROWS)} more rows; --format csv, json or parquet has all of them.`);
  }
}

async function printCsv(database: RunDatabase, sql: string): Promise<void> {
  let isFirst = true;
  for await (const part of database.rows(sql)) {
    print(queryCsv(part, isFirst));
    isFirst = false;
  }
}
