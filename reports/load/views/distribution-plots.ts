/** The plots of a group as distributions: histograms and percentiles of its latencies, and latency by the size of the prompt. */

import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";
import type { Mark, Plot } from "../../page/plot.ts";
import { aroundLog, fromZero, ofShares } from "../../page/plot-axis.ts";
import { dotsOf, marksWithin, type Objective, objectivesOf, type PlottedGroup, titleOf } from "./plotted-group.ts";

const lineX = (objectives: readonly Objective[], from: number, to: number): Mark[] =>
  objectives
    .filter(({ bound }) => bound >= from && bound <= to)
    .map(({ expr, bound, missed }) => ({ kind: "x", at: bound, label: expr, missed }));

export function histogramOf(of: PlottedGroup, name: MetricName): Plot[] {
  const { histogram, samples } = of.group.series[name] ?? { histogram: [] };
  // What takes no time at all has no place on the axis.
  const bars = histogram.filter(([from]) => from > 0);
  if (bars.length < 2 || samples !== undefined) return [];
  const x = aroundLog(
    bars.flatMap(([from, to]) => [from, to]),
    metric(name).unit,
  );
  const total = histogram.reduce((sum, [, , count]) => sum + count, 0);
  const none = total - bars.reduce((sum, [, , count]) => sum + count, 0);
  return [
    {
      name: `${of.id}-${name}-histogram`,
      title: `${titleOf(name)}: histogram`,
      caption: `number of ${name === "icl" ? "gaps" : "requests"} by latency, logarithmic${none > 0 ? `; ${formatNumber(none)} of 0 ms are left out` : ""}`,
      x,
      y: fromZero(
        bars.map(([, , count]) => count),
        "",
      ),
      layers: [
        {
          kind: "boxes",
          name,
          colour: "s1",
          boxes: bars.map(([from, to, count]) => ({ x: [from, to], y: [0, count] })),
        },
      ],
      marks: lineX(objectivesOf(of, name), x.from, x.to),
      table: {
        head: ["from ms", "to", "number", "share"],
        rows: histogram.map(([from, to, count]) => [from, to, count, formatShare(count / total)]),
      },
    },
  ];
}

export function curveOf(of: PlottedGroup, name: MetricName): Plot[] {
  const { curve = [] } = of.group.series[name] ?? {};
  const last = curve.at(-1)?.[0];
  if (curve.length < 2 || last === undefined) return [];
  const objectives = objectivesOf(of, name);
  const most = curve.reduce((max, [, value]) => Math.max(max, value), 0);
  const y = fromZero(
    [...curve.map(([, value]) => value), ...objectives.map(({ bound }) => bound).filter((bound) => bound <= 2 * most)],
    metric(name).unit,
  );
  const { marks, note } = marksWithin(objectives, y.to);
  return [
    {
      name: `${of.id}-${name}-percentiles`,
      title: `${titleOf(name)}: percentiles`,
      caption: `exact; the curve ends where fewer than ten samples lie beyond it${note}`,
      x: ofShares(last),
      y,
      layers: [{ kind: "line", name, colour: "s1", points: curve }],
      marks,
      table: { head: ["share", metric(name).unit], rows: curve },
    },
  ];
}

export function byInputTokens(of: PlottedGroup): Plot[] {
  const { byInputTokens: cells = [] } = of.group;
  const total = cells.reduce((sum, [, , , , count]) => sum + count, 0);
  if (cells.length < 2) return [];
  const most = cells.reduce((max, [, , , , count]) => Math.max(max, count), 1);
  const x = aroundLog(
    cells.flatMap(([from, to]) => [from, to]),
    "tokens",
  );
  const y = aroundLog(
    cells.flatMap(([, , from, to]) => [from, to]),
    "ms",
  );
  const dots = dotsOf(of, ({ inputTokens, ttftMs, outcome }) =>
    inputTokens === undefined || ttftMs === undefined || outcome !== "ok" ? undefined : [inputTokens, ttftMs],
  );
  const sizes = new Map<number, { to: number; count: number; low: number; high: number }>();
  for (const [from, to, low, high, count] of cells) {
    const known = sizes.get(from) ?? { to, count: 0, low, high };
    sizes.set(from, {
      to,
      count: known.count + count,
      low: Math.min(known.low, low),
      high: Math.max(known.high, high),
    });
  }
  return [
    {
      name: `${of.id}-input`,
      title: "Time to first token by input tokens",
      caption: `${plural(total, "request")}, from the start of the call; both axes logarithmic; the darker, the more requests`,
      x,
      y,
      layers: [
        {
          kind: "boxes",
          name: "requests",
          colour: "s3",
          boxes: cells.map(([from, to, low, high, count]) => ({
            x: [from, to],
            y: [low, high],
            strength: Math.log1p(count) / Math.log1p(most),
          })),
        },
      ],
      dots,
      table: {
        head: ["from tokens", "to", "requests", "ttft from ms", "to"],
        rows: [...sizes].map(([from, { to, count, low, high }]) => [from, to, count, low, high]),
      },
    },
  ];
}
