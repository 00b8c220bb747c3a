/** The requests of a load as points: when each was sent, and its latency. The page is complete without the script that reads its data. */

import { hasFailed } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { PointKind, RunPoints } from "../../../formats/run-points.ts";
import { METRIC_NAMES, metric } from "../../../load/objectives/metrics.ts";
import { formatNumber, plural } from "../../numbers.ts";
import { Html, html } from "../../page/html-template.ts";
import { type LinkedDot, type Plot, type PlotColour, plotFigure } from "../../page/plot.ts";
import { aroundLog, ofTime } from "../../page/plot-axis.ts";
import { differencesOf, encodeIntegers } from "../../page/point-data.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { timesOf } from "./moments.ts";
import { dotOf, listedOf, marksWithin, objectivesOf } from "./plotted-group.ts";
import { backgroundOf } from "./run-plots.ts";
import { mainLatency } from "./run-strip.ts";

/** What points can be coloured by: the classes, and the class of each kind of request. */
interface Colouring {
  readonly by: string;
  readonly classes: readonly (readonly [name: string, colour: PlotColour])[];
  readonly of: readonly number[];
}

const FIRST: readonly PlotColour[] = ["s1", "s2", "s3", "s4", "s5"];
const OF_FAILURES: readonly PlotColour[] = ["bad", "s2", "s3", "s5", "s1"];

const outcomeOf = (kind: PointKind): string => failureName(kind);

/** Every colouring that tells points apart, that by outcome first. */
export function colouringsOf(points: RunPoints, tenantOf: (workload: string) => string | undefined): Colouring[] {
  const counts = points.kinds.map(() => 0);
  for (const kind of points.kind) counts[kind] = (counts[kind] ?? 0) + 1;
  const colouring = (by: string, nameOf: (kind: PointKind) => string | undefined): Colouring[] => {
    const names = points.kinds.map((kind) => nameOf(kind) ?? "none");
    const sizes = new Map<string, number>();
    for (const [kind, name] of names.entries()) sizes.set(name, (sizes.get(name) ?? 0) + (counts[kind] ?? 0));
    const byOutcome = by === "outcome";
    if (!byOutcome && sizes.size < 2) return [];
    const others = [...sizes].filter(([name]) => !byOutcome || name !== "ok").toSorted(([, a], [, b]) => b - a);
    const colours = byOutcome ? OF_FAILURES : FIRST;
    const own = others.slice(0, colours.length).map(([name], index) => [name, colours[index] ?? "s6"] as const);
    const rest = others.length > colours.length ? [["others", "s6"] as const] : [];
    const classes = [...(byOutcome ? [["ok", "s4"] as const] : []), ...own, ...rest];
    const classOf = (name: string): number => classes.findIndex(([each]) => each === name);
    return [{ by, classes, of: names.map((name) => (classOf(name) < 0 ? classes.length - 1 : classOf(name))) }];
  };
  return [
    ...colouring("outcome", outcomeOf),
    ...colouring("operation", ({ op }) => op),
    ...colouring("tenant", ({ workload = "" }) => tenantOf(workload)),
    ...colouring("model", ({ model }) => model),
  ];
}

const titleOf = ({ metric: name }: RunPoints): string => {
  const known = METRIC_NAMES.find((each) => each === name);
  return known === undefined ? name : metric(known).title;
};

/** Which requests are shown. */
export function chosenInWords({ requests, failed, slowest, kind, kinds }: RunPoints): string {
  if (kind.length === requests) return `all ${plural(requests, "request")}`;
  const held = kind.filter((each) => hasFailed((kinds[each] ?? NO_KIND).outcome)).length;
  const all = failed === 1 ? "the one" : `all ${formatNumber(failed)}`;
  const others = kind.length - held - slowest;
  const parts = [
    ...(slowest > 0 ? [`the ${formatNumber(slowest)} slowest`] : []),
    ...(failed > 0
      ? [`${held === failed ? all : `${formatNumber(held)} of ${formatNumber(failed)}`} that failed`]
      : []),
    ...(others > 0 ? [`and ${formatNumber(others)} others`] : []),
  ];
  return `${formatNumber(kind.length)} of ${formatNumber(requests)} requests: ${parts.join(", ")}, drawn by the seed of the run`;
}

const NO_KIND: PointKind = { op: "", outcome: "", isOfMetric: false, id: "", digits: 0 };

const idOf = ({ kinds, kind, number }: RunPoints, index: number): string => {
  const { id, digits } = kinds[kind[index] ?? 0] ?? NO_KIND;
  return digits === 0 ? id : id + (number[index] ?? 0).toString(16).padStart(digits, "0");
};

/** The plot, and the data that its script reads; undefined of a result without points. */
export function pointsPlot(run: RunResult): Html | undefined {
  const { points, tenants = {} } = run;
  if (points === undefined) return undefined;
  const names = new Map(
    Object.entries(tenants).flatMap(([name, { workloads }]) => workloads.map((each) => [each, name] as const)),
  );
  const colourings = colouringsOf(points, (workload) => names.get(workload));
  const figure = plotFigure(plotOf(run, points, colourings));
  const choice =
    colourings.length < 2
      ? ""
      : html`<label class="colour-by" hidden>Colour by <select>${colourings.map(({ by }) => html`<option>${by}</option>`)}</select></label>`;
  return html`${choice}${figure}<output class="opened"></output>${dataOf(points, colourings, (workload) => names.get(workload))}`;
}

function plotOf(run: RunResult, points: RunPoints, [byOutcome]: readonly Colouring[]): Plot {
  const { from, to } = timesOf(run);
  const { classes = [], of = [] } = byOutcome ?? {};
  const y = aroundLog(
    points.us.map((us) => us / 1_000),
    "ms",
  );
  const main = mainLatency(run);
  const { marks, note } = marksWithin(main === undefined ? [] : objectivesOf(main, main.name), y.to);
  const drawn = points.kind.map(
    (kind, index) =>
      [
        kind,
        [secondOf(points, index), msOf(points, index), hasFailed((points.kinds[kind] ?? NO_KIND).outcome)],
      ] as const,
  );
  const ofClass = (wanted: number) => drawn.filter(([kind]) => of[kind] === wanted).map(([, point]) => point);
  return {
    name: "requests",
    title: "Requests as points",
    caption: `ms, logarithmic, by the time of sending: ${titleOf(points)} of ok requests, else the time until their end; ${chosenInWords(points)}${note}`,
    x: ofTime(from, to),
    y,
    layers: classes.map(([name, colour], index) => ({ kind: "points", name, colour, points: ofClass(index) })),
    marks: [...backgroundOf(run), ...marks],
    dots: listedDots(run, points),
    table: {
      head: ["outcome", "points", "min ms", "max ms"],
      rows: classes.map(([name], index) => {
        const values = ofClass(index).map(([, ms]) => ms);
        const [least, most] = [
          values.reduce((a, b) => Math.min(a, b), Infinity),
          values.reduce((a, b) => Math.max(a, b), 0),
        ];
        return [name, values.length, least, most];
      }),
    },
  };
}

/** The points of requests of which the page has more. */
function listedDots(run: RunResult, points: RunPoints): LinkedDot[] {
  const listed = listedOf(run);
  return points.kind.flatMap((_, index) => {
    const request = listed.get(idOf(points, index));
    return request === undefined ? [] : [dotOf(request, secondOf(points, index), msOf(points, index))];
  });
}

const secondOf = ({ sentMs }: RunPoints, index: number): number => (sentMs[index] ?? 0) / 1_000;
const msOf = ({ us }: RunPoints, index: number): number => (us[index] ?? 0) / 1_000;

/** The points as the script reads them: what a page says of each kind, and numbers per request. */
function dataOf(
  points: RunPoints,
  colourings: readonly Colouring[],
  tenantOf: (workload: string) => string | undefined,
): Html {
  const { kinds, kind, sentMs, us, number, requests, failed, slowest } = points;
  const slow = us.filter((_, index) => kinds[kind[index] ?? 0]?.isOfMetric).toSorted((a, b) => b - a);
  const data = {
    title: titleOf(points),
    requests,
    failed,
    slowest,
    slowestUs: slow[slowest - 1] ?? 0,
    kinds: kinds.map((each) => ({
      facts: [each.op, outcomeOf(each), tenantOf(each.workload ?? ""), each.model],
      failed: hasFailed(each.outcome),
      isOk: each.outcome === "ok" && each.isOfMetric,
      id: each.id,
      digits: each.digits,
    })),
    colourings,
    kind: encodeIntegers(kind),
    sentMs: encodeIntegers(differencesOf(sentMs)),
    us: encodeIntegers(us),
    number: encodeIntegers(differencesOf(number)),
  };
  return new Html(
    `<script type="application/json" id="points">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`,
  );
}
