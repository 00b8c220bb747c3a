/** The result of a query in the forms in which it is printed. Pure. */

import { plainLine, shorten } from "../../lib/text.ts";
import { csvOf } from "../csv.ts";
import { columns } from "../terminal-text.ts";
import { TABLES } from "./run-tables.ts";

/** A value; lists, structures and JSON are as they are in JSON. */
export type Cell = unknown;

export interface QueryResult {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const textOf = (value: Cell): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Rows that are shown on a terminal at most, and characters of a value. */
export const MOST_ROWS = 1_000;
const WIDEST = 60;

/** Columns on a terminal, numbers flush right. */
export function queryTable({ names, rows }: QueryResult): string {
  const shown = rows.slice(0, MOST_ROWS);
  const cells = shown.map((row) => row.map((value) => shorten(plainLine(textOf(value)), WIDEST)));
  const isNumber = (index: number): boolean =>
    shown.every((row) => row[index] === null || typeof row[index] === "number") &&
    shown.some((row) => typeof row[index] === "number");
  const right = new Set(names.flatMap((_, index) => (isNumber(index) ? [index] : [])));
  return `${columns([names.map(plainLine), ...cells], right).join("\n")}\n`;
}

/** Lines of CSV. @param head whether the names come first */
export const queryCsv = ({ names, rows }: QueryResult, head: boolean): string =>
  csvOf([...(head ? [names] : []), ...rows.map((row) => row.map(textOf))]);

/** An object for each row, by the names of the columns. */
export const queryObjects = ({ names, rows }: QueryResult): Record<string, Cell>[] =>
  rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));

/** The tables and their columns, for a terminal. */
export const tablesText = (): string =>
  TABLES.map(({ name, meaning, columns: own }) => {
    const lines = own.map(({ name: column, type, unit, meaning: what }) => [
      `  ${column}`,
      type,
      unit === undefined ? what : `${what} (${unit})`,
    ]);
    return `${name}: ${meaning}\n${columns(lines).join("\n")}\n`;
  }).join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The same as Markdown, for the documentation. */
export const tablesMarkdown = (): string =>
  TABLES.map(({ name, meaning, columns: own }) => {
    const rows = own.map(
      (column) => `| \`${column.name}\` | ${column.type} | ${column.unit ?? ""} | ${cell(column.meaning)} |`,
    );
    return `### \`${name}\`\n\nHolds ${meaning}.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  }).join("\n");
