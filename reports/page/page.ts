/** The frame of every page: one file that loads nothing from elsewhere. */

import { plural } from "../numbers.ts";
import type { Tone } from "../verdict-words.ts";
import { type Html, html, htmlTable } from "./html-template.ts";
import { STYLE } from "./style.ts";

export interface Page {
  readonly title: string;
  /** Small line above the heading, such as the time of the run. */
  readonly aside: string;
  readonly body: Html;
  /** Optional script; the page is complete without it. */
  readonly script?: string;
  /** What this page has beside the common style. */
  readonly style?: string;
}

const raw = (text: string): string => text.replaceAll("</", "<\\/");

const BRAND = html`<b>Assay</b> · load-testing and conformance`;

/** A page of this one's folder or of the one above. */
export interface PageAbove {
  readonly href: string;
  readonly title: string;
}

/** A page with a link to the one that lists it: where a page is put is known when it is written, not when it is made. */
export const withLinkAbove = (text: string, { href, title }: PageAbove): string =>
  text.replace(BRAND.text, () => html`${BRAND} · <a href="${href}">↑ ${title}</a>`.text);

/** A complete HTML document. Its policy forbids loading anything, whatever a target wrote into the results. */
export function page({ title, aside, body, script, style = "" }: Page): string {
  const content = html`<body><main>
<div class="brand"><span>${BRAND}</span><span>${aside}</span></div>
${body}
</main>`.text;
  const tail = script === undefined ? "" : `<script>${raw(script)}</script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
${html`<title>${title}</title>`.text}
<style>${STYLE}${style}</style>
</head>
${content}
${tail}</body>
</html>
`;
}

/** A coloured word. */
export const tag = (word: string, tone: Tone): Html => html`<span class="tag ${tone}">${word}</span>`;

/** The first block: the verdict in a word, what it is about, a picture of it, and the reasons. */
export const verdictCard = (card: {
  readonly tone: Tone;
  readonly word: string;
  readonly title: string;
  readonly picture?: Html | undefined;
  readonly lines: readonly Html[];
  readonly reasons: readonly string[];
  /** The reasons are remarks that no verdict rests on: they are written smaller. */
  readonly areRemarks?: boolean;
}): Html => html`<section class="card verdict ${card.tone}">
<div class="word">${card.word}</div>
<h1>${card.title}</h1>
${card.picture}
${card.lines.map((line) => html`<p>${line}</p>`)}
${card.reasons.length === 0 ? "" : html`<ul class="reasons${card.areRemarks ? " remarks" : ""}">${card.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
</section>`;

/** A part of a page that can be folded; an address with its id, or with that of something in it, unfolds it. */
export interface Fold {
  readonly id?: string | undefined;
  readonly title: string;
  /** What it holds. */
  readonly line: string;
  readonly body: Html;
  readonly isOpen?: boolean;
  /** Of its heading. */
  readonly level?: 2 | 3;
}

/** A part of a page that is folded away unless it is to be open; print shows it. */
export function fold({ id, title, line, body, isOpen = false, level = 2 }: Fold): Html {
  const heading = level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`;
  return html`<details class="card fold"${isOpen ? html` open` : ""}><summary>${heading} <span class="dim">${line}</span></summary><div${id === undefined ? "" : html` id="${id}"`}>${body}</div></details>
`;
}

/** The settings of a run. */
export const settingsTable = (settings: Readonly<Record<string, unknown>>): Html =>
  htmlTable(
    ["setting", "value"],
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    ]),
  );

/** The same, folded away. */
export const foldedSettings = (settings: Readonly<Record<string, unknown>>): Html =>
  fold({
    ...{ title: "Settings of the run", body: settingsTable(settings) },
    line: plural(Object.keys(settings).length, "value"),
  });
