/** What a gate of a CI system comes to: one verdict of all its results, what decided it, and its figures. Pure. */

import type { CompareResult } from "../../formats/compare.ts";
import type { ConformanceResult } from "../../formats/conformance.ts";
import type { RunResult } from "../../formats/run.ts";
import type { SearchResult } from "../../formats/search.ts";
import { checkStatus } from "../../formats/verdicts.ts";
import { comparisonRow, comparisonVerdict } from "../compare/views/comparison-rows.ts";
import { sloRow } from "../load/views/table-rows.ts";
import { searchVerdict } from "../search/step-rows.ts";
import { conformanceVerdict, failOnOf, runVerdict, type Tone, type VerdictWord } from "../verdict-words.ts";

/** The results of a gate: of one command, and of the comparison with a baseline. */
export interface GateResults {
  /** The runs of the load under test. */
  readonly runs: readonly RunResult[];
  readonly comparison?: CompareResult | undefined;
  readonly conformance?: ConformanceResult | undefined;
  readonly search?: SearchResult | undefined;
  /** Why there is no result. */
  readonly notRun?: string | undefined;
}

export interface GateVerdict extends VerdictWord {
  readonly exitCode: number;
  /** The reason for the verdict, without its end. */
  readonly conclusion: string;
}

/** The verdict of a gate: a failure wherever there is one, else the least that was concluded. Nothing run is inconclusive. */
export function gateVerdict(results: GateResults): GateVerdict {
  const { notRun } = results;
  if (notRun !== undefined) return notRunVerdict(notRun);
  const all = verdictsOf(results);
  const codes = all.map(({ exitCode }) => exitCode);
  const exitCode = codes.includes(1) ? 1 : Math.max(...codes);
  const decisive = all.find((each) => each.exitCode === exitCode) ?? notRunVerdict("there is no result");
  const isLimited = exitCode === 2 && results.runs.some(({ validity }) => validity.verdict === "CLIENT-LIMITED");
  return isLimited ? { ...decisive, word: "CLIENT-LIMITED" } : decisive;
}

const notRunVerdict = (conclusion: string): GateVerdict => ({
  word: "NOT RUN",
  tone: "unsure",
  exitCode: 2,
  conclusion,
});

/** The verdict of each result, the one that says most first. */
const verdictsOf = ({ runs, comparison, conformance, search }: GateResults): GateVerdict[] => [
  ...(comparison === undefined ? [] : [{ ...comparison, ...comparisonVerdict(comparison) }]),
  ...(conformance === undefined ? [] : [{ ...conformance, ...conformanceVerdict(conformance) }]),
  ...(search === undefined ? [] : [{ ...search, ...searchVerdict(search) }]),
  ...runs.map((run) => ({ ...run, ...runVerdict(run) })),
];

/** What an annotation is about. */
export interface GateFinding {
  readonly kind: "error" | "warning";
  readonly title: string;
  readonly text: string;
}

/** What failed or could not be decided: clauses, objectives, metrics that became worse. Failures first. */
export function gateFindings({ runs, comparison, conformance, notRun }: GateResults): readonly GateFinding[] {
  const all: GateFinding[] = [
    ...(notRun === undefined ? [] : [finding("unsure", "Not run", notRun)]),
    ...(comparison?.metrics ?? []).map((metric) => {
      const { name, cells, tone, verdict } = comparisonRow(metric);
      const [base, next, change, interval] = cells;
      return finding(tone, `${name}: ${verdict}`, `${base} to ${next}, change ${change}, interval ${interval}`);
    }),
    ...runs.flatMap(({ slos }) =>
      slos.map((slo) => {
        const { word, expr, observed } = sloRow(slo);
        const tone = slo.criterion || slo.ok === true ? "good" : slo.ok === false ? "bad" : "unsure";
        return finding(tone, `${expr}: ${word}`, observed);
      }),
    ),
    ...(conformance === undefined ? [] : clauseFindings(conformance)),
  ].filter((each) => each !== undefined);
  return all.toSorted((a, b) => Number(a.kind === "warning") - Number(b.kind === "warning"));
}

const finding = (tone: Tone, title: string, text: string): GateFinding | undefined =>
  tone === "bad" || tone === "unsure" ? { kind: tone === "bad" ? "error" : "warning", title, text } : undefined;

function clauseFindings(result: ConformanceResult): readonly (GateFinding | undefined)[] {
  return result.clauses.map(({ id, level, verdict, selected, reason }) => {
    const status = checkStatus(level, verdict, selected, failOnOf(result));
    return finding(status === "failure" ? "bad" : status === "error" ? "unsure" : "good", `${id}: ${verdict}`, reason);
  });
}

/** The figures of a gate for a later step: each objective with what was observed, each metric that was compared. */
export const gateFigures = ({ runs, comparison, search }: GateResults): readonly object[] => [
  ...runs.flatMap(({ slos }, run) =>
    slos.map(({ expr, ok, observed }) => ({ run: run + 1, objective: expr, met: ok, observed })),
  ),
  ...(comparison?.metrics ?? []).map(({ name, base, new: next, change, interval, verdict }) => ({
    metric: name,
    base,
    new: next,
    change,
    interval,
    verdict,
  })),
  ...(search === undefined ? [] : [{ found: search.found, limitedBy: search.limitedBy }]),
];
