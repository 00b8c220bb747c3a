/** The result of a gate as the one comment of a pull request: the verdict, then what changed, worse first. */

import type { ComparedMetric } from "../../formats/compare.ts";
import { shorten } from "../../lib/text.ts";
import { comparisonRow, INTERVALS } from "../compare/views/comparison-rows.ts";
import { folded, md, table } from "../markdown-syntax.ts";
import { MARKS, type Tone } from "../verdict-words.ts";
import { type GateResults, gateFindings, gateVerdict } from "./gate-result.ts";

/** What was not decided is grey: it is no failure of the change, and no success. */
const COLOURS: Readonly<Record<Tone, string>> = { ...MARKS, unsure: "⚪" };

/** A comment has no room for more, 65,536 characters of Markdown on GitHub; the report has all. */
const MOST_FINDINGS = 20;
const MOST_CHARACTERS = 300;
const short = (text: string): string => md(shorten(text, MOST_CHARACTERS));

export interface CommentOptions {
  /** Names the gate, where a pull request has several. */
  readonly name: string;
  /** Where the report is. */
  readonly link?: string | undefined;
}

/** The first line of the comment, by which the next run of the same gate finds it. */
export const commentMarker = (name: string): string => `<!-- assay gate ${name.replace(/[^\w.-]/g, "_")} -->`;

/** The comment, as Markdown that ends with a line end; its first line is the marker. */
export function gateComment(results: GateResults, { name, link }: CommentOptions): string {
  const { word, tone, conclusion } = gateVerdict(results);
  const metrics = worseFirst(results.comparison?.metrics ?? []);
  const others = gateFindings({ ...results, comparison: undefined, notRun: undefined });
  const sections = [
    commentMarker(name),
    `### ${COLOURS[tone]} ${word}: ${md(name)}`,
    `${short(conclusion.replace(/\.$/, ""))}.`,
    ...(metrics.length === 0 ? [] : [changeTable(metrics)]),
    ...(others.length === 0 ? [] : [findingTable(others)]),
    ...(metrics.length === 0 ? [] : [folded("What the interval is", md(INTERVALS))]),
    ...(link === undefined
      ? []
      : [`[Report and records](${encodeURI(link).replace(/\(/g, "%28").replace(/\)/g, "%29")})`]),
  ];
  return `${sections.join("\n\n")}\n`;
}

const ORDER: readonly Tone[] = ["bad", "unsure", "none", "good"];

const worseFirst = (metrics: readonly ComparedMetric[]): readonly ComparedMetric[] =>
  metrics.toSorted((a, b) => rank(a) - rank(b));

/** What is worse but allowed comes before what is the same. */
const rank = (metric: ComparedMetric): number =>
  ORDER.indexOf(comparisonRow(metric).tone) * 2 - Number(metric.verdict === "worse");

const changeTable = (metrics: readonly ComparedMetric[]): string =>
  table(
    ["metric", "base", "new", "change", "interval", "allowed", "verdict"],
    metrics.map((metric) => {
      const { name, cells, verdict, tone } = comparisonRow(metric);
      const [base = "", next = "", change = "", interval = "", , allowed = ""] = cells;
      const texts = [base, next, change, interval, allowed].map(md);
      return [`\`${name}\``, ...texts, `${COLOURS[tone]} ${md(verdict)}`.trim()];
    }),
    true,
  );

function findingTable(found: ReturnType<typeof gateFindings>): string {
  const rows = found
    .slice(0, MOST_FINDINGS)
    .map(({ kind, title, text }) => [COLOURS[kind === "error" ? "bad" : "unsure"], short(title), short(text)]);
  const more = found.length > MOST_FINDINGS ? `\n\nand ${found.length - MOST_FINDINGS} more` : "";
  return table(["", "objective or clause", "observed"], rows) + more;
}
