/**
 * Plots of a page: a drawing that stretches with the page, and labels beside it that keep their size. Each has its data as a table,
 * which a reader without eyes for it reads, and which the script of the page shows at the pointer.
 */

import { formatNumber } from "../numbers.ts";
import { escapeHtml, Html, html } from "./html-template.ts";
import { type Axis, placeOf, SIZE, ticksOf } from "./plot-axis.ts";

/** Colours by their name in the style of the page. */
export type PlotColour = "s1" | "s2" | "s3" | "s4" | "s5" | "s6" | "bad" | "unsure" | "dim";

interface Named {
  /** Empty: the legend leaves it out. */
  readonly name: string;
  readonly colour: PlotColour;
}

/** `y` null: no line there. */
export type Point = readonly [x: number, y: number | null];

/** null: no band there. */
export type BandPoint = readonly [x: number, low: number, high: number] | null;

/** What a page has more of, such as a request, or what has a page of its own. */
export interface LinkedDot {
  readonly x: number;
  readonly y: number;
  readonly href: string;
  readonly text: string;
  readonly colour: PlotColour;
  /** A ring in place of a disc. */
  readonly hollow?: boolean;
}

export type Layer =
  | (Named & { readonly kind: "line"; readonly points: readonly Point[]; readonly thin?: boolean })
  | (Named & { readonly kind: "band"; readonly points: readonly BandPoint[] })
  | (Named & { readonly kind: "boxes"; readonly boxes: readonly Box[] })
  | (Named & { readonly kind: "dots"; readonly points: readonly (readonly [x: number, y: number])[] })
  /** Thousands of small dots; what failed has another form. */
  | (Named & {
      readonly kind: "points";
      readonly points: readonly (readonly [x: number, y: number, failed: boolean])[];
    });

/** A rectangle; `strength` from 0 to 1 decides how well it is seen, absent: 1. */
export interface Box {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly strength?: number;
}

/** How a time is marked: behind a drawing; unsteady: at its upper edge. */
export type SpanTone = "soft" | "bad" | "stopped" | "unsteady";

export type Mark =
  | {
      readonly kind: "span";
      readonly from: number;
      readonly to: number;
      readonly tone: SpanTone;
      readonly label: string;
    }
  /** A bound, which was missed or not; without `missed`, where something begins, which the legend names: absent, a step of the rate. */
  | {
      readonly kind: "x";
      readonly at: number;
      readonly label: string;
      readonly missed?: boolean;
      readonly begins?: string;
    }
  /** Short, at the upper edge. */
  | { readonly kind: "tick"; readonly at: number; readonly label: string }
  | { readonly kind: "y"; readonly at: number; readonly label: string; readonly missed: boolean };

export interface Plot {
  /** Unique within a page. */
  readonly name: string;
  readonly title: string;
  /** What is shown, in a sentence. */
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly layers: readonly Layer[];
  readonly marks?: readonly Mark[];
  readonly dots?: readonly LinkedDot[];
  /** What the legend calls the dots; empty: it leaves them out; absent: they are listed requests. */
  readonly dotsName?: string;
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly (string | number | null)[])[] };
}

/** A plot as HTML. */
export function plotFigure(plot: Plot): Html {
  const { name, title, caption, x, y, layers, marks = [], dots = [] } = plot;
  const legend = layers.length < 2 && marks.length === 0 && dots.length === 0 ? html`` : legendOf(plot);
  const low = y.from < 0 ? undefined : lowest(layers);
  return html`<figure class="plot" id="plot-${name}" data-x="${axisText(x)}" data-y="${axisText(y)}"${low === undefined ? "" : new Html(` data-low="${number(low)}"`)}>
<figcaption>${title}<span>${caption}</span></figcaption>${legend}
<div class="frame"><svg viewBox="0 0 ${SIZE} ${SIZE}" preserveAspectRatio="none" role="img" aria-label="${title}">${gridOf(y)}${marks.map((mark) => markPath(mark, x, y))}${layers.map((layer, index) => layerOf(layer, index, x, y))}</svg>${labelsOf("y", y)}${labelsOf("x", x)}${marks.map((mark) => markLabel(mark, x, y))}${dots.map((dot) => dotOf(dot, x, y))}</div>
${dataTable(plot)}</figure>`;
}

/** An axis as the script of the page reads it. */
export const axisText = ({ scale, from, to, unit }: Axis): string => `${scale} ${number(from)} ${number(to)} ${unit}`;

/** The least value above 0 that is drawn: where a logarithmic axis begins. */
function lowest(layers: readonly Layer[]): number | undefined {
  const values = layers.flatMap((layer) =>
    layer.kind === "line" || layer.kind === "dots"
      ? layer.points.flatMap(([, y]) => (y !== null && y > 0 ? [y] : []))
      : layer.kind === "band"
        ? layer.points.flatMap((point) => (point !== null && point[1] > 0 ? [point[1]] : []))
        : [],
  );
  return values.length === 0 ? undefined : values.reduce((least, value) => Math.min(least, value));
}

const number = (value: number): string => String(Number(value.toPrecision(6)));
const px = (axis: Axis, value: number): string => (placeOf(axis, value) * SIZE).toFixed(1).replace(/\.0$/, "");
const py = (axis: Axis, value: number): string => ((1 - placeOf(axis, value)) * SIZE).toFixed(1).replace(/\.0$/, "");
/** A share of a width or height. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

const gridOf = (y: Axis): Html =>
  html`<path class="grid" d="${ticksOf(y)
    .map(({ at }) => `M0 ${((1 - at) * SIZE).toFixed(1)}L${SIZE} ${((1 - at) * SIZE).toFixed(1)}`)
    .join("")}"/>`;

/** The labels of an axis of a frame. */
export const labelsOf = (side: "x" | "y", axis: Axis): Html =>
  html`<div class="${side}" aria-hidden="true">${ticksOf(axis).map(({ at, label }) => html`<span style="${side === "x" ? "left" : "bottom"}:${percent(at)}">${label}</span>`)}</div>`;

/** What a layer draws, from 0 to `SIZE` in both directions. */
export function layerOf(layer: Layer, index: number, x: Axis, y: Axis): Html {
  return html`<g class="${layer.kind}${layer.kind === "line" && layer.thin ? " thin" : ""}" data-layer="${index}" style="--c:var(--${layer.colour})">${pathsOf(layer, x, y)}</g>`;
}

function pathsOf(layer: Layer, x: Axis, y: Axis): Html[] {
  if (layer.kind === "line") return [path(linePath(layer.points, x, y))];
  if (layer.kind === "dots")
    return [path(layer.points.map(([at, value]) => `M${px(x, at)} ${py(y, value)}h0`).join(""))];
  if (layer.kind === "points")
    return [false, true].map(
      (failed) =>
        html`<path${failed ? new Html(' class="failed"') : ""} d="${cloudPath(
          layer.points.filter((point) => point[2] === failed),
          x,
          y,
        )}"/>`,
    );
  if (layer.kind === "band") {
    return [
      path(
        piecesOf(layer.points)
          .map((points) => bandPath(points, x, y))
          .join(""),
      ),
    ];
  }
  return [...shadesOf(layer.boxes)].map(
    ([level, boxes]) =>
      html`<path${level === LEVELS ? "" : new Html(` opacity="${(0.12 + (0.88 * level) / LEVELS).toFixed(2)}"`)} d="${boxes.map((box) => boxPath(box, x, y)).join("")}"/>`,
  );
}

/** Places across and up at which a cloud of points is drawn, each once. */
const CELLS = { across: 500, up: 200 } as const;

function cloudPath(points: readonly (readonly [x: number, y: number, failed: boolean])[], x: Axis, y: Axis): string {
  const [width, height] = [SIZE / CELLS.across, SIZE / CELLS.up];
  const cells = new Set(
    points.map(
      ([at, value]) =>
        Math.round(placeOf(x, at) * CELLS.across) * (CELLS.up + 1) + Math.round((1 - placeOf(y, value)) * CELLS.up),
    ),
  );
  let [left, top] = [0, 0];
  return [...cells]
    .toSorted((a, b) => a - b)
    .map((cell) => {
      const [across, down] = [Math.floor(cell / (CELLS.up + 1)) * width, (cell % (CELLS.up + 1)) * height];
      const move = `m${across - left}${down < top ? "" : " "}${down - top}h0`;
      [left, top] = [across, down];
      return move;
    })
    .join("");
}

/** Boxes by their shade; those above one another are one. */
function shadesOf(boxes: readonly Box[]): ReadonlyMap<number, readonly Box[]> {
  const shades = new Map<number, Box[]>();
  for (const box of boxes) {
    const level = Math.max(1, Math.ceil((box.strength ?? 1) * LEVELS));
    const own = shades.get(level) ?? [];
    const last = own.at(-1);
    if (last?.x[0] === box.x[0] && last.y[1] === box.y[0]) own[own.length - 1] = { ...box, y: [last.y[0], box.y[1]] };
    else own.push(box);
    shades.set(level, own);
  }
  return shades;
}

/** Of a heat map to whole units, which its boxes are many times as large as. */
function boxPath({ x: across, y: up, strength }: Box, x: Axis, y: Axis): string {
  const [left, right, low, high] = [px(x, across[0]), px(x, across[1]), py(y, up[0]), py(y, up[1])];
  if (strength === undefined) return `M${left} ${low}V${high}H${right}V${low}z`;
  const [width, height] = [Math.round(+right) - Math.round(+left), Math.round(+low) - Math.round(+high)];
  return `M${Math.round(+left)} ${Math.round(+high)}h${width}v${height}h-${width}z`;
}

/** The points of a band between its breaks. */
function piecesOf(points: readonly BandPoint[]): NonNullable<BandPoint>[][] {
  const pieces: NonNullable<BandPoint>[][] = [[]];
  for (const point of points) {
    if (point === null) pieces.push([]);
    else pieces.at(-1)?.push(point);
  }
  return pieces.filter((piece) => piece.length > 0);
}

function bandPath(points: readonly NonNullable<BandPoint>[], x: Axis, y: Axis): string {
  const there = points.map(([at, , high]) => `${px(x, at)} ${py(y, high)}`);
  const back = points.map(([at, low]) => `${px(x, at)} ${py(y, low)}`).toReversed();
  return `M${[...there, ...back].join("L")}Z`;
}

/** Shades of boxes. */
const LEVELS = 6;

const path = (d: string): Html => html`<path d="${d}"/>`;

/** A point without neighbours is a dot. */
function linePath(points: readonly Point[], x: Axis, y: Axis): string {
  return points
    .map(([at, value], index) => {
      if (value === null) return "";
      const isFirst = (points[index - 1]?.[1] ?? null) === null;
      const isLast = (points[index + 1]?.[1] ?? null) === null;
      const place = `${px(x, at)} ${py(y, value)}`;
      return isFirst ? `M${place}${isLast ? "h0" : ""}` : `L${place}`;
    })
    .join("");
}

function markPath(mark: Mark, x: Axis, y: Axis): Html {
  if (mark.kind === "span") {
    const [left, right, bottom] = [px(x, mark.from), px(x, mark.to), mark.tone === "unsteady" ? SIZE / 30 : SIZE];
    return html`<path class="mark ${mark.tone}" d="M${left} 0L${right} 0L${right} ${bottom}L${left} ${bottom}Z"/>`;
  }
  const objective = `objective${mark.kind !== "tick" && mark.missed ? " missed" : ""}`;
  if (mark.kind === "y")
    return html`<path class="mark ${objective}" d="M0 ${py(y, mark.at)}L${SIZE} ${py(y, mark.at)}"/>`;
  const bottom = mark.kind === "tick" ? 45 : SIZE;
  const look = mark.kind === "tick" ? "stall" : mark.missed === undefined ? "step" : objective;
  return html`<path class="mark ${look}" d="M${px(x, mark.at)} 0L${px(x, mark.at)} ${bottom}"/>`;
}

function markLabel(mark: Mark, x: Axis, y: Axis): Html {
  if (mark.kind === "y")
    return html`<span class="label objective" style="bottom:${percent(placeOf(y, mark.at))}">${mark.label}</span>`;
  return mark.kind === "x"
    ? html`<span class="label step" style="left:${percent(placeOf(x, mark.at))}">${mark.label}</span>`
    : html``;
}

const dotOf = ({ x: at, y: value, href, text, colour, hollow = false }: LinkedDot, x: Axis, y: Axis): Html =>
  html`<a class="dot${hollow ? " hollow" : ""}" href="${href}" style="left:${percent(placeOf(x, at))};bottom:${percent(placeOf(y, value))};--c:var(--${colour})" title="${text}"></a>`;

/** What a legend calls a mark, and how that looks; a line across the plot has its text beside it. */
function markKey(mark: Mark): readonly [className: string, name: string][] {
  if (mark.kind === "span") return [[mark.tone, mark.label]];
  if (mark.kind === "tick") return [["stall", mark.label]];
  return mark.kind === "x" && mark.missed === undefined ? [["step", mark.begins ?? "step of the rate"]] : [];
}

function legendOf({ layers, marks = [], dots = [], dotsName = "a listed request" }: Plot): Html {
  const keys = layers.map(({ name, colour, kind }, index) =>
    name === ""
      ? html``
      : html`<span class="key ${kind}" data-layer="${index}" style="--c:var(--${colour})">${name}</span>`,
  );
  const names = new Map<string, Set<string>>();
  for (const [className, name] of marks.flatMap(markKey))
    names.set(className, (names.get(className) ?? new Set()).add(name));
  const marked = [...names].map(
    ([className, own]) => html`<span class="key mark ${className}">${[...own].join(", ")}</span>`,
  );
  return html`<div class="legend">${keys}${marked}${dots.length === 0 || dotsName === "" ? "" : html`<span class="key linked">${dotsName}</span>`}</div>`;
}

/** The data of a plot, folded away. End tags of rows and cells may be left out, and rows are most of a page. */
export function dataTable({ title, table: { head, rows } }: Pick<Plot, "title" | "table">, more?: Html): Html {
  const cell = (value: string | number | null): string =>
    value === null ? "" : typeof value === "number" ? formatNumber(Number(value.toPrecision(4))) : escapeHtml(value);
  // A row is read at its first cell, whose number is there where its text has another form.
  const body = rows.map(([first = "", ...others]) => {
    const at = typeof first === "number" && cell(first) !== number(first) ? ` data-x="${number(first)}"` : "";
    return `<tr><th${at}>${cell(first)}${others.map((value) => `<td>${cell(value)}`).join("")}\n`;
  });
  return html`<details class="data"><summary>Data</summary>${more}<div class="scroll" tabindex="0" role="region" aria-label="Data: ${title}"><table class="numbers"><thead><tr>${head.map((text) => html`<th scope="col">${text}`)}<tbody>${new Html(body.join(""))}</table></div></details>`;
}
