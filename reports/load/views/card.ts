/**
 * The result card of a load: one page to share, with what was loaded, the figures with their error, what limits them, and how to send the
 * same load again. It holds nothing that run.json does not.
 */

import { createHash } from "node:crypto";
import { type RunResult, runJson } from "../../../formats/run.ts";
import { sentence, shellWord } from "../../../lib/text.ts";
import { LOAD_SETTINGS } from "../../../settings/load/load-table.ts";
import { modelSettingsOf } from "../../../settings/load/models.ts";
import { defaultsOf, readJson, settingKey, writeTexts } from "../../../settings/setting.ts";
import { UsageError } from "../../../settings/usage-error.ts";
import { formatInstant } from "../../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { page, tag, verdictCard } from "../../page/page.ts";
import { PLOT_STYLE } from "../../page/plot-style.ts";
import { runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { costFacts } from "./cost-rows.ts";
import { notesOf } from "./notes.ts";
import { runStrip } from "./run-strip.ts";
import { marksInWords, stripMarks } from "./strip-marks.ts";
import {
  basis,
  clientFacts,
  type DistributionRow,
  distributionRows,
  facts,
  KNOWN_ERROR,
  outcomeRows,
  STATISTIC_COLUMNS,
  scalarRows,
  shownOf,
  sloRows,
  TOO_FEW,
} from "./table-rows.ts";

const part = (title: string, ...body: readonly Html[]): Html =>
  html`<h2>${title}</h2>\n<section class="card">${body}</section>\n`;

/** A run as a self-contained HTML document to share. */
export function loadCard(run: RunResult): string {
  const shown = shownOf(run);
  const { word, tone } = runVerdict(run);
  const { verdict, reasons } = run.validity;
  const outcomes = outcomeRows(run.counts).map(({ outcome, count, share }) => `${count} ${outcome} (${share})`);
  const picture = runStrip(run, []);
  const body = html`${verdictCard({
    ...{ tone, word, title: `${run.scenario}, ${run.shape}`, reasons: [], picture },
    lines: [
      ...(picture ? [html`<span class="dim small">${sentence(marksInWords(stripMarks(run)))}</span>`] : []),
      html`${sentence(run.conclusion)}`,
    ],
  })}
${part("Load", htmlFacts(facts(run)))}
${part(
  "Figures",
  html`<p>${sentence(`Latencies ${basis(run)}, each with its 95% interval`)}</p>`,
  latencies(run),
  htmlFacts([
    ...scalarRows(run.metrics, shown).map(({ title, value }): [string, string] => [title, value]),
    ["outcomes", outcomes.join(", ")],
  ]),
  run.cost === undefined ? html`` : htmlFacts(costFacts(run.cost)),
)}
${part(
  "Objectives",
  htmlTable(
    ["objective", "observed", ""],
    sloRows(run).map(({ expr, observed, word: met }) => [html`<code>${expr}</code>`, observed, met]),
  ),
)}
${part(
  "What limits these figures",
  html`<p>The run is ${tag(verdict, verdict === "VALID" ? "good" : "unsure")} ${VALIDITY_WORDS[verdict]}</p>`,
  html`<ul>${[...reasons, ...notesOf(run)].map((reason) => html`<li>${sentence(reason)}</li>`)}</ul>`,
  html`<p>${KNOWN_ERROR}</p>`,
  htmlFacts(clientFacts(run)),
)}
${part("The same load again", ...again(run))}
${part("Check this card", ...check(run))}`;
  return page({
    ...{ title: `${run.scenario}, ${run.shape} · Assay`, body, style: PLOT_STYLE + CARD_STYLE },
    aside: `${run.tool} · ${formatInstant(run.startedAt)}`,
  });
}

const CARD_STYLE = `
td .interval { display: block; font-size: 12px; color: var(--dim); white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** The statistics that people quote. */
const QUOTED = ["n", "p50", "p95", "p99"];

function latencies(run: RunResult): Html {
  const columns = STATISTIC_COLUMNS.flatMap((name, at) => (QUOTED.includes(name) ? [{ name, at }] : []));
  const rows = distributionRows(run.metrics, shownOf(run))
    .filter(isTold)
    .map(({ title, unit, cells = [], intervals }) => [
      `${title}, ${unit}`,
      ...columns.map(({ at }) => html`${cells[at]}${intervalOf(intervals[at])}`),
    ]);
  return htmlTable(["", ...columns.map(({ name }) => name)], rows, "numbers");
}

/** A latency of which the sample tells none of these is not on the card. */
const isTold = ({ unit, cells }: DistributionRow): boolean =>
  unit === "ms" && cells?.slice(2).some((cell) => cell !== TOO_FEW) === true;

const intervalOf = (interval: string | undefined): Html | string =>
  interval === undefined ? "" : html`<span class="interval">${interval}</span>`;

/** A settings file, or one of workloads, that describes the load. */
function again(run: RunResult): Html[] {
  const { scenario, target } = run;
  const { workload } = run.settings;
  const settings = settingsTexts(run);
  if (settings === undefined) return [html`<p>Another version wrote the settings of this run: see run.json.</p>`];
  const lines = Object.entries(settings).map(
    ([name, text]) => `${settingKey(name)}: ${PLAIN.test(text) ? text : JSON.stringify(text)}`,
  );
  const given = `--target ${shellWord(target)}`;
  if (workload === undefined) {
    return [
      html`<pre># load.yaml\n${lines.join("\n")}</pre>`,
      html`<pre>assay load ${shellWord(scenario)} --config load.yaml ${given}</pre>`,
    ];
  }
  const workloads = workload.workloads.map(({ settings: own, apiKeyEnv, ...entry }) => {
    const models: readonly string[] = modelSettingsOf(entry);
    const members = Object.entries(own).map(([name, text]) => [
      models.includes(name) ? "model" : settingKey(name),
      text,
    ]);
    const key = apiKeyEnv === undefined ? [] : [["api-key-env", apiKeyEnv]];
    return `  - ${JSON.stringify({ ...entry, ...Object.fromEntries([...key, ...members]) })}`;
  });
  return [
    html`<pre># load.yaml\n${[...lines, "workloads:", ...workloads].join("\n")}</pre>`,
    html`<pre>assay load --workload load.yaml ${given}</pre>`,
  ];
}

/** A text that YAML needs no quotes for. */
const PLAIN = /^[\w.][\w./-]*$/;

/** What is given apart. */
const LEFT_OUT: readonly string[] = ["target", "workload"];
/** The prompts that come with Assay, wherever it is installed. */
const OWN_PROMPTS = /scenarios[/\\]prompts[/\\]default\.jsonl$/;

/** The settings that differ from their defaults, as texts; undefined where this version does not know one of them. */
function settingsTexts({ settings, seed, promptSeed }: RunResult): Record<string, string> | undefined {
  const known = Object.entries({ ...settings, seed, promptSeed }).filter(
    ([name, value]) => Object.hasOwn(LOAD_SETTINGS, name) && !LEFT_OUT.includes(name) && value !== undefined,
  );
  const usual = writeTexts(LOAD_SETTINGS, defaultsOf(LOAD_SETTINGS));
  try {
    const texts = writeTexts(LOAD_SETTINGS, readJson(LOAD_SETTINGS, Object.fromEntries(known), "run.json"));
    return Object.fromEntries(
      Object.entries(texts).filter(([name, text]) => usual[name] !== text && !OWN_PROMPTS.test(text)),
    );
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function check(run: RunResult): Html[] {
  const digests = Object.entries(run.settings.inputDigests ?? {});
  const digest = createHash("sha256").update(runJson(run)).digest("hex");
  return [
    html`<p>With the result folder, this command computes each figure of run.json, and this page, again. It names each difference:</p>`,
    html`<pre>assay replay DIR</pre>`,
    htmlTable(
      ["file", "SHA-256"],
      [["run.json", digest], ...digests].map(([name = "", sum = ""]) => [name, html`<code>${sum}</code>`]),
    ),
  ];
}
