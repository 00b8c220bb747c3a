/** Writing HTML: whatever is put into a template is escaped, unless it is HTML already. */

import { TEXT_CONTROLS } from "../../lib/printable.mjs";

/** HTML that is known to be well formed. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for an element or a quoted attribute; controls other than tab and line end become the replacement character. */
export const escapeHtml = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(TEXT_CONTROLS, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const write = (value: Value): string => {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  return typeof value === "object" ? value.map(write).join("") : escapeHtml(String(value));
};

/** A template whose values are escaped. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(strings.map((text, index) => text + write(values[index])).join(""));

/** A column of names needs none of its own. */
const headCell = (cell: string | Html): Html => (cell === "" ? html`<td></td>` : html`<th scope="col">${cell}</th>`);

/**
 * A table whose first row is its head, and which can be scrolled by keys; cells are escaped unless they are HTML.
 * @param attributesOf what a row has in addition, by its number
 */
export function htmlTable(
  head: readonly (string | Html)[],
  rows: readonly (readonly (string | Html)[])[],
  className = "",
  attributesOf: (row: number) => Html | undefined = () => undefined,
): Html {
  const cells = (row: readonly (string | Html)[]) =>
    row.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`));
  return html`<div class="scroll" tabindex="0"><table class="${className}"><thead><tr>${head.map(headCell)}</tr></thead>
<tbody>${rows.map((row, index) => html`<tr${attributesOf(index)}>${cells(row)}</tr>\n`)}</tbody></table></div>`;
}

/** A list of names and texts. */
export const htmlFacts = (pairs: readonly (readonly [string, string | Html])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`;
