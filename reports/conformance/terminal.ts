/** A conformance run for a terminal: the verdict and the headline first, then what fell short, then the areas. */

import pc from "picocolors";
import { plainLine, shorten } from "../../lib/text.ts";
import { columns } from "../columns.ts";
import { areas, conformanceVerdict, exchangeWords, isShortfall, notable } from "./clause-groups.ts";
import type { Exchanges } from "./conformance-result.ts";
import { pathOf } from "./evidence.ts";
import type { Verdict } from "./lines.ts";
import type { ClauseResult, ConformanceResult } from "./result.ts";

export interface TerminalOptions {
  /** False: no escape sequence at all. */
  readonly colour: boolean;
  /** Exchanges that the clauses cite; without them, what was sent is not shown. */
  readonly exchanges?: Exchanges;
}

type Colours = ReturnType<typeof pc.createColors>;

/** A result as lines of text, ending with a line end. */
export function conformanceTerminal(result: ConformanceResult, { colour, exchanges }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const shown = notable(result.clauses);
  const sections = [
    headlines(result, c),
    areaLines(result),
    ...shown.filter(isShortfall).map((clause) => clauseLines(clause, sentFor(clause, result, exchanges), c)),
    warnings(shown, c),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headlines(result: ConformanceResult, c: Colours): string[] {
  const { word, tone } = conformanceVerdict(result);
  const paint = { good: c.green, bad: c.red, unsure: c.yellow }[tone];
  return [
    `${paint(c.bold(word))}  ${result.headline}`,
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

const paintOf = (verdict: Verdict, c: Colours) =>
  verdict === "FAIL" || verdict === "HARNESS-ERROR" ? c.red : c.yellow;

/** The request that a clause was judged by, in a line; the first of several. */
function sentFor({ evidence }: ClauseResult, { target }: ConformanceResult, exchanges?: Exchanges): string | undefined {
  const [first] = evidence;
  const request = first === undefined ? undefined : exchanges?.get(first)?.request;
  if (request === undefined) return undefined;
  const body = request.body === undefined ? "" : ` ${request.body}`;
  return shorten(plainLine(`${request.method} ${pathOf(request.url, target)}${body}`), 240);
}

function clauseLines(
  { id, verdict, text, reason, blockedBy, evidence }: ClauseResult,
  sent: string | undefined,
  c: Colours,
): string[] {
  return [
    `${paintOf(verdict, c)(verdict)}  ${c.bold(plainLine(id))}`,
    `  document: ${plainLine(text)}`,
    ...(sent === undefined ? [] : [`  sent:     ${sent}`]),
    `  seen:     ${shorten(plainLine(reason), 400)}`,
    ...(blockedBy === undefined ? [] : [`  waits for ${plainLine(blockedBy)}`]),
    ...(evidence.length === 0 ? [] : [c.dim(`  evidence: ${exchangeWords(evidence)}`)]),
  ];
}

/** A line each: nothing of this decides the exit code. */
function warnings(shown: readonly ClauseResult[], c: Colours): string[] {
  const rest = shown.filter((clause) => !isShortfall(clause));
  return rest.map(
    ({ verdict, id, reason }) =>
      `${paintOf(verdict, c)(verdict)}  ${plainLine(id)}  ${c.dim(shorten(plainLine(reason), 160))}`,
  );
}
