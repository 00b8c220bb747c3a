/** The coverage of the specification, as Markdown: each statement, how it is checked, and what proves the check. Pure. */

import type { Clause } from "../../conformance/model/clause.ts";
import type { LedgerRow } from "../../contract/ledger.ts";

/** How a row is dealt with; `none` and `several` are mistakes. */
export type Treatment = "covered" | "excluded" | "none" | "several";

/** How the ledger's row is dealt with by these clauses. */
export function treatmentOf(row: LedgerRow, clauses: readonly Clause[]): Treatment {
  const covered = clauses.some(({ rows }) => rows.includes(row.id));
  const ways: Treatment[] = [];
  if (covered) ways.push("covered");
  if (row.excluded !== undefined) ways.push("excluded");
  return ways.length > 1 ? "several" : (ways[0] ?? "none");
}

/** Clauses that can fail and whose failing no fault proves; a test keeps `provenBy` to faults that exist and are caught. */
export const unproven = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.filter(({ level, provenBy }) => level !== "observed" && provenBy.length === 0);

/** Renders the coverage page. */
export function coveragePage(ledger: readonly LedgerRow[], clauses: readonly Clause[]): string {
  const without = unproven(clauses);
  const count = (treatment: Treatment): number =>
    ledger.filter((row) => treatmentOf(row, clauses) === treatment).length;
  const sections = [...new Set(ledger.map(({ section }) => section))];
  return [
    "# Coverage of the specification",
    `${ledger.length} statements: ${count("covered")} covered by ${clauses.length} clauses, ${count("excluded")} excluded with a reason, ${count("none")} not classified.`,
    `${clauses.filter(({ level }) => level !== "observed").length - without.length} clauses are proven by a fault that they catch, ${without.length} are not.`,
    ...sections.flatMap((section) => [
      `## ${section}`,
      table(ledger.filter((row) => row.section === section).map((row) => cells(row, clauses))),
    ]),
    ...(without.length === 0 ? [] : ["## Unproven clauses", without.map(({ id }) => `- \`${id}\``).join("\n")]),
    "",
  ].join("\n\n");
}

const HEAD = ["| statement | level | clauses | proven by |", "|---|---|---|---|"];
const table = (rows: readonly (readonly string[])[]): string =>
  [...HEAD, ...rows.map((row) => `| ${row.map(escaped).join(" | ")} |`)].join("\n");

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<");

function cells(row: LedgerRow, clauses: readonly Clause[]): readonly string[] {
  if (row.excluded !== undefined) return [row.text, row.level, `excluded: ${row.excluded}`, ""];
  const mine = clauses.filter(({ rows }) => rows.includes(row.id));
  const proofs = [...new Set(mine.flatMap(({ provenBy }) => provenBy))];
  return [row.text, row.level, code(mine.map(({ id }) => id)), code(proofs)];
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
