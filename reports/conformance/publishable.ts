/**
 * A conformance result to publish, as Markdown: verdicts, what they rest on, and the hashes by which anybody with the evidence
 * can verify them. It quotes nothing that the target sent, and no setting: reasons and problems do.
 */

import type { ClauseResult, ConformanceResult, EvidenceFile, Tally } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import { fileName } from "../../lib/text.ts";
import { md, table } from "../markdown-syntax.ts";
import { formatInstant, formatNumber, plural } from "../numbers.ts";
import { MARKS } from "../verdict-words.ts";
import { badgeWords, hasBadge } from "./badge.ts";
import { basisLabel, findings, profileOf, specificationOf } from "./clause-groups.ts";
import { areaTable } from "./markdown.ts";

/** A summary that ends with a line end. */
export function publishableSummary(result: ConformanceResult): string {
  const { tone } = badgeWords(result);
  const sections = [
    `# ${MARKS[tone]} ${md(result.verdict)}`,
    hasBadge(result.summary)
      ? `![${md(`${result.verdict}: conformance of ${result.target}`)}](${fileName(FILES.badge)})`
      : "",
    table(
      ["", ""],
      [
        ["target", md(result.target)],
        ["profile", md(profileOf(result))],
        ["started", formatInstant(result.startedAt)],
        ["finished", result.finishedAt === undefined ? "interrupted" : formatInstant(result.finishedAt)],
        ["checked with", md(result.tool)],
        ...(result.traffic === undefined ? [] : [["exchanges", "recorded traffic"]]),
      ],
    ),
    `**${md(result.headline)}**`,
    levelTable(result),
    notPassed(result),
    ...(result.problems.length === 0
      ? []
      : [
          `${plural(result.problems.length, "problem")} with the record or the baseline: conformance.json names ${result.problems.length === 1 ? "it" : "them"}.`,
        ]),
    "## Areas",
    areaTable(result),
    "## Evidence",
    evidenceSection(result.evidence ?? []),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function levelTable({ summary }: ConformanceResult): string {
  const rowOf = (level: string, { total, verified, failed, unverified }: Tally): string[] => [
    level,
    ...[total, verified, failed, unverified].map(formatNumber),
  ];
  return table(
    ["level", "clauses", "verified", "failed", "not verified"],
    [
      rowOf("required", summary.required),
      ...(summary.compatible.total > 0 ? [rowOf("compatible", summary.compatible)] : []),
      rowOf("recommended (warnings)", summary.recommended),
    ],
    true,
  );
}

/** Every clause that somebody should read about, without the reason, which may quote the target. */
function notPassed(result: ConformanceResult): string {
  const clauses = findings(result).flatMap(({ clause, blocks }) => [clause, ...blocks]);
  if (clauses.length === 0) return "";
  const rows = clauses.map((clause) => [
    clause.verdict,
    clause.level,
    `\`${codeText(clause.id)}\``,
    statementsOf(clause),
  ]);
  return `## Not passed\n\n${table(["verdict", "level", "clause", "statement"], rows)}`;
}

const statementsOf = (clause: ClauseResult): string =>
  clause.level === "compatible" || clause.specification.length === 0
    ? md(`${clause.text}${clause.level === "compatible" ? ` (${basisLabel(clause)})` : ""}`)
    : specificationOf(clause).map(md).join("<br>");

/** An id between backquotes. */
const codeText = (id: string): string => id.replace(/[^\w.[\]-]/g, "");

function evidenceSection(files: readonly EvidenceFile[]): string {
  if (files.length === 0) return "The files behind these verdicts are not known, so nobody can verify them.";
  const rows = files.map(({ file, bytes, sha256 }) => [md(file), formatNumber(bytes), `\`${codeText(sha256)}\``]);
  return `${table(["file", "bytes", "SHA-256"], rows)}

Whoever has these files and conformance.json in one folder can verify the verdicts without the target: \`assay replay DIR\` checks
the recorded exchanges again, and says whether the files are those of this table. The hashes do not show that the exchanges
took place: for that, check the target.`;
}
