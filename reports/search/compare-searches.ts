/** The searches of a grid together: what each found. Pure. */

import { loadOf, type SearchResult } from "../../formats/search.ts";
import type { OneSearch, SearchesResult } from "../../formats/searches.ts";
import { asNumber } from "../runs/compare-runs.ts";
import { shownFigure } from "./step-latency.ts";

/** A search of a grid. */
export interface NamedSearch {
  readonly dir: string;
  readonly cell: string;
  /** Its values, in the order of the settings. */
  readonly texts: readonly string[];
  readonly search: SearchResult;
}

/** What is known of a grid after these searches of it. */
export function compareSearches(
  named: readonly NamedSearch[],
  { tool, grid }: Pick<SearchesResult, "tool" | "grid">,
): SearchesResult {
  const searches = named.map((each) => summaryOf(each, grid.axes));
  return { schema: "assay.searches/1", tool, grid, searches, ...concluded(searches, grid.cells) };
}

function summaryOf({ dir, cell, texts, search }: NamedSearch, axes: readonly string[]): OneSearch {
  const { target, scenario, startedAt, unit, found, limitedBy, state, exitCode, conclusion } = search;
  const values = Object.fromEntries(axes.map((axis, index) => [axis, asNumber(texts[index] ?? "")]));
  const step =
    found === null
      ? undefined
      : search.steps.findLast(({ purpose, [unit]: load }) => purpose === "confirm" && load === loadOf(found));
  const figure = step && shownFigure(step, step.latency?.statistic ?? "p95");
  const { perOk, currency } = step?.cost ?? {};
  return {
    ...{ dir, cell, values, target, scenario, startedAt, unit, found, limitedBy, state, exitCode, conclusion },
    ...(figure !== undefined && { latency: { name: `${step?.latency?.name} ${figure.label}`, ms: figure.ms } }),
    ...(perOk !== undefined && { costPer1000Ok: 1_000 * perOk, ...(currency !== undefined && { currency }) }),
  };
}

/** A search that failed is worse than one that found nothing out. */
function concluded(searches: readonly OneSearch[], cells: number): Pick<SearchesResult, "exitCode" | "conclusion"> {
  const count = (code: OneSearch["exitCode"]): number => searches.filter(({ exitCode }) => exitCode === code).length;
  const ended = searches.filter(({ state }) => state === "ended").length;
  const [found, failed, open] = [count(0), count(1), count(2)];
  const parts = [
    `${found} of ${cells} searches found a load that meets the objectives`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(open > 0 ? [`${open} inconclusive or not complete`] : []),
    ...(ended < cells ? [`${ended} ended`] : []),
  ];
  const exitCode = failed > 0 ? 1 : open > 0 || ended < cells ? 2 : 0;
  return { exitCode, conclusion: parts.join(", ") };
}
