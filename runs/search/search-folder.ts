/** The result folder of a search: `search.json`, its reports, and a folder for each run. */

import { readdirSync } from "node:fs";
import { writeWhole } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { FILES } from "../../formats/file-names.ts";
import { type SearchResult, searchJson, searchResult } from "../../formats/search.ts";
import { type SearchesResult, searchesJson, searchesResult } from "../../formats/searches.ts";
import { searchMarkdown } from "../../reports/search/search-markdown.ts";

/** A name for the next run or search: after those of all, also of one that was killed. */
export function nextRunName(folder: string, what: "run" | "search" = "run"): string {
  const named = new RegExp(`^${what}-(\\d+)$`);
  const numbers = readdirSync(folder).map((name) => Number(named.exec(name)?.[1] ?? 0));
  return `${what}-${String(Math.max(0, ...numbers) + 1).padStart(2, "0")}`;
}

/** Saves what is known; after a kill the search goes on from there. @throws UsageError when it cannot be written */
export function saveSearch(folder: string, search: SearchResult): void {
  writeWhole(folder, FILES.search, searchJson(search), `The runs so far are saved in ${folder}.`);
}

/** Reads `search.json`. @throws UsageError that says why it cannot be read */
export const readSearch = (folder: string): SearchResult =>
  readSavedResult(folder, FILES.search, searchResult, "search");

/** Writes the reports of a search beside its `search.json`. @returns the path of the page */
export async function writeSearchViews(folder: string, search: SearchResult): Promise<string> {
  const { searchHtml } = await import("../../reports/search/search-html.ts");
  writeWhole(folder, "search.md", searchMarkdown(search));
  return writeWhole(folder, "search.html", searchHtml(search));
}

/** Reads `searches.json`. @throws UsageError that says why it cannot be read */
export const readSearches = (folder: string): SearchesResult =>
  readSavedResult(folder, FILES.searches, searchesResult, "search with --grid");

/** Writes `searches.json` and the reports of the searches of a grid. @returns the path of the page */
export async function writeSearchesViews(folder: string, result: SearchesResult): Promise<string> {
  const { searchesHtml, searchesMarkdown } = await import("../../reports/search/searches-views.ts");
  const saved = `The searches so far are saved in ${folder}.`;
  writeWhole(folder, FILES.searches, searchesJson(result), saved);
  writeWhole(folder, "searches.md", searchesMarkdown(result), saved);
  return writeWhole(folder, FILES.index, searchesHtml(result), saved);
}
