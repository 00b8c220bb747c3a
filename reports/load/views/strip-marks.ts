/** The marks above the strip of a run: each a link to the part of the page that tells more, in lanes where they would overlap. */

import type { RunResult } from "../../../formats/run.ts";
import { formatNumber } from "../../numbers.ts";
import { type Html, html } from "../../page/html-template.ts";
import { percent } from "../../page/plot.ts";
import { type Moment, type MomentKind, momentsOf, type Timed, timesOf } from "./moments.ts";

/** A moment, or several of a kind that have no room beside each other. */
export interface StripMark extends Moment {
  /** 0 is next to the strip. */
  readonly lane: number;
  /** Its label has room beside it on a wide page. */
  readonly isLabelled: boolean;
}

/** How marks of a kind look; the sign tells them apart without colour and without a label. */
const LOOKS: Readonly<Record<MomentKind, { readonly look: string; readonly sign: string; readonly name: string }>> = {
  "warm-up": { look: "soft", sign: "", name: "not measured" },
  drain: { look: "soft", sign: "", name: "not measured" },
  step: { look: "step", sign: "", name: "" },
  outage: { look: "bad", sign: "×", name: "no response" },
  failures: { look: "bad", sign: "×", name: "failures" },
  stopped: { look: "doubt", sign: "?", name: "load generator stopped: do not rely on it" },
  late: { look: "doubt", sign: "?", name: "load generator late: do not rely on it" },
  missed: { look: "unsure", sign: "!", name: "objective missed" },
  recovery: { look: "unsure", sign: "+", name: "recovery" },
  unsteady: { look: "unsure", sign: "~", name: "not steady" },
  stall: { look: "unsure", sign: "|", name: "stall" },
};

/** Width of a mark at least, as a share of the strip: on a phone, that of its sign. */
const LEAST = 0.04;
/** Width of a character, as a share of the strip on a wide page. */
const CHARACTER = 0.0068;
/** Beyond as many lanes, marks keep their signs and lose their labels. */
const MOST_LANES = 3;

/** The marks of a run, in order of time. */
export function stripMarks(run: Timed): StripMark[] {
  const { from, to } = timesOf(run);
  return inLanes(joined(momentsOf(run), LEAST * (to - from)), to);
}

/** Whether a mark tells of something to look at, rather than of the plan of the run. */
export const isFinding = ({ kind }: Moment): boolean => !["soft", "step"].includes(LOOKS[kind].look);

/** Late seconds become one mark where they are as many widths of a mark apart: the drawing shows each. */
const LATE = 2;

/** Moments of a kind that would overlap become one. */
function joined(moments: readonly Moment[], least: number): Moment[] {
  const all: Moment[][] = [];
  const last = new Map<string, Moment[]>();
  for (const moment of moments.toSorted((a, b) => a.from - b.from)) {
    const isStep = moment.kind === "step";
    const key = isStep ? "step" : `${moment.kind} ${moment.label}`;
    const before = last.get(key);
    const near = moment.kind === "late" ? LATE * least : 0;
    if (before !== undefined && moment.from < endOf(before, least) + near + (isStep ? -1e-6 : 1e-6)) {
      before.push(moment);
      continue;
    }
    const own = [moment];
    last.set(key, own);
    all.push(own);
  }
  return all.flatMap((own) => one(own) ?? []);
}

const endOf = (moments: readonly Moment[], least: number): number =>
  moments.reduce((end, { to }) => Math.max(end, to), (moments[0]?.from ?? 0) + least);

/** More texts than these of joined moments are left out. */
const TEXTS = 3;

function one(moments: readonly Moment[]): Moment | undefined {
  const [first] = moments;
  if (first === undefined || moments.length === 1) return first;
  const texts = [...new Set(moments.map(({ text }) => text))];
  return {
    ...first,
    to: endOf(moments, 0),
    label: labelOf(first, moments.length),
    text: `${texts.slice(0, TEXTS).join("; ")}${texts.length > TEXTS ? "; …" : ""}`,
  };
}

const labelOf = ({ kind, label }: Moment, count: number): string => {
  if (kind === "step") return `${count} steps`;
  return kind === "late" ? `${label} at times` : label;
};

/** What a mark takes of its lane: until `end`, and until `labelEnd` with the label beside it. */
interface Placed {
  readonly moment: Moment;
  readonly lane: number;
  readonly end: number;
  readonly labelEnd: number;
}

/** The plan of the run is next to the strip; nothing else is in the lane of the steps of its rate. */
function inLanes(moments: readonly Moment[], length: number): StripMark[] {
  const plan = moments.filter((moment) => !isFinding(moment));
  const lowest = plan.some(({ kind }) => kind === "step") ? 1 : 0;
  const placed: Placed[] = [];
  for (const moment of [...plan, ...moments.filter(isFinding)]) {
    const end = Math.max(moment.to, moment.from + LEAST * length);
    const label = (moment.label.length + 3) * CHARACTER * length;
    const isBeside = isFinding(moment) && label > moment.to - moment.from && end + label <= length;
    const own = { moment, end, labelEnd: isBeside ? end + label : end };
    placed.push({ ...own, lane: laneFor(own, isFinding(moment) ? lowest : 0, placed) });
  }
  return placed
    .map(({ moment, lane, end, labelEnd }, index) => {
      const next = placed.filter((other, at) => at !== index && other.lane === lane && other.moment.from >= end - 1e-6);
      const isLabelled = labelEnd > end && next.every((other) => other.moment.from >= labelEnd - 1e-6);
      return { ...moment, lane, isLabelled };
    })
    .toSorted((x, y) => x.from - y.from);
}

/** The first lane with room for a mark and its label, else for the mark alone. */
function laneFor({ moment, end, labelEnd }: Omit<Placed, "lane">, lowest: number, placed: readonly Placed[]): number {
  const isFree = (lane: number, key: "end" | "labelEnd"): boolean =>
    placed.every(
      (other) =>
        other.lane !== lane ||
        other[key] <= moment.from + 1e-6 ||
        (key === "end" ? end : labelEnd) <= other.moment.from + 1e-6,
    );
  const lanes = Array.from({ length: placed.length + 2 }, (_, index) => lowest + index);
  const roomy = lanes.find((lane) => isFree(lane, "labelEnd")) ?? lowest;
  return roomy < MOST_LANES ? roomy : (lanes.find((lane) => isFree(lane, "end")) ?? roomy);
}

/** What a mark says, with its time. */
const markText = ({ text, from, to }: Moment): string => `${text}, ${timeText(from, to)}`;

const timeText = (from: number, to: number): string =>
  to - from < 0.05 ? `at ${from.toFixed(1)} s` : `${from.toFixed(1)} to ${to.toFixed(1)} s`;

/** Where a time lies on the strip, as a style. */
const placeOf = ({ from, to }: Moment, length: number): string => {
  const [left, right] = [from, to].map((at) => Math.min(1, Math.max(0, at / length)));
  return `left:${percent(left ?? 0)};width:${percent((right ?? 0) - (left ?? 0))}`;
};

/** The marks, and behind the drawing the times that they are about. */
export function marksHtml(run: RunResult, marks: readonly StripMark[]): Html {
  const { to: length } = timesOf(run);
  const links = marks.map((mark) => {
    const { look, sign } = LOOKS[mark.kind];
    const text = markText(mark);
    return html`<a class="moment ${look}${mark.isLabelled ? " out" : ""}" href="#${mark.section}" style="${placeOf(mark, length)};--lane:${mark.lane}" title="${text}" aria-label="${text}">${sign} <span>${mark.label}</span></a>`;
  });
  const times = momentsOf(run)
    .filter(({ kind }) => kind !== "stall" && kind !== "recovery")
    .map((moment) => html`<i class="time ${LOOKS[moment.kind].look}" style="${placeOf(moment, length)}"></i>`);
  return html`${times}${links}`;
}

/** What the signs mean, and that what lies outside the measured time is shaded. */
export function marksLegend(marks: readonly StripMark[]): Html[] {
  const names = new Map(marks.map(({ kind }) => [LOOKS[kind].name, LOOKS[kind]] as const));
  return [...names].flatMap(([name, { look, sign }]) =>
    name === "" ? [] : [html`<span class="key"><b class="moment ${look}">${sign}</b>${name}</span>`],
  );
}

/** The marks as a list, in which their links are too. */
export const marksList = (marks: readonly StripMark[]): Html =>
  html`<ul>${marks.map((mark) => html`<li><a href="#${mark.section}">${mark.label}</a>: ${markText(mark)}</li>`)}</ul>`;

/** How many lanes the marks take. */
export const lanesOf = (marks: readonly StripMark[]): number =>
  marks.reduce((most, { lane }) => Math.max(most, lane + 1), 0);

/** Marks that a sentence names; the others are counted. */
const NAMED = 6;

/** The findings in a part of a sentence. */
export function marksInWords(marks: readonly StripMark[]): string {
  const findings = marks.filter(isFinding).map(({ label, from, to }) => `${label}, ${timeText(from, to)}`);
  const more = findings.length - NAMED;
  return findings.length === 0
    ? "nothing is marked"
    : `marked: ${findings.slice(0, NAMED).join("; ")}${more > 0 ? `; and ${formatNumber(more)} more` : ""}`;
}
