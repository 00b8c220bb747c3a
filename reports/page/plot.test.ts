import { expect, test } from "vitest";
import { type Mark, plotFigure } from "./plot.ts";
import { aroundLog, ticksOf } from "./plot-axis.ts";

const figure = (marks: readonly Mark[]): string =>
  plotFigure({
    ...{ name: "one", title: "One", caption: "", marks },
    x: { scale: "linear", from: 0, to: 10, unit: "s" },
    y: { scale: "linear", from: 0, to: 1, unit: "" },
    layers: [{ kind: "line", name: "p50", colour: "s1", points: [[0, 1]] }],
    table: { head: ["second", "p50"], rows: [[0, 1]] },
  }).text;

const keys = (marks: readonly Mark[]): string[] =>
  [...figure(marks).matchAll(/class="key mark [^"]*">([^<]*)/g)].map(([, name = ""]) => name);

test("the legend names what is marked, and nothing else", () => {
  const span = { kind: "span", from: 1, to: 2 } as const;
  expect(
    keys([
      { ...span, tone: "soft", label: "warm-up" },
      { ...span, tone: "soft", label: "drain" },
      { ...span, tone: "stopped", label: "load generator stopped" },
      { kind: "x", at: 3, label: "20/s" },
      { kind: "tick", at: 4, label: "stall" },
    ]),
  ).toEqual(["warm-up, drain", "load generator stopped", "step of the rate", "stall"]);
  expect(keys([{ ...span, tone: "soft", label: "drain" }])).toEqual(["drain"]);
});

test("an objective across a plot is no step of the rate", () => {
  const missed: Mark = { kind: "x", at: 5, label: "ttft_p95<5ms", missed: true };
  expect(keys([missed])).toEqual([]);
  expect(figure([missed])).toContain('class="mark objective missed" d="M500 0L500 1000"');
  expect(figure([missed])).toContain("ttft_p95&lt;5ms");
});

test("a band ends where there are no samples", () => {
  const { text } = plotFigure({
    ...{ name: "band", title: "Band", caption: "" },
    x: { scale: "linear", from: 0, to: 10, unit: "s" },
    y: { scale: "linear", from: 0, to: 1, unit: "" },
    layers: [
      {
        ...{ kind: "band", name: "p50 to p95", colour: "s1" },
        points: [[0, 0, 1], [1, 0, 1], null, [8, 0, 1], [9, 0, 1]],
      },
    ],
    table: { head: ["second"], rows: [[0]] },
  });
  expect(text).toContain('d="M0 0L100 0L100 1000L0 1000ZM800 0L900 0L900 1000L800 1000Z"');
});

test("a logarithmic axis of less than a decade has labels at its low end too", () => {
  expect(ticksOf(aroundLog([120, 380], "ms")).map(({ label }) => label)).toEqual([
    ...["150", "200", "250", "300", "350 ms"],
  ]);
});
