/** From the files of a conformance run to its result. */

import type { z } from "zod";
import type { ClauseResult, ConformanceResult, EvidenceFile } from "../../formats/conformance.ts";
import { type Exchange, exchangeLine } from "../../formats/exchanges.ts";
import {
  type Basis,
  type Interference,
  type Outage,
  type TrafficCounts,
  type VerdictLine,
  verdictEnd,
  verdictHeader,
  verdictLine,
} from "../../formats/verdicts.ts";
import { shorten } from "../../lib/text.ts";
import { LineError, type Lines, readLines } from "../json-lines.ts";
import { conformanceVerdict, failOnOf } from "../verdict-words.ts";
import { exercisedStatements } from "./exercised-statements.ts";
import { basisWords, conclude, headline, interferenceWords, keyWords, outageWords, scope, summarize } from "./tally.ts";

export interface ConformanceInput {
  /** Lines of `verdicts.jsonl`. */
  readonly verdicts: Lines;
  /** Name and version of what made the result. */
  readonly tool: string;
  /** The files that the run recorded; absent: not known. */
  readonly evidence?: readonly EvidenceFile[];
}

/** Summarizes a conformance run. A clause without a verdict becomes NOT-RUN; an unreadable line is reported. */
export async function summarizeConformance(input: ConformanceInput): Promise<ConformanceResult> {
  const read = await readVerdicts(input.verdicts);
  const clauses = allClauses(read);
  const summary = summarize(clauses);
  const finished = read.finishedAt !== undefined;
  const { staleBaseline } = read;
  const settings = read.header?.settings ?? {};
  const conclusion = conclude(clauses, summary, {
    finished,
    ended: read.ended,
    damage: read.damage,
    staleBaseline,
    failOn: failOnOf({ settings }),
    require: settings.require ?? [],
    basis: read.basis,
  });
  const { word } = conformanceVerdict({ ...conclusion, summary, settings });
  const run = { startedAt: read.header?.startedAt ?? "", finishedAt: read.finishedAt, basis: read.basis };
  const about = scope(clauses, read.traffic !== undefined);
  return {
    schema: "assay.conformance/1",
    target: read.header?.target ?? "unknown",
    startedAt: read.header?.startedAt ?? "",
    ...(read.finishedAt === undefined ? {} : { finishedAt: read.finishedAt }),
    tool: input.tool,
    settings,
    verdict: about === "" ? word : `${word} (${about})`,
    ...conclusion,
    headline: [
      headline(clauses, summary, read.traffic !== undefined),
      basisWords(run),
      ...keyWords(clauses),
      ...outageWords(read.outages),
      ...interferenceWords(read.interference),
    ]
      .filter((words) => words !== "")
      .join("; "),
    ...(read.basis && { basis: read.basis }),
    problems: [...read.damage, ...staleBaseline],
    summary,
    clauses,
    ...(input.evidence && { evidence: [...input.evidence] }),
    ...(read.traffic && { traffic: { ...read.traffic, statements: exercisedStatements(clauses) } }),
  };
}

interface Verdicts {
  header: z.infer<typeof verdictHeader> | undefined;
  /** By clause. */
  readonly lines: Map<string, VerdictLine>;
  finishedAt: string | undefined;
  /** What is out of date about the baseline, a sentence an entry. */
  staleBaseline: readonly string[];
  damage: readonly string[];
  traffic: TrafficCounts | undefined;
  basis: Basis | undefined;
  outages: readonly Outage[];
  interference: Interference | undefined;
  /** Why the run ended before all was checked. */
  ended: string | undefined;
}

async function readVerdicts(lines: Lines): Promise<Verdicts> {
  const read: Verdicts = {
    header: undefined,
    lines: new Map(),
    finishedAt: undefined,
    staleBaseline: [],
    damage: [],
    traffic: undefined,
    basis: undefined,
    outages: [],
    interference: undefined,
    ended: undefined,
  };
  const damage = await readLines("verdicts.jsonl", lines, (value) => {
    if (read.header === undefined) {
      read.header = verdictHeader.parse(value);
      return;
    }
    const end = verdictEnd.safeParse(value);
    if (end.success) {
      read.finishedAt = end.data.finishedAt;
      read.staleBaseline = end.data.staleBaseline;
      read.traffic = end.data.traffic;
      read.basis = end.data.basis;
      read.outages = end.data.outages ?? [];
      read.interference = end.data.interference;
      read.ended = end.data.ended;
    } else {
      const { at: _, ...line } = verdictLine.parse(value);
      if (read.lines.has(line.id)) throw new LineError(`${line.id} has a verdict already`);
      read.lines.set(line.id, line);
    }
  });
  const empty = read.header === undefined && damage.count === 0;
  read.damage = empty ? ["verdicts.jsonl is empty"] : damage.problems;
  return read;
}

function allClauses({ header, lines, finishedAt }: Verdicts): ClauseResult[] {
  const planned = header?.clauses ?? [];
  const why = finishedAt === undefined ? "the run was interrupted before this clause" : "no verdict was recorded";
  const clauses = planned.map(({ selected, reason, ...clause }): ClauseResult => {
    const line = lines.get(clause.id);
    if (line !== undefined) return { ...line, selected };
    const notRun = selected ? why : (reason ?? "not selected");
    return { ...clause, verdict: "NOT-RUN", reason: notRun, evidence: [], selected };
  });
  const names = new Set(planned.map(({ id }) => id));
  const unplanned = [...lines.values()].filter(({ id }) => !names.has(id));
  return [...clauses, ...unplanned.map((line) => ({ ...line, selected: true }))];
}

/** Exchanges by id. */
export type ExchangesById = ReadonlyMap<number, Exchange>;

/** Characters of a body that are kept as evidence. */
const KEPT_BODY = 16_384;

/** Reads those exchanges that the clauses of a result cite, with long answers cut; unreadable lines are left out. */
export async function readExchanges(lines: Lines, { clauses }: ConformanceResult): Promise<ExchangesById> {
  const cited = new Set(clauses.flatMap(({ evidence }) => evidence));
  const exchanges = new Map<number, Exchange>();
  await readLines("exchanges.jsonl", lines, (value) => {
    const parsed = exchangeLine.safeParse(value);
    if (!parsed.success || !cited.has(parsed.data.id)) return;
    const { answer, ...rest } = parsed.data;
    const cut = answer && { ...answer, body: shorten(answer.body, KEPT_BODY) };
    exchanges.set(rest.id, { ...rest, ...(cut && { answer: cut }) });
  });
  return exchanges;
}
