/** The table of docs/conformance.md about the official clients. */

import { readFileSync } from "node:fs";
import { tableRows } from "./markdown-tables.ts";

/** What the clients do under a fault that a clause must detect. */
export interface ClientRow {
  readonly clause: string;
  readonly fault: string;
  /** `works`, or the uses that throw or give something else. */
  readonly javascript: string;
  readonly python: string;
  readonly go: string;
}

export const clientsTable = (): ClientRow[] =>
  tableRows(readFileSync(new URL("../../../docs/conformance.md", import.meta.url), "utf8"), [
    "clause",
    "fault",
    "JavaScript",
    "Python",
    "Go",
  ]).map((row) => ({
    clause: row["clause"] ?? "",
    fault: row["fault"] ?? "",
    javascript: row["JavaScript"] ?? "",
    python: row["Python"] ?? "",
    go: row["Go"] ?? "",
  }));
