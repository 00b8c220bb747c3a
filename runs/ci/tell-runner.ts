/** What a gate tells the system that runs it: outputs, a summary and annotations of GitHub Actions. Others read its files. */

import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { annotate } from "../../cli/console.mjs";
import { type GateResults, gateFigures, gateFindings, gateVerdict } from "../../reports/ci/gate-result.ts";

/** GitHub shows ten annotations of each kind per step. */
const MOST_ANNOTATIONS = 10;

interface Told {
  readonly results: GateResults;
  /** The comment, which is also the summary. */
  readonly markdown: string;
  /** Path of the report. */
  readonly report: string;
}

/** Writes outputs and summary where the runner names files for them, and annotations for its log. */
export function tellRunner({ results, markdown, report }: Told, env: NodeJS.ProcessEnv = process.env): void {
  const { word, exitCode } = gateVerdict(results);
  const outputs = {
    verdict: word,
    "exit-code": String(exitCode),
    report,
    figures: JSON.stringify(gateFigures(results)),
  };
  const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, GITHUB_ACTIONS } = env;
  if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, Object.entries(outputs).map(outputLines).join(""));
  if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, markdown);
  if (GITHUB_ACTIONS === "true") annotateAll(results);
}

/** A value cannot end its own block: the delimiter is random. */
function outputLines([name, value]: readonly [string, string]): string {
  const end = `end-${randomUUID()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

function annotateAll(results: GateResults): void {
  const shown = { error: 0, warning: 0 };
  for (const finding of gateFindings(results)) {
    shown[finding.kind] += 1;
    if (shown[finding.kind] <= MOST_ANNOTATIONS) annotate(finding);
  }
}
