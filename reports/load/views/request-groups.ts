/**
 * The requests of a run group by group: by operation, workload, tenant, model and turn. Each group has its tiles, its table of
 * latencies and its plots, and a selector shows one at a time. It is made of radio buttons and needs no script.
 */

import { TASK_ENDS } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { ChartGroup } from "../../../formats/run-charts.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { type METRICS, metric } from "../../../load/objectives/metrics.ts";
import { formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import { type Html, html, htmlTable } from "../../page/html-template.ts";
import { fold } from "../../page/page.ts";
import { type Plot, plotFigure } from "../../page/plot.ts";
import { opsOfGroup } from "../metrics/chart-groups.ts";
import { isOkEnd } from "../read/unit-outcomes.ts";
import { groupPlots } from "./group-plots.ts";
import {
  basis,
  type DistributionRow,
  distributionRows,
  figureOf,
  headlineOf,
  NOT_MEASURED,
  type Shown,
  STATISTIC_COLUMNS,
  shownOf,
  TOO_FEW,
} from "./table-rows.ts";

/** The groups of a run, and the style that shows the one that is selected; groups with the same requests share a panel. */
export function requestGroups(run: RunResult): { readonly html: Html; readonly style: string } {
  const shared = sharedPanels(run.charts?.groups ?? []);
  const panels = shared.map((groups, index) => panel(run, groups, index, shared.length > 1));
  if (panels.length === 0) return { html: panelOf(run, figuresOfRun(run), []), style: "" };
  if (panels.length === 1) return { html: html`${panels}`, style: "" };
  const left = run.charts?.left ?? 0;
  const more =
    left === 0 ? "" : html`<p class="dim">${plural(left, "further group")} without plots: see the tables.</p>`;
  return {
    html: html`<div class="groups">${panels.map((_, index) => html`<input type="radio" name="group" id="of-${index}"${index === 0 ? html` checked` : ""}>`)}${picker(shared)}${more}${panels.map((each, index) => html`<section class="panel" id="panel-${index}">${each}</section>`)}</div>`,
    style: GROUPS_STYLE + panels.map((_, index) => selectedStyle(index)).join(""),
  };
}

/** Groups with the same requests, such as those of a workload and of its tenant, which has no other. */
type Shared = readonly [ChartGroup, ...ChartGroup[]];

function sharedPanels(groups: readonly ChartGroup[]): Shared[] {
  const panels = new Map<string, Shared>();
  for (const group of groups) {
    const { op, rates, series } = group;
    const key = JSON.stringify([op, rates, series]);
    const known = panels.get(key);
    panels.set(key, known === undefined ? [group] : [...known, group]);
  }
  return [...panels.values()];
}

const GROUPS_STYLE = `
.picker { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 12px 0; }
.picker div { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.picker span { font-size: 13px; color: var(--dim); }
.picker label { font-size: 13px; background: var(--card); border: 1px solid var(--line); border-radius: 999px; padding: 3px 12px; cursor: pointer; overflow-wrap: anywhere; }
.groups > input { position: absolute; opacity: 0; pointer-events: none; }
.groups > .panel { display: none; }
.panel > h3 { margin-top: 6px; }
@media print { .groups > .panel { display: block; } .picker { display: none; } }
`;

const selectedStyle = (index: number): string =>
  `#of-${index}:checked ~ #panel-${index} { display: block; }
#of-${index}:checked ~ .picker label[for="of-${index}"] { border-color: var(--s1); color: var(--s1); font-weight: 600; }
#of-${index}:focus-visible ~ .picker label[for="of-${index}"] { outline: 2px solid var(--s1); outline-offset: 2px; }
`;

function picker(panels: readonly Shared[]): Html {
  const all = panels.flatMap((groups, index) => groups.map(({ by, name }) => ({ by, name, index })));
  const dimensions = [...new Set(all.map(({ by }) => by))];
  const labels = (dimension: string): Html[] =>
    all.flatMap(({ by, name, index }) => (by === dimension ? [html`<label for="of-${index}">${name}</label>`] : []));
  return html`<div class="picker">${dimensions.map((by) => html`<div><span>${by}</span>${labels(by)}</div>`)}</div>`;
}

type Metrics = RunResult["metrics"];

/** What the tiles and the table of a group show. */
interface Figures {
  readonly metrics: Metrics;
  readonly shown: Shown;
  /** Of units of work; absent: only its requests are counted. */
  readonly counts?: RunResult["counts"] | undefined;
  readonly conversations?: RunResult["conversations"];
  /** Of some of the conversations, whose turns are not counted apart. */
  readonly isOfSomeTurns?: boolean;
  readonly calls?: { readonly total: number; readonly ok: number } | undefined;
}

const figuresOfRun = (run: RunResult): Figures => ({
  metrics: run.metrics,
  shown: shownOf(run),
  counts: run.counts,
  conversations: run.conversations,
});

function panel(run: RunResult, groups: Shared, index: number, isOneOfSeveral: boolean): Html {
  const [group] = groups;
  const title = isOneOfSeveral ? html`<h3>${groups.map(({ by, name }) => `${by} ${name}`).join(", ")}</h3>` : "";
  return html`${title}${panelOf(run, figuresOf(run, group), groupPlots(run, group, `g${index}`))}`;
}

/** Plots of a group that are not folded away. */
const SHOWN_PLOTS = 2;

const panelOf = (run: RunResult, figures: Figures, plots: readonly Plot[]): Html =>
  html`${tiles(run, figures)}
<section class="card">${latencyTable(figures)}</section>
<div class="charts">${plots.slice(0, SHOWN_PLOTS).map(plotFigure)}</div>${morePlots(plots.slice(SHOWN_PLOTS))}${moreDistributions(figures)}`;

const morePlots = (plots: readonly Plot[]): Html =>
  plots.length === 0
    ? html``
    : fold({
        ...{ title: plural(plots.length, "more picture"), level: 3 },
        line: picturesInWords(plots),
        body: html`<div class="charts">${plots.map(plotFigure)}</div>`,
      });

/** What plots show, by what they are called before the colon: `Inter-chunk latency (histogram, percentiles)`. */
function picturesInWords(plots: readonly Plot[]): string {
  const forms = new Map<string, string[]>();
  for (const [subject = "", form] of plots.map(({ title }) => title.split(": ")))
    forms.set(subject, [...(forms.get(subject) ?? []), ...(form === undefined ? [] : [form])]);
  return [...forms].map(([subject, own]) => (own.length === 0 ? subject : `${subject} (${own.join(", ")})`)).join(", ");
}

function figuresOf(run: RunResult, group: ChartGroup): Figures {
  const { by, name, op } = group;
  const ops = opsOfGroup(op);
  const shown: Shown = { ...shownOf(run), ops };
  const isOfSomeTurns = run.conversations !== undefined;
  const ofOps = new Set(run.charts?.groups.flatMap((other) => (other.by === "operation" ? [other.op] : [])));
  if (group.metrics !== undefined) return { metrics: group.metrics, shown, calls: group.calls };
  if (by === "workload") return { ...run.parts?.[name], metrics: run.parts?.[name]?.metrics ?? {}, shown };
  if (by === "tenant")
    return { ...run.tenants?.[name], metrics: run.tenants?.[name]?.metrics ?? {}, shown, isOfSomeTurns };
  if (by === "model")
    return { ...run.models?.[name], metrics: run.models?.[name]?.metrics ?? {}, shown, isOfSomeTurns };
  if (by === "turn") {
    const turn = run.conversations?.turns.find((each) => String(each.turn) === name);
    return { metrics: turn?.metrics ?? {}, shown: { ...shown, closed: true }, calls: turn?.calls };
  }
  if (ofOps.size === 1) return { ...figuresOfRun(run), shown: shownOf(run) };
  if (op === "video")
    return {
      metrics: Object.fromEntries(
        Object.entries(run.metrics).filter(([key]) => key.startsWith("video_") || key === "tasks_per_s"),
      ),
      shown,
      calls: tasksOf(run),
    };
  return { metrics: run.ops[op]?.metrics ?? {}, shown, calls: run.ops[op]?.calls };
}

/** Video tasks, those whose submission was refused with them. */
function tasksOf({ ops, metrics }: RunResult): Figures["calls"] {
  const ends = metrics["video_outcome"]?.parts ?? {};
  const total = ops["video.submit"]?.calls.total;
  return total === undefined
    ? undefined
    : { total, ok: TASK_ENDS.reduce((sum, end) => sum + (isOkEnd(end) ? (ends[end] ?? 0) : 0), 0) };
}

/** The figures to look at first, each with its number of samples. */
function tiles(run: RunResult, { metrics, counts, calls, shown }: Figures): Html {
  const latency = headlineOf(metrics);
  const quantile = (key: "p50" | "p95"): Html =>
    latency === undefined
      ? tile(`Latency, ${key}`, undefined, undefined)
      : tile(
          `${metric(latency.name).title}, ${key}`,
          withUnit(figureOf(latency.result, key)),
          `n = ${formatNumber(latency.result.count)}, ${sampledOf(latency.result, counts)}`,
        );
  const usable = run.validity.verdict === "VALID";
  return html`<div class="tiles${usable ? "" : " unusable"}">${[quantile("p50"), quantile("p95"), throughput(run, metrics, calls), ...amount(metrics, shown), errors(metrics, counts, calls)]}</div>`;
}

/** Of which requests a latency is: a first token is also one of a client that left later. */
function sampledOf({ notStarted, count }: MetricResult, counts: Figures["counts"]): string {
  if (notStarted !== undefined) return `${formatNumber(notStarted)} never started`;
  return (counts?.outcomes["left"] ?? 0) > 0 && count > (counts?.ok ?? 0) ? "outcome ok or left" : "outcome ok";
}

const withUnit = (figure: string): string => (figure === TOO_FEW ? figure : `${figure} ms`);

function throughput({ durationS }: RunResult, metrics: Metrics, calls: Figures["calls"]): Html {
  const own = metrics["requests_per_s"]?.value;
  if (own !== undefined || calls === undefined)
    return scalar(metrics, "requests_per_s", "requests with the outcome ok");
  const value = durationS > 0 ? formatValue(calls.ok / durationS, "1/s") : undefined;
  return tile(metric("requests_per_s").title, value, "sent in the measured window, with the outcome ok");
}

/** What a group delivers in addition to whole units of work, where that is known of it alone. */
function amount(metrics: Metrics, { ops }: Shown): Html[] {
  const name = ops.some((op) => op.startsWith("chat"))
    ? "output_tokens_per_s"
    : ops.includes("embeddings")
      ? "embedding_items_per_s"
      : "tasks_per_s";
  return metrics[name] === undefined ? [] : [scalar(metrics, name, "in the measured window")];
}

const scalar = (metrics: Metrics, name: keyof typeof METRICS, note: string): Html => {
  const value = metrics[name]?.value;
  return tile(metric(name).title, value === undefined ? undefined : formatValue(value, metric(name).unit), note);
};

function errors(metrics: Metrics, counts: Figures["counts"], calls: Figures["calls"]): Html {
  if (counts !== undefined)
    return scalar(
      metrics,
      "error_rate",
      `of ${plural(metrics["error_rate"]?.count ?? counts.offered, "scheduled request")}`,
    );
  const value =
    calls === undefined || calls.total === 0 ? undefined : formatShare((calls.total - calls.ok) / calls.total);
  return tile("Not ok", value, calls === undefined ? undefined : `of ${plural(calls.total, "request")}`);
}

function tile(name: string, value: string | undefined, note: string | undefined): Html {
  const absent = value === undefined || value === TOO_FEW;
  return html`<div class="tile"><div class="name">${name}</div><div class="value${absent ? " absent" : ""}">${value ?? NOT_MEASURED}</div><div class="note">${note}</div></div>`;
}

function latencyTable(figures: Figures): Html {
  const { counts, conversations, isOfSomeTurns = false } = figures;
  const over =
    counts === undefined || isOfSomeTurns
      ? ""
      : html`<p class="dim">Latencies ${basis({ counts, conversations })}.</p>`;
  return html`${over}${distributionTable(distributionsOf(figures).filter(isOfTarget))}`;
}

/** Of all requests are waits of the load generator; sizes are no times. */
const isOfTarget = ({ name, unit }: DistributionRow): boolean => unit === "ms" && metric(name).over !== "all";

const distributionsOf = ({ metrics, shown }: Figures): DistributionRow[] => distributionRows(metrics, shown);

function moreDistributions(figures: Figures): Html {
  const others = distributionsOf(figures).filter((row) => !isOfTarget(row));
  if (others.length === 0) return html``;
  const line = others.map(({ title }) => title).join(", ");
  return fold({ ...{ title: "Waits and sizes", line, level: 3 }, body: distributionTable(others) });
}

function distributionTable(all: readonly DistributionRow[]): Html {
  const rows = all.map(({ name, title, unit, note, cells, intervals }) => {
    const more = note === undefined ? "" : html`<br><span class="small">${note}</span>`;
    const head = html`${title} <span class="small"><code>${name}</code> ${unit}</span>${more}`;
    const values = cells ?? [NOT_MEASURED, ...STATISTIC_COLUMNS.slice(1).map(() => "")];
    return [
      head,
      ...values.map((cell, column) => {
        if (cell === NOT_MEASURED) return html`<span class="small">${cell}</span>`;
        if (cell === TOO_FEW) return "-";
        const interval = intervals[column];
        return interval === undefined ? cell : html`${cell}<br><span class="small">${interval}</span>`;
      }),
    ];
  });
  const gaps = rows.some((row) => row.includes("-"))
    ? html`<p class="dim small">- ${TOO_FEW} for this percentile</p>`
    : "";
  return html`${htmlTable(["", ...STATISTIC_COLUMNS], rows, "numbers")}${gaps}`;
}
