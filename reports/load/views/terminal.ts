/** A load run for a terminal: the verdict first, then objectives, measurements and outcomes. */

import pc from "picocolors";
import type { RunResult } from "../../../formats/run.ts";
import { plainLine } from "../../../lib/text.ts";
import { formatNumber } from "../../numbers.ts";
import { inOrder } from "../../section-list.ts";
import { type Colours, columns, joinSections, paint, type TerminalOptions } from "../../terminal-text.ts";
import { runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { callTable, cancelTable, latencyBreakdowns, type Table } from "./breakdown-tables.ts";
import { costInLine, costRemarks } from "./cost-rows.ts";
import { FAILURE_NUMBERS, failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { SECTIONS } from "./sections.ts";
import {
  basis,
  checkRows,
  clientFacts,
  distributionRows,
  facts,
  NOT_MEASURED,
  outageSentence,
  outcomeRows,
  type Shown,
  STATISTIC_COLUMNS,
  scalarRows,
  shownOf,
  sloRows,
  TOO_FEW,
} from "./table-rows.ts";
import { targetLines, targetRemarks } from "./target-rows.ts";
import { TOOLS_TITLE, toolReasons, toolTable } from "./tool-rows.ts";

/** A run as lines of text, ending with a line end. */
export function loadTerminal(run: RunResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const shown = shownOf(run);
  const sections = inOrder(SECTIONS, {
    objectives: [objectives(run, c)],
    failures: [failures(run, c)],
    latencies: [
      measured(run, shown, c),
      ...latencyBreakdowns(run).map(({ summary, table }) => [
        ...(summary === undefined ? [] : [c.dim(`  ${summary}`)]),
        ...tableOf(table, c),
      ]),
    ],
    totals: [columns(scalarRows(run.metrics, shown).map(({ name, value }) => [`  ${name}`, value]))],
    cost: cost(run, c),
    outcomes: [outcomes(run, c), tableOf(cancelTable(run), c)],
    checked: [checked(run, c)],
    operations: [tableOf(callTable(run), c)],
    "target-metrics": [
      [
        ...targetLines(run).map((line) => `  ${plainLine(line)}`),
        ...targetRemarks(run).map((remark) => c.yellow(`  ${plainLine(remark)}`)),
      ],
    ],
    "other-tools": [tools(run, c)],
    "load-generator": [[c.dim(`  load generator: ${clientFacts(run).flatMap(measuredFact).join("; ")}`)]],
    run: [columns(facts(run).map(([name, text]) => [`  ${name}`, plainLine(text)])).map((line) => c.dim(line))],
  });
  return joinSections([headline(run, c), ...sections.flatMap(({ body }) => body)]);
}

const measuredFact = ([name, text]: [string, string]): string[] => (text === NOT_MEASURED ? [] : [`${name} ${text}`]);
function headline(run: RunResult, c: Colours): string[] {
  const { word, tone } = runVerdict(run);
  const { verdict } = run.validity;
  const valid = verdict === "VALID";
  return [
    `${paint(tone, c)(c.bold(word))}  ${plainLine(run.conclusion)}`,
    valid ? c.dim("run is VALID") : c.yellow(`run is ${verdict}: ${VALIDITY_WORDS[verdict]}`),
    ...run.validity.reasons.map((reason) => `  ${plainLine(reason)}`),
    ...notesOf(run).map((note) => c.yellow(`  ${plainLine(note)}`)),
    ...run.outages.map((outage) => c.red(`  ${outageSentence(outage)}`)),
  ];
}

function objectives(run: RunResult, c: Colours): string[] {
  const rows = sloRows(run);
  const colours = { met: c.green, missed: c.red, undecided: c.yellow, "used for goodput": c.dim };
  const lines = columns(rows.map(({ expr, observed, word }) => [plainLine(expr), plainLine(observed), word]));
  return rows.flatMap(({ mark, word, cause }, index) => [
    `${colours[word](mark)} ${lines[index]}`,
    ...(cause === undefined ? [] : [c.dim(`    ${plainLine(cause)}`)]),
  ]);
}

function measured(run: RunResult, shown: Shown, c: Colours): string[] {
  const rows = distributionRows(run.metrics, shown);
  if (rows.length === 0) return [];
  const right = new Set(STATISTIC_COLUMNS.map((_, index) => index + 1));
  const table = columns(
    [["", ...STATISTIC_COLUMNS], ...rows.map(({ name, unit, cells }) => [`${name} ${unit}`, ...short(cells)])].map(
      ([name = "", ...cells]) => [`  ${name}`, ...cells],
    ),
    right,
  );
  const [head = "", ...lines] = table;
  const absent = rows.some(({ cells }) => cells?.includes(TOO_FEW))
    ? [c.dim(`  -  ${TOO_FEW} for this percentile`)]
    : [];
  const notes = rows.flatMap(({ name, note }) => (note === undefined ? [] : [c.dim(`  ${name}  ${note}`)]));
  return [c.dim(`  latencies ${basis(run)}`), c.dim(head), ...lines, ...absent, ...notes];
}

/** In eight columns there is no room for words. */
const short = (cells: readonly string[] | undefined): string[] =>
  cells === undefined ? [NOT_MEASURED] : cells.map((cell) => (cell === TOO_FEW ? "-" : cell));

function tableOf(table: Table | undefined, c: Colours): string[] {
  if (table === undefined) return [];
  const right = new Set(table.head.slice(1).map((_, index) => index + 1));
  const [head = "", ...lines] = columns(
    [table.head, ...table.rows.map((row) => short(row.map(plainLine)))].map(([name = "", ...cells]) => [
      `  ${name}`,
      ...cells,
    ]),
    right,
  );
  return [c.dim(head), ...lines];
}

function tools(run: RunResult, c: Colours): string[] {
  const table = toolTable(run);
  return table === undefined
    ? []
    : [`  ${TOOLS_TITLE}`, ...tableOf(table, c), ...toolReasons(run).map((line) => c.dim(`  ${plainLine(line)}`))];
}

function outcomes(run: RunResult, c: Colours): string[] {
  const { offered, started } = run.counts;
  const rows = outcomeRows(run.counts);
  const lines = columns(
    rows.map(({ outcome, count, share }) => [`  ${outcome}`, formatNumber(count), share]),
    new Set([1, 2]),
  );
  const video = Object.entries(run.metrics["video_outcome"]?.parts ?? {});
  return [
    c.dim(`  ${formatNumber(offered)} scheduled, ${formatNumber(started)} sent`),
    ...lines.map((line, index) => (rows[index]?.outcome === "ok" ? line : c.yellow(line))),
    ...(video.length > 0 ? [`  video tasks: ${video.map(([end, n]) => `${end} ${formatNumber(n)}`).join(", ")}`] : []),
  ];
}

const cost = ({ cost }: RunResult, c: Colours): string[][] =>
  cost === undefined
    ? []
    : [
        [
          `  cost: ${plainLine(costInLine(cost))}`,
          ...costRemarks(cost).map((remark) => c.yellow(`  ${plainLine(remark)}`)),
        ],
      ];

function checked({ check }: RunResult, c: Colours): string[] {
  if (check === undefined) return [];
  const rows = checkRows(check);
  const lines = columns(rows.map(({ verdict, id, count }) => [verdict, plainLine(id), plainLine(count)]));
  const reasons = rows.map(({ reason }) => c.dim(`      ${plainLine(reason)}`));
  return [
    c.dim(`  checked against the specification: ${checkedText(check)}`),
    ...rows.flatMap(({ mark, verdict }, index) => [
      (verdict === "WARN" ? c.yellow : c.red)(`  ${mark} ${lines[index]}`),
      reasons[index] ?? "",
    ]),
  ];
}

function failures(run: RunResult, c: Colours): string[] {
  const table = failureTable(run);
  if (table === undefined) return [];
  const rows = [table.head, ...table.rows].map(([name = "", ...cells]) => [`  ${name}`, ...cells.map(plainLine)]);
  const [head = "", ...lines] = columns(rows, FAILURE_NUMBERS);
  return [c.dim(head), ...lines, ...table.remarks.map((remark) => c.yellow(`  ${plainLine(remark)}`))];
}
