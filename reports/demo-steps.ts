/** What a demo did, in order: each step with the command that does the same, how long it took and what came of it. */

import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import { formatSeconds } from "./numbers.ts";
import { type Html, html } from "./page/html-template.ts";
import { tag } from "./page/page.ts";
import { conformanceVerdict, runVerdict } from "./verdict-words.ts";

/** A step of a demo. */
export interface DemoStep {
  readonly title: string;
  /** The command that does the same. */
  readonly command: string;
  /** What came of it, and where its report is. */
  readonly outcome?: { readonly result: RunResult | ConformanceResult; readonly href: string };
}

/** The steps as a list. */
export const demoSteps = (steps: readonly DemoStep[]): Html =>
  html`<h2>What was done</h2>
<ol class="card">${steps.map(step)}</ol>`;

function step({ title, command, outcome }: DemoStep): Html {
  return html`<li><p><b>${title}</b>${outcome === undefined ? "" : outcomeOf(outcome)}</p><pre>${command}</pre></li>
`;
}

function outcomeOf({ result, href }: NonNullable<DemoStep["outcome"]>): Html {
  const { word, tone } = "metrics" in result ? runVerdict(result) : conformanceVerdict(result);
  return html`: ${tag(word, tone)} ${took(result)} · <a href="${href}">report</a>`;
}

const took = ({ startedAt, finishedAt }: Pick<ConformanceResult, "startedAt" | "finishedAt">): string =>
  finishedAt === undefined ? "" : formatSeconds((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
