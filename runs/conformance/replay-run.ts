/** Judges the exchanges in a result folder again, and says whether the published verdicts follow from them; no network. */

import { join } from "node:path";
import { z } from "zod";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { headerOf } from "../../cli/file-header.ts";
import { linesOf } from "../../cli/file-lines.ts";
import { holds, lackOf } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import { applyBaseline, staleEntries } from "../../conformance/engine/baseline.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { contextOf, evaluateRecorded, restingOnRedacted } from "../../conformance/engine/recorded-run.ts";
import { trafficOnRedacted, trafficVerdicts } from "../../conformance/engine/traffic-run.ts";
import type { ConformanceResult } from "../../formats/conformance.ts";
import { exchangeLine, exchangesHeader } from "../../formats/exchanges.ts";
import { FILES } from "../../formats/file-names.ts";
import {
  type PlannedClause,
  type VerdictLine,
  verdictEnd,
  verdictHeader,
  verdictLine,
} from "../../formats/verdicts.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { summarizeConformance } from "../../reports/conformance/conformance-result.ts";
import { verifyPublished } from "../../reports/conformance/verify-published.ts";
import { LineError, readLines } from "../../reports/json-lines.ts";
import { ALL_FORMATS, withLinked } from "../../reports/report-formats.ts";
import type { Verification } from "../../reports/verification.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { evidenceIn, exchangesOf } from "../views/conformance-views.ts";
import { PUBLISHED, publishedResultIn } from "../views/published-result.ts";

export interface Replay {
  readonly result: ConformanceResult;
  /** Clauses whose verdict is another one now. */
  readonly changes: readonly { readonly id: string; readonly recorded: string; readonly now: string }[];
  /** Clauses that keep their recorded verdict, because a secret was taken out of what they rest on. */
  readonly kept: readonly string[];
  /** Clauses that keep their recorded verdict, because this version of Assay does not have them. */
  readonly unknown: readonly string[];
  /** Whether the `conformance.json` in the folder follows from its evidence; absent without that file. */
  readonly verification?: Verification;
}

/**
 * Checks a recorded run again: every clause that was checked then, with the baseline and on the day of that run.
 * @throws UsageError when the folder holds no such run
 * @throws InconclusiveError when a line of it is damaged: verdicts on the rest would be on another run
 */
export async function replay(folder: string): Promise<Replay> {
  const planned = await headerIn(folder, FILES.verdicts, verdictHeader);
  const sent = await headerIn(folder, FILES.exchanges, exchangesHeader);
  const lines = await valuesIn(folder, FILES.verdicts, verdictOrEnd, ({ id }) => id);
  const parsed = await valuesIn(folder, FILES.exchanges, exchangeLine, ({ id }) => id);
  const { baseline } = planned;
  const clauses = await loadClauses();
  const verdicts = planned.traffic
    ? trafficVerdicts(clauses, parsed)
    : await evaluateRecorded(clauses, parsed, contextOf(planned.settings));
  const resting = planned.traffic ? trafficOnRedacted(clauses, parsed) : restingOnRedacted(clauses, parsed);
  const recorded = lines.filter((line) => "verdict" in line);
  const ended = lines.filter((line) => "finishedAt" in line);
  const judged = [...recorded, ...(ended.length > 0 ? withoutLine(planned.clauses, recorded) : [])].map((line) => {
    const now = resting.has(line.id) ? undefined : verdicts.get(line.id);
    // What was not run then cannot be judged now, and the run knew why.
    const isLeftOut = now?.verdict === "NOT-RUN" && line.verdict === "NOT-RUN";
    return now === undefined || isLeftOut
      ? line
      : { ...line, ...applyBaseline(baseline, planned.startedAt, line.id, now) };
  });
  const before = new Map(recorded.map(({ id, verdict }) => [id, verdict]));
  const staleBaseline = staleEntries(baseline, planned.startedAt, new Map(judged.map((line) => [line.id, line])));
  const summaryOf = async (values: readonly object[]) =>
    summarizeConformance({ verdicts: values.map((line) => JSON.stringify(line)), tool: TOOL, evidence });
  const evidence = await evidenceIn(folder);
  const result = await summaryOf([planned, ...judged, ...ended.map((line) => ({ ...line, staleBaseline }))]);
  const known = new Set(clauses.map(({ id }) => id));
  const unknown = judged.flatMap(({ id }) => (known.has(id) ? [] : [id]));
  const published = holds(folder, PUBLISHED) ? publishedResultIn(folder) : undefined;
  return {
    result,
    changes: judged.flatMap(({ id, verdict }) => {
      const then = before.get(id) ?? "NOT-RUN";
      return then === verdict ? [] : [{ id, recorded: then, now: verdict }];
    }),
    kept: judged.flatMap(({ id }) => (resting.has(id) ? [id] : [])),
    unknown,
    ...(published !== undefined && {
      verification: verifyPublished(published, {
        recorded: await summaryOf([planned, ...lines]),
        again: result,
        notJudged: new Set([...resting, ...unknown]),
        evidence,
        tools: [...new Set([...(sent.tool === undefined ? [] : [`${sent.tool.name} ${sent.tool.version}`]), TOOL])],
        views: await viewsIn(folder, published),
        otherRun: differenceOfRuns(planned, sent),
      }),
    }),
  };
}

/** The badge and the summary in a folder, where this version made them. */
async function viewsIn(folder: string, published: ConformanceResult) {
  if (published.tool !== TOOL) return [];
  const exchanges = await exchangesOf(folder, published);
  return withLinked(ALL_FORMATS).flatMap(({ conformance, conformanceFile: file }) =>
    file === undefined || !holds(folder, file)
      ? []
      : [{ file, found: readTextFile(join(folder, file)), made: conformance?.(published, exchanges) }],
  );
}

/** Selected clauses of a run that ended, for which there is no verdict: a line may have been taken out. */
function withoutLine(planned: readonly PlannedClause[], recorded: readonly VerdictLine[]): VerdictLine[] {
  const present = new Set(recorded.map(({ id }) => id));
  return planned
    .filter(({ id, selected }) => selected && !present.has(id))
    .map(({ selected: _, ...clause }) => ({
      ...clause,
      verdict: "NOT-RUN",
      reason: "no verdict was recorded",
      evidence: [],
    }));
}

/** The first member in which the headers of both files differ, which one run wrote. */
const differenceOfRuns = (verdicts: RunHeader, exchanges: RunHeader): string | undefined =>
  (["target", "startedAt", "settings"] as const).find(
    (member) => JSON.stringify(verdicts[member]) !== JSON.stringify(exchanges[member]),
  );
type RunHeader = Omit<z.infer<typeof exchangesHeader>, "schema">;

/** A verdict, or the end of the run, which has no id. */
const verdictOrEnd = z.union([verdictLine, verdictEnd.extend({ id: z.undefined().optional() })]);

async function headerIn<Header>(folder: string, name: string, format: Parameters<typeof headerOf<Header>>[2]) {
  const header = await headerOf(folder, name, format);
  if (header !== undefined) return header;
  throw new UsageError(
    `Cannot check ${folder} again: ${lackOf(folder, name)}. Name the result folder of a conformance run.`,
  );
}

/** The lines of a file after its header; one that was cut off at the end is left out. Ids occur once. */
async function valuesIn<Value>(
  folder: string,
  name: string,
  format: z.ZodType<Value>,
  idOf: (value: Value) => number | string | undefined,
): Promise<Value[]> {
  const values: Value[] = [];
  const ids = new Set<number | string>();
  let first = true;
  const { problems, count } = await readLines(name, linesOf(join(folder, name)), (value) => {
    if (first) {
      first = false;
      return;
    }
    const parsed = format.parse(value);
    const id = idOf(parsed);
    if (id !== undefined && ids.has(id)) throw new LineError(`the id ${id} is that of an earlier line`);
    if (id !== undefined) ids.add(id);
    values.push(parsed);
  });
  if (count === 0) return values;
  const more = count > problems.length ? `, and ${count - problems.length} more such lines` : "";
  throw new InconclusiveError(
    `Cannot check ${folder} again: ${problems.join("; ")}${more}. ${values.length} lines after the header could be read, and verdicts on them alone would be those of another run. Replay an undamaged copy.`,
  );
}
