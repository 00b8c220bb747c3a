/** Judges the exchanges in a result folder again and says where the verdicts have changed; no network. */

import { join } from "node:path";
import { applyBaseline, staleEntries } from "../../conformance/engine/baseline.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { contextOf, evaluateRecorded, restingOnRedacted } from "../../conformance/engine/recorded-run.ts";
import { trafficOnRedacted, trafficVerdicts } from "../../conformance/engine/traffic-run.ts";
import type { ConformanceResult } from "../../formats/conformance.ts";
import { exchangeLine } from "../../formats/exchanges.ts";
import { FILES } from "../../formats/file-names.ts";
import { verdictEnd, verdictHeader, verdictLine } from "../../formats/verdicts.ts";
import { summarizeConformance } from "../../reports/conformance/conformance-result.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { wholeLines } from "../cli/file-lines.ts";
import { TOOL } from "../cli/tool.ts";

export interface Replay {
  readonly result: ConformanceResult;
  /** Clauses whose verdict is another one now. */
  readonly changes: readonly { readonly id: string; readonly recorded: string; readonly now: string }[];
  /** Clauses that keep their recorded verdict, because a secret was taken out of what they rest on. */
  readonly kept: readonly string[];
}

/**
 * Checks a recorded run again: every clause that was checked then, with the baseline and on the day of that run.
 * @throws UsageError when the folder holds no such run
 */
export async function replay(folder: string): Promise<Replay> {
  const [header, ...lines] = linesIn(folder, FILES.verdicts);
  const [, ...exchanges] = linesIn(folder, FILES.exchanges);
  const planned = verdictHeader.parse(header);
  const { baseline } = planned;
  const clauses = await loadClauses();
  const parsed = exchanges.map((line) => exchangeLine.parse(line));
  const verdicts = planned.traffic
    ? trafficVerdicts(clauses, parsed)
    : await evaluateRecorded(clauses, parsed, contextOf(planned.settings));
  const resting = planned.traffic ? trafficOnRedacted(clauses, parsed) : restingOnRedacted(clauses, parsed);
  const recorded = lines.flatMap((line) => verdictLine.safeParse(line).data ?? []);
  const judged = recorded.map((line) => {
    const now = resting.has(line.id) ? undefined : verdicts.get(line.id);
    // What was not run then cannot be judged now, and the run knew why.
    const isLeftOut = now?.verdict === "NOT-RUN" && line.verdict === "NOT-RUN";
    return now === undefined || isLeftOut
      ? line
      : { ...line, ...applyBaseline(baseline, planned.startedAt, line.id, now) };
  });
  const staleBaseline = staleEntries(baseline, planned.startedAt, new Map(judged.map((line) => [line.id, line])));
  const end = lines
    .flatMap((line) => verdictEnd.safeParse(line).data ?? [])
    .map((line) => ({ ...line, staleBaseline }));
  const rewritten = [planned, ...judged, ...end].map((line) => JSON.stringify(line));
  return {
    result: await summarizeConformance({ verdicts: rewritten, tool: TOOL }),
    changes: judged.flatMap(({ id, verdict }, index) => {
      const before = recorded[index]?.verdict ?? "";
      return before === verdict ? [] : [{ id, recorded: before, now: verdict }];
    }),
    kept: judged.flatMap(({ id }) => (resting.has(id) ? [id] : [])),
  };
}

function linesIn(folder: string, name: string): unknown[] {
  const lines = wholeLines(join(folder, name));
  if (lines.length > 0) return lines.map((line) => JSON.parse(line));
  throw new UsageError(
    `Cannot check ${folder} again: there is no ${name} in it, or it is empty. Name the result folder of a conformance run.`,
  );
}
