/**
 * Writes the rows of a table as JSON lines. A process of its own: the database is asynchronous, and what reads files of prompts is
 * not. Plain Node, so that it starts soon.
 */

import { writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { literal, NO_EXTENSIONS, quoted, withoutPattern } from "../../lib/duckdb.mjs";

/** @type {import("./prompt-tables.ts").TableTask} */
const { file, rows, answer, csv, texts, nested } = JSON.parse(process.argv[2] ?? "");

const path = literal(withoutPattern(file));

const source =
  csv === undefined
    ? `read_parquet(${path})`
    : `read_csv(${path}, auto_detect = false, header = true, quote = '"', escape = '"', delim = ${literal(csv.delimiter)}, columns = {${csv.columns.map((name) => `${literal(name)}: 'VARCHAR'`).join(", ")}}, max_line_size = ${csv.longestBytes}, buffer_size = ${2 * csv.longestBytes}, store_rejects = true, rejects_limit = 0)`;

/** A column as it is written: names of members in lower case, JSON in texts as JSON, and of what is no text that it is there. */
function written(/** @type {string} */ name, /** @type {string} */ type) {
  const lower = name.toLowerCase();
  const as = [...texts, ...nested].includes(lower) ? lower : name;
  if (/\bBLOB\b/.test(type)) return `CASE WHEN ${quoted(name)} IS NOT NULL THEN true END AS ${quoted(as)}`;
  if (type !== "VARCHAR" || !nested.includes(lower)) return `${quoted(name)} AS ${quoted(as)}`;
  return `CASE WHEN json_valid(${quoted(name)}) THEN ${quoted(name)}::JSON ELSE to_json(${quoted(name)}) END AS ${quoted(as)}`;
}

const instance = await DuckDBInstance.create(":memory:", {
  ...NO_EXTENSIONS,
  memory_limit: "500MB",
  threads: "2",
  temp_directory: `${rows}.tmp`,
});
const connection = await instance.connect();
const all = async (/** @type {string} */ sql) => (await connection.runAndReadAll(sql)).getRowsJson();
const columns = (await all(`DESCRIBE SELECT * FROM ${source}`)).map(([name, type]) => [String(name), String(type)]);
const select = columns.map(([name = "", type = ""]) => written(name, type)).join(", ");
await connection.run(`COPY (SELECT ${select} FROM ${source}) TO ${literal(rows)} (FORMAT json)`);
const rejected =
  csv === undefined
    ? []
    : await all(
        "SELECT line::VARCHAR, error_type, error_message, contains(csv_line, chr(10)) FROM reject_errors ORDER BY line",
      );
writeFileSync(answer, JSON.stringify({ columns: columns.map(([name]) => name), rejected }), {
  flag: "wx",
  mode: 0o600,
});
connection.closeSync();
instance.closeSync();
