/** The rows of the ledger that clauses check: their statements, and whether they are about a compatible interface. */

import { LEDGER, type LedgerRow } from "../../contract/ledger.ts";
import type { Statement } from "../../formats/verdicts.ts";

const ROWS: ReadonlyMap<string, LedgerRow> = new Map(LEDGER.map((row) => [row.id, row]));

/** The statements of the specification behind rows of the ledger. */
export const statementsOf = (rows: readonly string[]): Statement[] =>
  rows.flatMap((id) => {
    const row = ROWS.get(id);
    return row === undefined ? [] : [{ row: id, section: row.section, text: row.text }];
  });

/** Whether a row states compatibility with an interface that the specification only names. */
export const isCompatible = (rows: readonly string[]): boolean =>
  rows.some((id) => ROWS.get(id)?.level === "compatible");
