/** A load run as Markdown for a CI job's summary: verdict first, then objectives, latencies, outcomes. */

import type { RunResult } from "../../../formats/run.ts";
import { folded, md, table } from "../../markdown-syntax.ts";
import { formatNumber } from "../../numbers.ts";
import { inOrder } from "../../section-list.ts";
import { MARKS, runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { callTable, cancelTable, latencyBreakdowns, type Table } from "./breakdown-tables.ts";
import { costInLine, costRemarks } from "./cost-rows.ts";
import { failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { requestTables } from "./request-rows.ts";
import { SECTIONS } from "./sections.ts";
import {
  basis,
  checkRows,
  clientFacts,
  distributionRows,
  facts,
  KNOWN_ERROR,
  NOT_MEASURED,
  outageSentence,
  outcomeRows,
  type Shown,
  STATISTIC_COLUMNS,
  scalarRows,
  shownOf,
  sloRows,
} from "./table-rows.ts";
import { targetRemarks, targetTable } from "./target-rows.ts";
import { TOOLS_BASIS, TOOLS_TITLE, toolReasons, toolTable } from "./tool-rows.ts";

/** A run as Markdown, ending with a line end. */
export function loadMarkdown(run: RunResult): string {
  const shown = shownOf(run);
  const sections = inOrder(SECTIONS, {
    objectives: [
      table(
        ["", "objective", "observed", "cause"],
        sloRows(run).map(({ word, mark, expr, observed, cause = "" }) => [
          `${mark} ${word}`,
          md(expr),
          md(observed),
          md(cause),
        ]),
      ),
    ],
    failures: failures(run),
    latencies: [
      latencyTable(run, shown),
      ...latencyBreakdowns(run).flatMap(({ summary, table: shown }) => [
        ...(summary === undefined ? [] : [`${md(summary)}.`]),
        ...tableOf(shown),
      ]),
    ],
    totals: [
      table(
        ["", "value"],
        scalarRows(run.metrics, shown).map(({ title, value }) => [md(title), md(value)]),
        true,
      ),
    ],
    cost: cost(run),
    requests: requestTables(run).map(({ title, table: shown }) => folded(title, tableOf(shown).join("\n\n"))),
    outcomes: [
      table(
        ["outcome", "requests", "share"],
        outcomeRows(run.counts).map(({ outcome, count, share }) => [md(outcome), formatNumber(count), md(share)]),
        true,
      ),
      ...tableOf(cancelTable(run)),
    ],
    checked: checked(run),
    operations: tableOf(callTable(run)),
    "target-metrics": [...tableOf(targetTable(run)), ...targetRemarks(run).map((remark) => `- ${md(remark)}`)],
    "other-tools": tools(run),
    run: [folded("Run, load generator and definitions", details(run, shown))],
  });
  return `${[verdict(run), ...sections.flatMap(({ body }) => body)].join("\n\n")}\n`;
}

function verdict(run: RunResult): string {
  const { word, tone } = runVerdict(run);
  const { verdict } = run.validity;
  const words = VALIDITY_WORDS[verdict];
  return [
    `## ${MARKS[tone]} ${word}: ${md(run.scenario)} against ${md(run.target)}`,
    `${md(run.conclusion)}. The run is **${verdict}**${words === "" ? "" : `: ${words}`}.`,
    ...[...run.validity.reasons, ...notesOf(run), ...run.outages.map(outageSentence)].map(
      (reason) => `- ${md(reason)}`,
    ),
  ].join("\n\n");
}

const tableOf = (shown: Table | undefined): string[] =>
  shown === undefined
    ? []
    : [
        table(
          shown.head,
          shown.rows.map((row) => row.map(md)),
          true,
        ),
      ];

function tools(run: RunResult): string[] {
  const shown = toolTable(run);
  if (shown === undefined) return [];
  return [
    `${md(TOOLS_TITLE)}. ${md(TOOLS_BASIS)}`,
    ...tableOf(shown),
    toolReasons(run)
      .map((line) => `- ${md(line)}`)
      .join("\n"),
  ];
}

function failures(run: RunResult): string[] {
  const found = failureTable(run);
  if (found === undefined) return [];
  const rows = found.rows.map((row) => row.map(md));
  return [table([...found.head], rows), ...found.remarks.map(md)];
}

const cost = ({ cost }: RunResult): string[] =>
  cost === undefined ? [] : [`Cost: ${md(costInLine(cost))}.`, ...costRemarks(cost).map((remark) => `- ${md(remark)}`)];

function checked({ check }: RunResult): string[] {
  if (check === undefined) return [];
  const rows = checkRows(check).map(({ verdict, id, count, reason }) => [verdict, `\`${id}\``, md(count), md(reason)]);
  const text = `Checked against the specification: ${md(checkedText(check))}.`;
  return rows.length === 0 ? [text] : [text, table(["", "clause", "violated in", "reason"], rows)];
}

function latencyTable(run: RunResult, shown: Shown): string {
  const all = distributionRows(run.metrics, shown);
  const rows = all.map(({ name, unit, cells }) => [
    `${md(name)} (${unit})`,
    ...(cells?.map(md) ?? [NOT_MEASURED, ...STATISTIC_COLUMNS.slice(1).map(() => "")]),
  ]);
  const notes = all.flatMap(({ name, note }) => (note === undefined ? [] : [`${md(name)}: ${md(note)}.`]));
  return [`Latencies ${md(basis(run))}.`, table(["metric", ...STATISTIC_COLUMNS], rows, true), ...notes].join("\n\n");
}

function details(run: RunResult, shown: Shown): string {
  const pairs = [...facts(run), ...clientFacts(run)];
  const defined = [...distributionRows(run.metrics, shown), ...scalarRows(run.metrics, shown)];
  return [
    table(
      ["", ""],
      pairs.map(([name, text]) => [md(name), md(text)]),
    ),
    ...(run.client.wakeP99Ms === undefined ? [] : [md(KNOWN_ERROR)]),
    table(
      ["metric", "definition"],
      defined.map(({ name, definition }) => [md(name), md(definition)]),
    ),
  ].join("\n\n");
}
