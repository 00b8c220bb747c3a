/** What a search would cost, for `--plan`, and before it starts. */

import { keyNotice } from "../../cli/api-keys.ts";
import { formatCount, preview, range } from "../../cli/preview.ts";
import { givenTarget, prefixNotice } from "../../cli/target.ts";
import { formatSeconds } from "../../reports/numbers.ts";
import { formatLoad } from "../../reports/search/load-text.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import { withMeans } from "../load/drawn-lengths.ts";
import { costRows } from "../load/load-preview.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { repeatedNotice } from "../load/repeated-notice.ts";
import { weakerNotice } from "../load/weaker-notice.ts";
import { estimateSearch } from "./estimate-search.ts";
import type { SearchPlan } from "./plan-search.ts";

/** The range and the cost of a search, as far as they are known before. */
export function searchPreview(plan: SearchPlan): string {
  const { scenario, space, unit, budget, target, slos } = plan;
  const { runs, seconds, arrivals } = estimateSearch(plan);
  const { settings } = plan.run(space.first, plan.lengthOf(space.first, "confirm", []), 0);
  const { outputTokens, videoJobs } = costOf(scenario, withMeans(settings));
  const times = (each: number): string =>
    arrivals === undefined
      ? `${formatCount(each)} per arrival`
      : range(
          arrivals.map((count) => count * each),
          formatCount,
        );
  const bound = Number.isFinite(budget.arrivals) ? `, at most ${formatCount(budget.arrivals)}` : "";
  return preview(
    `Finding the highest ${unit === "rate" ? "rate" : "number of users"} of ${scenario} at ${target} that meets ${slos.join(", ")}.`,
    [
      [
        "tries",
        `${formatLoad(space.first, unit)} first, from ${formatLoad(space.min, unit)} to ${formatLoad(space.max, unit)} and never more${space.floor && unit === "rate" ? ALONE : ""}`,
      ],
      ["runs, about", `${range(runs, formatCount)}, at most ${formatCount(budget.runs)}`],
      ["time, about", `${range(seconds, formatSeconds)} of load, and some seconds more per run`],
      [
        "arrivals, about",
        `${arrivals === undefined ? "as many as the target responds to" : range(arrivals, formatCount)}${bound}`,
      ],
      ...(outputTokens > 0 ? [["max_tokens in all", times(outputTokens)] as const] : []),
      ...(videoJobs > 0 ? [["video tasks", times(videoJobs)] as const] : []),
      ...costRows({ scenario, settings }, arrivals ?? [1, 1]).map(
        ([name, amount]) => [name, arrivals === undefined ? `${amount} per arrival` : amount] as const,
      ),
    ],
  );
}

/** The floor is a closed loop, which no rate bounds. */
const ALONE = "; before, one user alone, as fast as the target serves it";

/**
 * What is said before a search.
 * @param highest its run that sends most
 * @param cost its preview
 */
export const searchNotices = (
  highest: LoadPlan,
  flags: Readonly<Record<string, unknown>>,
  cost: string,
): readonly string[] =>
  [
    prefixNotice(givenTarget(flags), highest.settings.target),
    keyNotice(highest.keys),
    checkOpenFiles(highest.settings, openFilesLimit()),
    weakerNotice(highest.settings),
    cost.trimEnd(),
    repeatedNotice(highest, true),
  ].flatMap((notice) => notice ?? []);

/** The cost of each search of a grid, and of all. */
export function searchGridPreview(cells: readonly { readonly name: string; readonly plan: SearchPlan }[]): string {
  const estimates = cells.map(({ name, plan }) => ({ name, ...estimateSearch(plan) }));
  const sum = (of: (estimate: (typeof estimates)[number]) => readonly number[]): number[] =>
    [0, 1].map((end) => estimates.reduce((total, estimate) => total + (of(estimate)[end] ?? 0), 0));
  const row = (runs: readonly number[], seconds: readonly number[]): string =>
    `about ${range(runs, formatCount)} runs, ${range(seconds, formatSeconds)} of load`;
  const [first] = cells;
  return preview(
    `${cells.length} searches of ${first?.plan.scenario} at ${[...new Set(cells.map(({ plan }) => plan.target))].join(", ")}, each for the highest load that meets ${first?.plan.slos.join(", ")}.`,
    [
      ...estimates.map(({ name, runs, seconds }) => [name, row(runs, seconds)] as const),
      [
        "all",
        row(
          sum(({ runs }) => runs),
          sum(({ seconds }) => seconds),
        ),
      ],
    ],
  );
}
