/** The plots of a comparison: how far each percentile of a latency moved, and both distributions of each latency over each other. */

import type { CompareResult } from "../../../formats/compare.ts";
import { METRICS, type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { formatShare } from "../../numbers.ts";
import type { Layer, Plot } from "../../page/plot.ts";
import { type Axis, fromZero, ofShares } from "../../page/plot-axis.ts";

const isMetric = (name: string): name is MetricName => name in METRICS;
const titleOf = (name: string): string => (isMetric(name) ? metric(name).title : name);

/** Every plot that there is data for. */
export function comparisonPlots(result: CompareResult): Plot[] {
  const distributions = Object.entries(result.curves).map(([name, curves]) => distributionsPlot(name, curves));
  return [shiftPlot(result), ...distributions].filter((plot) => plot !== undefined);
}

type Curves = CompareResult["curves"][string];

/** undefined where a side has too few samples. */
function distributionsPlot(name: string, { base, new: next }: Curves): Plot | undefined {
  if (base.length < 2 || next.length < 2) return undefined;
  const drawn = [...base, ...next].flatMap(([, value, , high]) => [value, high ?? value]);
  const y = fromZero(drawn, "ms");
  const shares = [...new Set([...base, ...next].map(([share]) => share))].toSorted((a, b) => a - b);
  return {
    name: `curve-${name}`,
    title: titleOf(name),
    caption:
      "ms by percentile; bands: 95% interval of each percentile, by chance within the runs; each curve ends where fewer than ten samples lie beyond it",
    x: ofShares(shares.at(-1) ?? 0.9),
    y,
    layers: [...sideLayers("base", "s6", base, y), ...sideLayers("new", "s1", next, y)],
    table: {
      head: ["share", "base ms", "from", "to", "new ms", "from", "to"],
      rows: shares.map((share) => [share, ...[base, next].flatMap((curve) => cellsAt(curve, share))]),
    },
  };
}

function cellsAt(curve: Curves["base"], share: number): (number | null)[] {
  const [, ...cells] = curve.find(([at]) => at === share) ?? [share, null, null, null];
  return cells;
}

/** A line with its band; the lowest value of all has none. */
const sideLayers = (name: string, colour: "s1" | "s6", curve: Curves["base"], y: Axis): Layer[] => [
  {
    ...{ kind: "band", name: "", colour },
    points: curve.map(([share, , low, high]) => (share === 0 ? null : [share, low ?? y.from, high ?? y.to])),
  },
  { kind: "line", name, colour, points: curve.map(([share, value]) => [share, value]) },
];

/** The plot; undefined with fewer than two percentiles. */
export function shiftPlot({ shift }: CompareResult): Plot | undefined {
  const last = shift?.points.at(-1)?.[0];
  if (shift === undefined || last === undefined || shift.points.length < 2) return undefined;
  const { metric: name, confidence, points } = shift;
  const y = aroundZero(points.flatMap(([, ...values]) => values.flatMap((value) => value ?? [])));
  const x = ofShares(last);
  return {
    name: "shift",
    title: `${titleOf(name)}: how far each percentile moved`,
    caption: `new less base, ms: above 0 is slower. Band: ${formatShare(confidence)} interval of each percentile; up to the edge if the data sets no bound. It decides no verdict`,
    x,
    y,
    layers: [
      { kind: "line", name: "no change", colour: "dim", thin: true, points: [x.from, x.to].map((at) => [at, 0]) },
      {
        ...{ kind: "band", name: "interval", colour: "s1" },
        points: points.map(([share, , low, high]) => [share, low ?? y.from, high ?? y.to]),
      },
      { kind: "line", name: "new less base", colour: "s1", points: points.map(([share, moved]) => [share, moved]) },
    ],
    table: { head: ["share", "new less base ms", "from", "to"], rows: points },
  };
}

/** Around 0 and all values, with room for what has no bound. */
function aroundZero(values: readonly number[]): Axis {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = 0.1 * (most - least) || 1;
  return { scale: "linear", from: least - room, to: most + room, unit: "ms" };
}
