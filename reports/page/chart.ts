/**
 * Charts as SVG, drawn by echarts without a browser. Colours are stand-ins that become CSS variables afterwards, so
 * that one drawing serves light and dark.
 */

// One file; the modules are several hundred, all of which Node would hold open at once.
import * as echarts from "echarts/dist/echarts.esm.min";
import type { EChartsOption } from "echarts/types/dist/shared";
import { escapeHtml, Html, html } from "./html-template.ts";

const WIDTH = 520;
const HEIGHT = 230;

/** The look of charts, for pages that have any. */
export const CHART_STYLE = `
figure .scroll svg { min-width: 478px; }
.legend { margin-top: 4px; }
.legend i { font-style: normal; margin-right: 12px; white-space: nowrap; }
.legend i::before { content: ""; display: inline-block; width: 12px; height: 4px; border-radius: 2px; background: var(--key); margin-right: 5px; vertical-align: middle; }
@media print { figure .scroll svg { min-width: 0; } }
`;

/** Stand-in colours: each a value that nothing else in a drawing has. */
export const COLOURS = {
  ink: "#a10001",
  dim: "#a10002",
  line: "#a10003",
  bad: "#a10004",
  soft: "#a10005",
  s1: "#a10011",
  s2: "#a10012",
  s3: "#a10013",
  s4: "#a10014",
  s5: "#a10015",
  s6: "#a10016",
} as const;
export type Colour = (typeof COLOURS)[keyof typeof COLOURS];

const themed = (drawing: string): string =>
  Object.entries(COLOURS).reduce((text, [variable, colour]) => text.replaceAll(colour, `var(--${variable})`), drawing);

export interface Chart {
  /** Unique within a page. */
  readonly name: string;
  readonly title: string;
  /** What the axes and lines mean, in a sentence. */
  readonly caption: string;
  /** Names and colours of what is drawn. */
  readonly legend: readonly (readonly [string, Colour])[];
  readonly option: EChartsOption;
}

/** Draws a chart as a figure. */
export function figure({ name, title, caption, legend, option }: Chart): Html {
  const keys = legend.map(([key, colour]) => html`<i style="--key:${themed(colour)}">${key}</i>`);
  return html`<figure><figcaption>${title}<span>${caption}</span><span class="legend">${keys}</span></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="${title}">${draw(name, title, option)}</div></figure>`;
}

function draw(name: string, title: string, option: EChartsOption): Html {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: "system-ui, sans-serif" }, ...option });
    // The library numbers its drawings, and adds styles for a pointer over a script that is not there. A name keeps two
    // drawings of a page apart and makes equal input equal.
    const svg = themed(chart.renderToSVGString({ useViewBox: true }))
      .replace(/<style[\s\S]*?<\/style>|\sclass="[^"]*"/g, "")
      .replace(/\bzr\d+-/g, `${name}-`);
    return new Html(svg.replace("<svg ", `<svg role="img" aria-label="${escapeHtml(title)}" `));
  } finally {
    chart.dispose();
  }
}

const AXIS = {
  axisLabel: { color: COLOURS.dim, fontSize: 12 },
  axisLine: { show: true, lineStyle: { color: COLOURS.line } },
  axisTick: { show: false },
} as const;

/** The frame that all charts share. */
export const FRAME = {
  grid: { left: 8, right: 16, top: 10, bottom: 22, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
} as const satisfies EChartsOption;

/** A numeric axis; labels are short. */
export const valueAxis = (more: Readonly<Record<string, unknown>> = {}) => ({
  ...AXIS,
  type: "value" as const,
  splitLine: { lineStyle: { color: COLOURS.line } },
  ...more,
});
