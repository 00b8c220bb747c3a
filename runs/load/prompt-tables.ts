/** Files of prompts that are tables, CSV and Parquet: another process writes their rows as JSON lines, which are read as any others. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import { parseJson } from "../../lib/json.ts";
import { withoutMark } from "../../lib/text.ts";
import { isParquet } from "../../lib/text-file.ts";
import { LONGEST_ENTRY } from "../../load/inputs/prompt-entries.ts";
import { NESTED_MEMBERS, TEXT_MEMBERS } from "../../load/inputs/prompts.ts";
import { isTraceHeader } from "../../settings/load/arrival-process.ts";

/** A table that was recognised. */
export interface PromptTable {
  readonly kind: "CSV" | "Parquet";
  readonly csv?: Csv;
}

interface Csv {
  readonly delimiter: string;
  /** Names of its columns, each another one. */
  readonly columns: readonly string[];
  readonly longestBytes: number;
}

/** What the other process is told. */
export interface TableTask {
  readonly file: string;
  /** The file of JSON lines that it writes. */
  readonly rows: string;
  /** The file of what it says of them. */
  readonly answer: string;
  readonly csv?: Csv | undefined;
  /** Columns with prompts: texts, and lists or objects, which a text may hold as JSON. */
  readonly texts: readonly string[];
  readonly nested: readonly string[];
}

/** A table that was read. */
export interface TableRows {
  readonly columns: readonly string[];
  /** Why each line that is no row is none. */
  readonly rejected: readonly string[];
}

const DELIMITERS = [",", ";", "\t", "|"] as const;
const NAMES_OF_TABLES: readonly string[] = [".csv", ".tsv"];
const NAME = /^[A-Za-z_][\w .-]{0,60}$/;

/**
 * The table that a file is; undefined for one that is none.
 * @param start first bytes of the file, with the whole header of a table
 * @param name of the file: one with the ending of a table is one, unless it holds JSON
 */
export function tableIn(start: Buffer, name: string): PromptTable | undefined {
  if (isParquet(start) || extname(name).toLowerCase() === ".parquet") return { kind: "Parquet" };
  const [header = ""] = withoutMark(start.toString("utf8")).split(/\r?\n/, 1);
  if (/^\s*[{[]/.test(header)) return undefined;
  const delimiter = delimiterOf(header);
  const columns = cellsOf(header, delimiter);
  const isTable =
    NAMES_OF_TABLES.includes(extname(name).toLowerCase()) ||
    (columns.length > 1 && columns.every((column) => column === "" || NAME.test(column)) && isHeader(columns));
  return isTable
    ? { kind: "CSV", csv: { delimiter, columns: named(columns), longestBytes: LONGEST_ENTRY } }
    : undefined;
}

const isHeader = (columns: readonly string[]): boolean =>
  isTraceHeader(columns) ||
  columns.some((column) => [...TEXT_MEMBERS, ...NESTED_MEMBERS].includes(column.toLowerCase()));

const withoutQuoted = (text: string): string => text.replaceAll(/"(?:[^"]|"")*"/g, "");

function delimiterOf(header: string): string {
  const counts = DELIMITERS.map((each) => withoutQuoted(header).split(each).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

const cellsOf = (line: string, delimiter: string): readonly string[] =>
  [...(delimiter + line).matchAll(new RegExp(`[${delimiter}]("(?:[^"]|"")*"|[^${delimiter}]*)`, "g"))].map(
    ([, cell = ""]) => cell.replace(/^"(.*)"$/s, "$1").replaceAll('""', '"'),
  );

/** Each name once, and none empty. */
function named(columns: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const [at, column] of columns.entries()) {
    const isFree = column !== "" && ![...names].some((name) => name.toLowerCase() === column.toLowerCase());
    names.add(isFree ? column : `column${at + 1}`);
  }
  return [...names];
}

const WRITER = fileURLToPath(new URL("./write-table-rows.mjs", import.meta.url));

const answer = z.object({
  columns: z.array(z.string()),
  rejected: z.array(z.tuple([z.string(), z.string(), z.string(), z.boolean().nullable()])),
});

/**
 * Writes the rows of a table as JSON lines.
 * @param rows the file that is written
 * @throws Error whose message is a reason, without its end
 */
export function writeRows({ kind, csv }: PromptTable, file: string, rows: string): TableRows {
  const task: TableTask = { file, rows, answer: `${rows}.json`, csv, texts: TEXT_MEMBERS, nested: NESTED_MEMBERS };
  const { status, stderr, error } = spawnSync(process.execPath, [WRITER, JSON.stringify(task)], {
    encoding: "utf8",
    env: toolEnvironment(),
  });
  if (status !== 0) throw new Error(whyNot(kind, error?.message ?? stderr));
  const data = answer.parse(parseJson(readFileSync(task.answer, "utf8")));
  const open = data.rejected.find(([, type, , goesOn]) => type === "UNQUOTED VALUE" && goesOn === true);
  if (open !== undefined) throw new Error(`line ${open[0]} has a quotation mark that is not closed`);
  return {
    columns: data.columns,
    rejected: data.rejected.map(([line, type, message]) => `line ${line} ${inWords(type, message)}`),
  };
}

function whyNot(kind: PromptTable["kind"], said: string): string {
  if (/ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)/.test(said)) {
    return `it is a ${kind} file, and the package @duckdb/node-api that reads it, or its part for this system, cannot be loaded; install Assay again with its optional dependencies (npm install --include=optional), or write the file as JSON lines`;
  }
  const [, reason = said.trim().split("\n").at(-1) ?? ""] = /Error: (.*)/.exec(said) ?? [];
  return `it is no ${kind} file that can be read (${reason.trim().replace(/\.$/, "")})`;
}

/** What the database says of a line that it rejects. */
function inWords(type: string, message: string): string {
  const [, expected, found] = /Columns: (\d+) Found: (\d+)/.exec(message) ?? [];
  if (found !== undefined) return `has ${found} ${found === "1" ? "cell" : "cells"}, and the header ${expected}`;
  if (type === "INVALID ENCODING") return "is not text in UTF-8";
  if (type === "UNQUOTED VALUE") return "has a cell with a text after its closing quotation mark, or without that mark";
  if (type === "LINE SIZE OVER MAXIMUM") return `is longer than ${LONGEST_ENTRY / 2 ** 20} MiB`;
  return `cannot be read (${message.trim().replace(/\.$/, "")})`;
}
