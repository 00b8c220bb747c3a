/** What a search found, its exit code, and the sentence that explains it. Pure. */

import { loadOf, type SearchResult, type SearchStep } from "../../formats/search.ts";
import { formatLoad } from "./load-text.ts";

/** Why a search ends, or pauses. */
export type SearchEnd =
  | { readonly why: "confirmed"; readonly found: number; readonly limitedBy: "target" | "range" }
  | { readonly why: "lowest-missed" | "client" }
  | { readonly why: "undecided" | "invalid"; readonly at: number }
  | { readonly why: "interrupted" | "running" }
  | { readonly why: "budget"; readonly budget: string };

type Known = Pick<SearchResult, "unit" | "range" | "steps" | "bracket">;
type Conclusion = Pick<SearchResult, "found" | "limitedBy" | "state" | "exitCode" | "conclusion">;

/** The result of a search that ends for this reason. */
export function concludeSearch(end: SearchEnd, known: Known): Conclusion {
  const { unit, range, bracket } = known;
  const words = (load: number): string => formatLoad(load, unit);
  const none = { found: null, limitedBy: null, state: "ended", exitCode: 2 } as const;
  switch (end.why) {
    case "confirmed": {
      const found = { [unit]: end.found };
      const conclusion =
        end.limitedBy === "range"
          ? `all objectives are met at ${words(end.found)}, the highest load that was to be tried; the limit is higher`
          : `${words(end.found)} is the highest load that meets the objectives${missedAt(known)}`;
      return { found, limitedBy: end.limitedBy, state: "ended", exitCode: 0, conclusion };
    }
    case "lowest-missed":
      return {
        ...none,
        limitedBy: "target",
        exitCode: 1,
        conclusion: `the objectives are missed at ${words(range.min)} already, the lowest load that is tried${reasonAt(known, range.min)}`,
      };
    case "client":
      return {
        ...none,
        limitedBy: "client",
        conclusion: `CLIENT-LIMITED: ${bracket.missed === null ? "" : `at ${words(bracket.missed)} `}the load generator is the limit, not the target; ${atLeast(known)}`,
      };
    case "undecided":
    case "invalid": {
      const what = end.why === "invalid" ? "nothing valid was measured" : "the objectives could not be decided";
      return { ...none, conclusion: `${what} at ${words(end.at)}${reasonAt(known, end.at)}; ${between(known)}` };
    }
    case "budget":
      return { ...none, conclusion: `the search ended because of ${end.budget}; ${between(known)}` };
    case "interrupted":
      return { ...none, state: "interrupted", conclusion: `the search was interrupted; ${between(known)}` };
    case "running":
      return { ...none, state: "running", conclusion: `the search has not ended; ${between(known)}` };
  }
}

/** What is known of where the limit lies. */
function between({ bracket: { met, missed }, unit }: Known): string {
  const words = (load: number): string => formatLoad(load, unit);
  if (met !== null && missed !== null) return `the limit lies between ${words(met)} and ${words(missed)}`;
  if (met !== null) return `${words(met)} meets the objectives`;
  return missed === null ? "nothing is known of the limit" : `the limit lies below ${words(missed)}`;
}

const atLeast = ({ bracket: { met }, unit }: Known): string =>
  met === null
    ? "no load was met; split the load over more machines, or give this one more CPUs"
    : `${formatLoad(met, unit)} was met, and what the target bears beyond is not known; split the load over more machines, or give this one more CPUs`;

function missedAt({ bracket: { missed }, steps, unit }: Known): string {
  if (missed === null) return "";
  const step = lastAt(steps, missed);
  return `; at ${formatLoad(missed, unit)} it ${step === undefined ? "does not" : becauseOf(step)}`;
}

/** `missed ttft_p95<500ms`, or what else kept a run from meeting the objectives. */
function becauseOf({ objectives, reason }: SearchStep): string {
  const missed = objectives.filter(({ ok }) => ok === false).map(({ expr }) => expr);
  return missed.length > 0 ? `missed ${missed.join(", ")}` : `does not, for ${reason}`;
}

const reasonAt = ({ steps }: Known, load: number): string => {
  const step = lastAt(steps, load);
  return step === undefined ? "" : `: ${step.reason}`;
};

/** Of the runs at a load that did not meet the objectives, the last. */
const lastAt = (steps: readonly SearchStep[], load: number): SearchStep | undefined =>
  steps.findLast((step) => loadOf(step) === load && step.verdict !== "met");
