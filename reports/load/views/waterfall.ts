/**
 * A request as a waterfall: its phases one below another on one axis of time, chunks as ticks, beside the phases of the request of
 * its operation that took the median time. For a page and for a terminal.
 */

import type { NotableRequest } from "../../../formats/run-requests.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { formatValue, plural } from "../../numbers.ts";
import { type Html, html } from "../../page/html-template.ts";
import { columns } from "../../terminal-text.ts";

/** Each phase with its colour, in their order. */
const PHASES = [
  ["wait for a slot", "dim"],
  ["sent late", "unsure"],
  ["name look-up", "s2"],
  ["connect", "s3"],
  ["TLS", "s5"],
  ["first byte", "s6"],
  ["first token", "s1"],
  ["chunks", "s4"],
  ["end", "dim"],
] as const;

/** In milliseconds from the start of the call; below 0 before it. */
export interface Phase {
  readonly name: (typeof PHASES)[number][0];
  readonly from: number;
  readonly to: number;
}

/** The phases of a request that were recorded, in their order; those that took no time are left out. */
export function phasesOf(request: NotableRequest): Phase[] {
  const { lateMs = 0, slotMs = 0, lookupMs = 0, connectMs = 0, tlsMs = 0, ttfbMs, ttftMs, e2eMs, chunksMs } = request;
  const due = 0 - Math.max(0, lateMs);
  const last = ttftMs === undefined ? undefined : (chunksMs?.at(-1) ?? ttftMs);
  const connected = lookupMs + connectMs;
  const ends: Readonly<Record<Phase["name"], number | undefined>> = {
    "wait for a slot": Math.min(0, due + Math.max(0, slotMs)),
    "sent late": 0,
    "name look-up": lookupMs,
    connect: connected,
    TLS: connected + tlsMs,
    "first byte": ttfbMs,
    "first token": ttftMs,
    chunks: last,
    end: e2eMs,
  };
  let from = due;
  return PHASES.flatMap(([name]) => {
    const to = ends[name];
    if (to === undefined || to <= from) return [];
    const phase = { name, from, to };
    from = to;
    return [phase];
  });
}

/** What the records do not hold of the course of a request, and whether it had a connection to make. */
export function notRecorded({ lookupMs, connectMs, chunks = 0, chunksMs }: NotableRequest): string {
  const isNew = lookupMs !== undefined || connectMs !== undefined;
  const gaps = chunks > 1 && chunksMs === undefined ? ", when its chunks came" : "";
  return `${isNew ? "" : "No new connection was recorded. "}Not recorded: when the request was written${gaps}.`;
}

/** A request beside another on one axis of time, phase by phase. */
interface Waterfall {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly {
    readonly name: Phase["name"];
    readonly colour: (typeof PHASES)[number][1];
    readonly own: Phase | undefined;
    readonly median: Phase | undefined;
  }[];
}

function waterfallOf(request: NotableRequest, median: NotableRequest | undefined): Waterfall {
  const [own, other] = [phasesOf(request), median === undefined ? [] : phasesOf(median)];
  const ofName = (phases: readonly Phase[], name: Phase["name"]) => phases.find((phase) => phase.name === name);
  const all = [...own, ...other];
  return {
    from: all.reduce((least, { from }) => Math.min(least, from), 0),
    to: all.reduce((most, { to }) => Math.max(most, to), 0),
    rows: PHASES.flatMap(([name, colour]) => {
      const row = { name, colour, own: ofName(own, name), median: ofName(other, name) };
      return row.own === undefined && row.median === undefined ? [] : [row];
    }),
  };
}

const lasted = (phase: Phase | undefined): string => (phase ? formatValue(phase.to - phase.from, "ms") : "-");

const SIZE = 1_000;
/** Height of a row of the drawing; the text beside it is as high. */
const ROW = 20;

/** The waterfall of a request for a page; nothing without a phase. */
export function waterfallHtml(request: NotableRequest, median: NotableRequest | undefined): Html {
  const { from, to, rows } = waterfallOf(request, median);
  if (rows.length === 0) return html``;
  const place = (at: number): string => ((SIZE * (at - from)) / (to - from)).toFixed(1).replace(/\.0$/, "");
  const bar = (phase: Phase | undefined, row: number, top: number, height: number): string =>
    phase === undefined
      ? ""
      : `M${place(phase.from)} ${row * ROW + top}H${place(phase.to)}v${height}H${place(phase.from)}z`;
  const bars = rows.map(({ colour, own }, row) =>
    own === undefined ? html`` : html`<path fill="var(--${colour})" d="${bar(own, row, 3, 9)}"/>`,
  );
  const chunkRow = rows.findIndex(({ name }) => name === "chunks");
  const ticks = chunkRow < 0 ? "" : ticksOf(request, place, chunkRow * ROW + 12);
  const texts = rows.map(
    ({ name, own, median: other }) =>
      html`<span>${name} <b>${lasted(own)}</b>${median === undefined ? "" : html` <i>${lasted(other)}</i>`}</span>`,
  );
  const beside =
    median === undefined ? "" : ` Thin bars and figures in grey: ${median.id}, the median ok ${median.op} by its end.`;
  return html`<div class="waterfall"><div>${texts}</div><svg style="height:${rows.length * ROW}px" viewBox="0 0 ${SIZE} ${rows.length * ROW}" preserveAspectRatio="none" role="img" aria-label="Waterfall of ${formatValue(to - from, "ms")}">${bars}<path fill="var(--dim)" d="${rows.map((row, index) => bar(row.median, index, 14, 3)).join("")}"/><path class="ticks" d="${ticks}"/></svg></div>
<p class="small">${formatValue(to - from, "ms")} from left to right.${chunksInWords(request)}${beside} ${notRecorded(request)}</p>`;
}

/** Ticks of chunks, each as high as its gap is beside the largest one, and a tenth at least. */
function ticksOf(
  { chunksMs = [], gapsMs = [] }: NotableRequest,
  place: (at: number) => string,
  bottom: number,
): string {
  const most = gapsMs.reduce((max, gap) => Math.max(max, gap), 0.001);
  return chunksMs
    .map(
      (at, index) =>
        `M${place(at)} ${bottom}v-${(1 + (9 * (index === 0 ? most : (gapsMs[index - 1] ?? 0))) / most).toFixed(1)}`,
    )
    .join("");
}

function chunksInWords({ chunks, chunksMs, gapMs, stallsMs = [] }: NotableRequest): string {
  if (chunks === undefined || chunksMs === undefined || gapMs === undefined) return "";
  const drawn = chunksMs.length < chunks ? `${chunksMs.length} of ${plural(chunks, "chunk")}` : plural(chunks, "chunk");
  const stalls = stallsMs.length === 0 ? "" : `, more than ${formatValue(STALL_MS, "ms")} is a stall`;
  return ` Ticks: ${drawn}, each as high as the gap before it; the largest is ${formatValue(gapMs, "ms")}${stalls}.`;
}

/** The same as lines of a terminal. @param width of the drawing, in characters */
export function waterfallLines(request: NotableRequest, median: NotableRequest | undefined, width = 48): string[] {
  const { from, to, rows } = waterfallOf(request, median);
  const column = (at: number): number => Math.min(width - 1, Math.floor((width * (at - from)) / (to - from || 1)));
  const drawn = rows.map(({ name, own, median: other }) => {
    const cells = new Array<string>(width).fill(" ");
    const fill = (phase: Phase, sign: string) => cells.fill(sign, column(phase.from), column(phase.to) + 1);
    if (own !== undefined) fill(own, name === "chunks" ? "─" : "█");
    if (own !== undefined && name === "chunks") for (const at of request.chunksMs ?? []) cells[column(at)] = "│";
    return [`  ${name}`, cells.join(""), lasted(own), ...(median === undefined ? [] : [lasted(other)])];
  });
  if (drawn.length === 0) return [];
  const head = ["", "", "this", ...(median === undefined ? [] : ["median"])];
  return [...columns([head, ...drawn], new Set([2, 3])), `  ${notRecorded(request)}`];
}
