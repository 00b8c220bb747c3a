/** The section of docs/file-formats.md that describes the tables of `assay sql`, made from what the program reads. Pure. */

import { tablesMarkdown } from "../../reports/tables/query-result.ts";

const HEAD = "## Columns of the tables\n";

/** The page with its last section made anew. @throws Error when it has none */
export function withTables(page: string): string {
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error(`docs/file-formats.md needs the section "${HEAD.trim()}" at its end`);
  return `${page.slice(0, at)}${HEAD}\n${tablesMarkdown()}`;
}
