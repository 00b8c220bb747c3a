/** A conformance run for a terminal: the verdict and the headline first, then what decides it, then the areas. */

import pc from "picocolors";
import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { plainLine, shorten } from "../../lib/text.ts";
import { type Colours, columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { conformanceVerdict } from "../verdict-words.ts";
import {
  areas,
  basisLabel,
  blockedWords,
  exchangeWords,
  type FindingGroup,
  findings,
  specificationOf,
  TONES,
} from "./clause-groups.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { pathOf } from "./evidence.ts";
import { neverBySection, statementWords, trafficWords } from "./exercised-statements.ts";

export interface ConformanceTerminalOptions extends TerminalOptions {
  /** Exchanges that the clauses cite; without them, requests are not shown. */
  readonly exchanges?: ExchangesById;
}

/** A result as lines of text, ending with a line end. */
export function conformanceTerminal(
  result: ConformanceResult,
  { colour, exchanges }: ConformanceTerminalOptions,
): string {
  const c = pc.createColors(colour);
  const shown = findings(result);
  const sections = [
    headlines(result, c),
    trafficLines(result, c),
    areaLines(result),
    ...shown
      .filter(({ decisive }) => decisive)
      .map((finding) => clauseLines(finding, requestLine(finding.clause, result, exchanges), c)),
    warnings(shown, c),
  ];
  return joinSections(sections);
}

function headlines(result: ConformanceResult, c: Colours): string[] {
  const { tone } = conformanceVerdict(result);
  return [
    paint(tone, c)(c.bold(plainLine(result.verdict))),
    result.headline,
    c.dim(`${plainLine(result.target)}: ${plainLine(result.conclusion)}`),
    ...result.problems.map((problem) => c.yellow(`  ${plainLine(problem)}`)),
  ];
}

function areaLines({ clauses }: ConformanceResult): string[] {
  return columns(
    areas(clauses).map(({ area, counts }) => [
      `  ${plainLine(area)}`,
      counts.map(([verdict, count]) => `${count} ${verdict}`).join("  "),
    ]),
  );
}

function trafficLines({ traffic }: ConformanceResult, c: Colours): string[] {
  if (traffic === undefined) return [];
  const { statements } = traffic;
  const never = neverBySection(statements);
  return [
    `Traffic: ${trafficWords(traffic)}`,
    statementWords(statements),
    ...(never.length === 0 ? [] : ["Not in the traffic, by section (the report lists them):"]),
    ...columns(never.map(([section, count]) => [c.dim(`  ${section}`), c.dim(String(count))])),
  ];
}

/** The request that a clause was checked with, in a line; the first of several. */
function requestLine(
  { evidence }: ClauseResult,
  { target }: ConformanceResult,
  exchanges?: ExchangesById,
): string | undefined {
  const [first] = evidence;
  const request = first === undefined ? undefined : exchanges?.get(first)?.request;
  if (request === undefined) return undefined;
  const body = request.body === undefined ? "" : ` ${request.body}`;
  return shorten(plainLine(`${request.method} ${pathOf(request.url, target)}${body}`), 240);
}

/** Most statements of a clause that are shown. */
const MOST_STATEMENTS = 2;

function clauseLines({ clause, blocks }: FindingGroup, request: string | undefined, c: Colours): string[] {
  const { id, verdict, text, reason, blockedBy, evidence } = clause;
  const statements = specificationOf(clause);
  const more = statements.length > MOST_STATEMENTS ? `; and ${statements.length - MOST_STATEMENTS} more` : "";
  return [
    `${paint(TONES[verdict], c)(verdict)}  ${c.bold(plainLine(id))}  ${plainLine(text)}`,
    ...(statements.length === 0
      ? []
      : [
          `  ${`${basisLabel(clause)}:`.padEnd(14)} ${statements.slice(0, MOST_STATEMENTS).map(plainLine).join("; ")}${more}`,
        ]),
    ...(request === undefined ? [] : [`  Request:       ${request}`]),
    `  Observed:      ${shorten(plainLine(reason), 400)}`,
    ...(blockedBy === undefined ? [] : [`  Blocked by:    ${plainLine(blockedBy)}`]),
    ...(blocks.length === 0 ? [] : [`  Blocks:        ${plainLine(blockedWords(blocks))}`]),
    ...(evidence.length === 0 ? [] : [c.dim(`  Evidence:      ${exchangeWords(evidence)}`)]),
  ];
}

/** One line each: none of these decides the exit code. */
function warnings(shown: readonly FindingGroup[], c: Colours): string[] {
  return shown
    .filter(({ decisive }) => !decisive)
    .map(({ clause: { verdict, id, reason }, blocks }) => {
      const also = blocks.length === 0 ? "" : `; blocks ${plainLine(blockedWords(blocks))}`;
      return `${paint(TONES[verdict], c)(verdict)}  ${plainLine(id)}  ${c.dim(`${shorten(plainLine(reason), 160)}${also}`)}`;
    });
}
