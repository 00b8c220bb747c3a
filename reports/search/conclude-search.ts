/** What a search found, its exit code, and the sentence that explains it. Pure. */

import { MOST_DIFFERENT } from "../../formats/run-inputs.ts";
import { loadOf, type SearchResult, type SearchStep } from "../../formats/search.ts";
import { formatFigure, formatShare, plural } from "../numbers.ts";
import { formatLoad } from "./load-text.ts";
import { shownFigure } from "./step-latency.ts";

/** Why a search ends, or pauses. */
export type SearchEnd =
  | { readonly why: "confirmed"; readonly found: number; readonly limitedBy: "target" | "range" }
  | { readonly why: "floor-missed" | "lowest-missed" | "client" | "never-measured" }
  | { readonly why: "undecided" | "invalid"; readonly at: number }
  | { readonly why: "interrupted" | "running" }
  | { readonly why: "budget"; readonly budget: string };

type Known = Pick<SearchResult, "unit" | "range" | "steps" | "bracket"> & {
  /** Whether the user asked for prompts that repeat. */
  readonly repeatsAsked?: boolean;
};
type Conclusion = Pick<SearchResult, "found" | "limitedBy" | "state" | "exitCode" | "conclusion">;

const OUT_OF_BUDGET = "the search ended because of";

/** Whether a search that is resumed would make another run: one that came to its end would end there again. */
export const wouldGoOn = ({ state, conclusion }: Pick<SearchResult, "state" | "conclusion">): boolean =>
  state !== "ended" || conclusion.startsWith(OUT_OF_BUDGET);

/** The result of a search that ends for this reason. */
export function concludeSearch(end: SearchEnd, known: Known): Conclusion {
  const { unit, range, bracket } = known;
  const words = (load: number): string => formatLoad(load, unit);
  const none = { found: null, limitedBy: null, state: "ended", exitCode: 2 } as const;
  switch (end.why) {
    case "confirmed": {
      const repeats = repeatsIn(known);
      if (repeats !== undefined && !known.repeatsAsked && mattersIn(known)) {
        return {
          ...none,
          conclusion: `${words(end.found)} met the objectives, but ${repeats}: the limit may be that of a cache; send each prompt once (--set unique-prompts=true), or allow repetition (--set unique-prompts=false)`,
        };
      }
      const found = { [unit]: end.found };
      const conclusion =
        end.limitedBy === "range"
          ? `all objectives are met at ${words(end.found)}, the highest load to try; the limit is higher`
          : `${words(end.found)} is the highest load that meets the objectives${missedAt(known)}`;
      const more = repeats === undefined ? "" : `; ${repeats}`;
      return { found, limitedBy: end.limitedBy, state: "ended", exitCode: 0, conclusion: conclusion + more };
    }
    case "floor-missed":
      return { ...none, limitedBy: "target", exitCode: 1, conclusion: floorMissed(known) };
    case "lowest-missed":
      return {
        ...none,
        limitedBy: "target",
        exitCode: 1,
        conclusion: `the objectives are missed at ${words(range.min)}, the lowest load to try${reasonAt(known, range.min)}`,
      };
    case "client":
      return { ...none, limitedBy: bracket.missed === null ? "client" : null, conclusion: clientLimited(known) };
    case "never-measured":
      return { ...none, conclusion: neverMeasured(known) };
    case "undecided":
    case "invalid": {
      const what = end.why === "invalid" ? "nothing valid was measured" : "the objectives could not be decided";
      const why =
        end.why === "undecided" ? (splitAt(known, end.at) ?? reasonAt(known, end.at)) : reasonAt(known, end.at);
      return { ...none, conclusion: `${what} at ${words(end.at)}${why}; ${between(known)}` };
    }
    case "budget":
      return { ...none, conclusion: `${OUT_OF_BUDGET} ${end.budget}; ${between(known)}` };
    case "interrupted":
      return { ...none, state: "interrupted", conclusion: `the search was interrupted; ${between(known)}` };
    case "running":
      return { ...none, state: "running", conclusion: `the search has not ended; ${between(known)}` };
  }
}

/** One user alone is the least load that there is. */
function floorMissed({ steps, unit }: Known): string {
  const step = steps.findLast(({ purpose, verdict }) => purpose === "floor" && verdict === "missed");
  const none = unit === "rate" ? "no rate meets the objectives" : "no number of users meets the objectives";
  if (step === undefined) return none;
  const { latency, arrivals } = step;
  const figure = shownFigure(step, latency?.statistic ?? "p95");
  const seen = figure === undefined ? "" : `, ${latency?.name} ${figure.label} ${formatFigure(figure.ms)} ms`;
  return `${none}: one user alone ${becauseOf(step)} (${plural(arrivals, "request")}${seen})`;
}

/** What no response holds cannot be compared with an objective, whatever the load. */
function neverMeasured({ steps }: Known): string {
  const step = steps.find(({ neverMeasured: exprs }) => exprs !== undefined);
  const exprs = step?.neverMeasured?.join(", ") ?? "an objective";
  return `${exprs} cannot be decided at any load: no response has a value for it${step === undefined ? "" : `; ${step.reason}`}`;
}

/** A smaller share of repeated inputs is not mentioned. */
const FEW_REPEATED = 0.01;

const rangeOf = (shares: readonly number[]): readonly [number, number] => [Math.min(...shares), Math.max(...shares)];

/** How many of the inputs of the runs were sent before in the search; undefined where hardly any was, or nobody knows. */
function repeatsIn({ steps }: Known): string | undefined {
  const shares = steps.flatMap(({ repeated = [] }) => repeated);
  const [least, most] = rangeOf(shares);
  if (shares.length === 0 || most < FEW_REPEATED) return undefined;
  const share = least === most ? formatShare(most) : `${formatShare(least)} to ${formatShare(most)}`;
  const sooner = steps.some(({ cacheAnswers }) => cacheAnswers) ? ", and was answered sooner" : "";
  return `${share} of what its runs sent had been sent before${sooner}`;
}

/** Whether runs differ in what had been sent before, or the target shows that this matters. */
function mattersIn({ steps }: Known): boolean {
  const [least, most] = rangeOf(steps.flatMap(({ repeated = [] }) => repeated));
  return most - least > MOST_DIFFERENT || steps.some(({ cacheAnswers }) => cacheAnswers);
}

/** What is known of where the limit of the target lies, and nothing more. */
function between({ bracket: { met, missed }, steps, unit }: Known): string {
  const words = (load: number): string => formatLoad(load, unit);
  const below = missed === null ? undefined : `the limit lies below ${words(missed)}`;
  if (met === null) return below ?? "no limit found";
  const open = leftOpenAt(steps, met);
  if (open.length > 0) {
    const sofar = `${words(met)} met what a short run can decide, but not ${open.join(", ")}`;
    return below === undefined ? sofar : `${below}; ${sofar}`;
  }
  return missed === null
    ? `${words(met)} meets the objectives`
    : `the limit lies between ${words(met)} and ${words(missed)}`;
}

/** The objectives that no run at a load decided. */
function leftOpenAt(steps: readonly SearchStep[], load: number): readonly string[] {
  const met = steps.filter((step) => loadOf(step) === load && step.verdict === "met");
  return met.some(({ leftOpen = [] }) => leftOpen.length === 0) ? [] : (met[0]?.leftOpen ?? []);
}

const MORE_MACHINES = "split the load over more machines, or give this one more CPUs";

/** Of a load generator that hardly used the CPUs that it was waiting for. */
const CPUS_FOR_IT =
  "other processes take the CPUs of this machine, so that a lower load is no remedy: stop them, or give the load generator CPUs of its own";

/** A search that the load generator ended: a load at which it was the limit says nothing about the target. */
function clientLimited(known: Known): string {
  const { bracket, unit } = known;
  const at = bracket.clientLimited ?? null;
  const where = at === null ? "" : `at ${formatLoad(at, unit)} `;
  if (bracket.missed !== null) {
    return `the load generator was the limit ${where}and the target could not be measured there; ${between(known)}; ${MORE_MACHINES}`;
  }
  const met = bracket.met === null ? "no load was met" : `${between(known)}; the limit above is not known`;
  const isStarved = known.steps.some((step) => step.starved && loadOf(step) === at);
  const remedy = bracket.met === null && isStarved ? CPUS_FOR_IT : MORE_MACHINES;
  return `${where}the load generator is the limit, not the target; ${met}; ${remedy}`;
}

/** `: its runs do not agree (1 met, 1 missed, 3 client-limited)`; undefined where none contradicts another. */
function splitAt({ steps }: Known, load: number): string | undefined {
  const verdicts = steps.filter((step) => loadOf(step) === load).map(({ verdict }) => verdict);
  if (!verdicts.includes("missed")) return undefined;
  const counts = [...new Set(verdicts)].map(
    (verdict) => `${verdicts.filter((each) => each === verdict).length} ${verdict}`,
  );
  return counts.length < 2 ? undefined : `: its runs do not agree (${counts.join(", ")})`;
}

function missedAt({ bracket: { missed }, steps, unit }: Known): string {
  if (missed === null) return "";
  const step = lastAt(steps, missed);
  return `; at ${formatLoad(missed, unit)} it ${step === undefined ? "does not" : becauseOf(step)}`;
}

/** `missed ttft_p95<500ms`, or what else kept a run from meeting the objectives. */
function becauseOf({ objectives, reason }: SearchStep): string {
  const missed = objectives.filter(({ ok }) => ok === false).map(({ expr }) => expr);
  return missed.length > 0 ? `missed ${missed.join(", ")}` : `does not, because ${reason}`;
}

const reasonAt = ({ steps }: Known, load: number): string => {
  const step = lastAt(steps, load);
  return step === undefined ? "" : `: ${step.reason}`;
};

/** Of the runs at a load that did not meet the objectives, the last. */
const lastAt = (steps: readonly SearchStep[], load: number): SearchStep | undefined =>
  steps.findLast((step) => loadOf(step) === load && step.verdict !== "met");
