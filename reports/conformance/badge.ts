/**
 * A conformance result as a badge: an SVG of one line that needs no font and loads nothing. It is green only when everything that was
 * run has passed; a failure that a baseline excuses is shown as what it is.
 */

import type { ConformanceResult } from "../../formats/conformance.ts";
import { formatDay, plural } from "../numbers.ts";
import { conformanceVerdict, type Tone } from "../verdict-words.ts";
import { element, xmlText } from "../xml.ts";
import { profileOf } from "./clause-groups.ts";
import { type Apart, apartWords, scope, summarize } from "./tally.ts";

/** What a badge says, and in which tone. */
export interface BadgeWords {
  readonly tone: Tone;
  /** The verdict: `conforms`, `2 required failed`, `inconclusive`. */
  readonly state: string;
  /** What was run: `chat, embeddings; video not run`. */
  readonly scope: string;
  /** `profile service · 2026-01-02`. */
  readonly details: string;
}

/** The words of a badge. */
export function badgeWords(result: ConformanceResult): BadgeWords {
  const traffic = result.traffic === undefined ? "" : "observed traffic · ";
  return {
    ...stateOf(result),
    scope: scope(result.clauses, result.traffic !== undefined),
    details: `${traffic}profile ${profileOf(result)} · ${formatDay(result.startedAt)}`,
  };
}

/** From the clauses, whatever else the result claims: somebody may have written it by hand. */
function stateOf(result: ConformanceResult): Pick<BadgeWords, "tone" | "state"> {
  const summary = summarize(result.clauses);
  const { required, compatible } = summary;
  const failed = { required: required.failed, compatible: compatible.failed };
  if (sum(failed) > 0) return { tone: "bad", state: `${apartWords(failed)} failed` };
  const { word, tone } = conformanceVerdict({ ...result, summary });
  if (tone === "bad") return { tone, state: word.toLowerCase() };
  const unverified = { required: required.unverified, compatible: compatible.unverified };
  if (sum(unverified) > 0) return { tone: "unsure", state: `inconclusive: ${apartWords(unverified)} not verified` };
  const isWhole = result.finishedAt !== undefined && result.problems.length === 0;
  if (tone !== "good" || !isWhole || required.verified + compatible.verified === 0) {
    return { tone: "unsure", state: "inconclusive" };
  }
  const known = result.clauses.filter(({ verdict }) => verdict === "KNOWN");
  if (known.length > 0) return { tone: "unsure", state: `${plural(known.length, "clause")} known to fail` };
  return { tone, state: word.toLowerCase() };
}

const sum = ({ required, compatible }: Apart): number => required + compatible;

/** The height that badges of other tools have, so that they stand in one line. */
const HEIGHT = 20;
const PADDING = 7;
/** Font size in pixels. */
const SIZE = 11;
const FONT = "Verdana, DejaVu Sans, Geneva, sans-serif";
/** White on each of these has a contrast of at least 4.5 to 1 (WCAG 2.2, AA). */
const COLOURS: Readonly<Record<Tone, string>> = { good: "#12734a", bad: "#b4232f", unsure: "#8a5a00", none: "#4b5563" };
const LABEL_COLOUR = "#2b333e";
const LABEL = "API conformance";

/** Widths of characters in Verdana, as parts of the font size; the text is fitted to the sum in any other font. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ijlI.,:;|!'()[\]]/, 0.41],
  [/[ftr]/, 0.45],
  [/ /, 0.36],
  [/[mwMW%@]/, 0.98],
  [/[A-Z]/, 0.72],
  [/[\u0250-\uffff]/, 1],
];
const USUAL_WIDTH = 0.63;

/** Width of a text in pixels, about. */
const widthOf = (text: string): number =>
  Math.ceil(
    [...text].reduce((sum, one) => sum + (WIDTHS.find(([test]) => test.test(one))?.[1] ?? USUAL_WIDTH) * SIZE, 0),
  );

/** Whether there is a badge: of a run that decided nothing there is nothing to show. */
export function hasBadge({ required, compatible }: ConformanceResult["summary"]): boolean {
  return [required, compatible].some(({ verified, failed }) => verified + failed > 0);
}

/** A result as an SVG document; undefined when there is no badge of it. */
export function conformanceBadge(result: ConformanceResult): string | undefined {
  if (!hasBadge(summarize(result.clauses))) return undefined;
  const words = badgeWords(result);
  const about = words.scope === "" ? words.state : `${words.state} (${words.scope})`;
  const left = widthOf(LABEL) + 2 * PADDING;
  const right = widthOf(about) + 2 * PADDING;
  const title = `${LABEL} of ${result.target}: ${about}; ${words.details}; ${result.tool}`;
  const size = { width: left + right, height: HEIGHT };
  return `${element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      ...size,
      viewBox: `0 0 ${left + right} ${HEIGHT}`,
      role: "img",
      "aria-labelledby": "title",
    },
    [
      element("title", { id: "title" }, [xmlText(title)]),
      element("clipPath", { id: "corners" }, [element("rect", { ...size, rx: 3 })]),
      element("g", { "clip-path": "url(#corners)", "font-family": FONT, fill: "#ffffff" }, [
        element("rect", { width: left, height: HEIGHT, fill: LABEL_COLOUR }),
        element("rect", { x: left, width: right, height: HEIGHT, fill: COLOURS[words.tone] }),
        textAt(PADDING, LABEL),
        textAt(left + PADDING, about),
      ]),
    ],
  )}\n`;
}

/** A text, fitted to its width. */
const textAt = (x: number, text: string): string =>
  element("text", { x, y: 14, "font-size": SIZE, textLength: widthOf(text), lengthAdjust: "spacingAndGlyphs" }, [
    xmlText(text),
  ]);
