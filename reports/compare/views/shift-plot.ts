/** How far each percentile of a latency moved, as a plot. */

import type { CompareResult } from "../../../formats/compare.ts";
import { METRICS } from "../../../load/objectives/metrics.ts";
import { formatShare } from "../../numbers.ts";
import type { Plot } from "../../page/plot.ts";
import { type Axis, ofShares } from "../../page/plot-axis.ts";

/** The plot; undefined with fewer than two percentiles. */
export function shiftPlot({ shift }: CompareResult): Plot | undefined {
  const last = shift?.points.at(-1)?.[0];
  if (shift === undefined || last === undefined || shift.points.length < 2) return undefined;
  const { metric: name, confidence, points } = shift;
  const title = Object.entries(METRICS).find(([known]) => known === name)?.[1].title ?? name;
  const y = aroundZero(points.flatMap(([, ...values]) => values.flatMap((value) => value ?? [])));
  const x = ofShares(last);
  return {
    name: "shift",
    title: `${title}: how far each percentile moved`,
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
